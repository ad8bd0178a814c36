# Sourced by the other tools: finds programs, installs them where that is possible, names them where not.

# have PROGRAM, have HEADER.h, or have /FILE
have() {
  case "$1" in
    /*) [ -e "$1" ] ;;
    *.h) echo "#include <$1>" | "${CC:-gcc}" -E -x c - > /dev/null 2>&1 ;;
    *) command -v "$1" > /dev/null 2>&1 ;;
  esac
}

# install_packages PACKAGE…: all at once, since lists of packages are fetched anew each time; only on Debian, as root.
install_packages() {
  [ $# != 0 ] && have apt-get && [ "$(id -u)" = 0 ] || return 0
  echo "Installing $* …"
  (apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq "$@") > /dev/null 2>&1 || true
}

# missing PROGRAM PACKAGE, or missing HEADER.h PACKAGE: installs the package; else says how. Under CI=true what stays missing is a failure.
missing() {
  install_packages "$2"
  have "$1" && return 0
  echo "Missing: $1. On Debian: apt-get install $2" >&2
  [ "${CI:-}" = true ] && exit 1
  return 1
}

# Sets CC to a C compiler: the caller's, or gcc, or clang.
need_compiler() {
  if [ -z "${CC:-}" ]; then
    if have gcc; then CC=gcc; elif have clang-19; then CC=clang-19; elif have clang; then CC=clang; else
      missing gcc gcc || exit 1
      CC=gcc
    fi
  fi
  export CC
}
