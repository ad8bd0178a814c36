#!/usr/bin/env bash
# Makes what a release consists of, in target/release-VERSION or DIR, with SHA256SUMS:
#
#   static    the command for Linux, linked with musl, x86-64 and AArch64: needs no package, but can't load what `bench` measures
#   debian    a Debian package of the command for this machine, with manual pages and completions
#   library   the emitted C library, which CMake and pkg-config know
#   wheel     the Python package
#
#   tools/release.sh [-o DIR] [PART…]        by default all parts; says what can't be made here, and goes on
#
# NAKIRI names the command for this machine, if it is not to be built first. zig is the cross compiler, from PyPI. The same commit gives the same archives; binaries depend on the toolchain.
set -euo pipefail
cd "$(dirname "$0")/.."
source tools/need.sh
source tools/release/archive.sh
source tools/release/debian.sh

version=$(cargo metadata --format-version 1 --no-deps --locked | sed -E 's/.*"name":"nakiri","version":"([^"]*)".*/\1/')
target=${CARGO_TARGET_DIR:-$PWD/target}
out=$target/release-$version
if [ "${1:-}" = -o ]; then
  out=$(realpath -m "$2")
  shift 2
fi
[ $# -gt 0 ] || set -- static debian library wheel
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct)
export SOURCE_DATE_EPOCH
# What the library has: names as of `nakiri library`, and targets for any CPU of the last ten years.
LIBRARY=${LIBRARY:-aes128 aes256 chacha20 xchacha20 chacha20_poly1305 sha2 ascon_aead ascon_hash}
LIBRARY_TARGETS=${LIBRARY_TARGETS:-gp64,avx2}

mkdir -p "$out"
work=$(mktemp -d)
trap 'rm -r "$work"' EXIT
missed=()

# miss WHAT: something that can't be made here.
miss() {
  echo "Not made: $1" >&2
  missed+=("$1")
}

# zig: cargo with zig as the cross compiler, in an environment of its own.
zig() {
  if [ ! -d "$work/zig" ]; then
    python3 -m venv "$work/zig" && "$work/zig/bin/pip" --quiet --disable-pip-version-check install ziglang cargo-zigbuild
  fi > "$work/zig.log" 2>&1 && PATH="$work/zig/bin:$PATH" cargo zigbuild "$@"
}

static() {
  local architecture triple
  for architecture in x86_64 aarch64; do
    triple=$architecture-unknown-linux-musl
    if [ ! -d "$(rustc --print target-libdir --target "$triple")" ] && ! rustup target add "$triple" > /dev/null 2>&1; then
      miss "the static command for $architecture: there is no rustup with its target $triple"
    elif ! zig --quiet --locked --profile dist --target "$triple" -p nakiri-cli; then
      miss "the static command for $architecture: zig can't be had or does not build it, see above"
      cat "$work/zig.log" >&2
    else
      archive_of_command "$target/$triple/dist/nakiri" "nakiri-$version-$architecture-linux-musl"
    fi
  done
}

debian() {
  have dpkg-deb || { miss "the Debian package: dpkg-deb is not here"; return; }
  debian_package "$(command_here)"
}

library() {
  # shellcheck disable=SC2086
  "$(command_here)" library $LIBRARY --target "$LIBRARY_TARGETS" --lang c -o "$work/nakiri-library-$version"
  archive "nakiri-library-$version"
}

wheel() {
  tools/python.sh "$work/wheels" || { miss "the wheel: see above"; return; }
  cp "$work"/wheels/*.whl "$out"
}

# The command for this machine; its path.
command_here() {
  [ -n "${NAKIRI:-}" ] || cargo build --quiet --locked --profile dist -p nakiri-cli
  echo "${NAKIRI:-$target/dist/nakiri}"
}

for part in "$@"; do
  case "$part" in
    static | debian | library | wheel) "$part" ;;
    *) echo "There is no part \`$part\`: static, debian, library or wheel" >&2; exit 2 ;;
  esac
done
cd "$out"
find . -maxdepth 1 -type f ! -name SHA256SUMS -printf '%f\n' | sort | xargs sha256sum > "$work/sums"
mv "$work/sums" SHA256SUMS
echo "In $out:"
ls -l --time-style=long-iso | awk 'NR > 1 { printf "%12d  %s\n", $5, $8 }'
for what in "${missed[@]}"; do echo "Not made: $what"; done
