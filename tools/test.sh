#!/usr/bin/env bash
# All tests of the workspace: built at once, then two programs at a time, what takes longest first: many a program ends with one long
# test, which leaves a core idle. So does the compiler, which is one long unit of rustc: what tests use beside is installed meanwhile.
set -euo pipefail
cd "$(dirname "$0")/.."
source tools/need.sh

have c++ || missing c++ g++ || exit 1
logs=$(mktemp -d)
export logs
set -m
tools/install.sh &
installed=$!
trap 'kill -- "-$installed" ${all:+"-$all"} 2> /dev/null || true; rm -rf "$logs"' EXIT

# What is run, a line each: a name, and a command. Programs of tests are started without cargo, which would have them wait for one
# another, and compiles again what it needs for other choices of packages.
programs() {
  local name program crate
  while read -r name program; do
    for crate in crates/*/tests/"$name".rs; do
      echo "$(basename "${name%/main}") cd ${crate%%/tests/*} && $(realpath "$program")"
    done
  done < <(sed -n 's|^ *Executable tests/\(.*\)\.rs (\(.*\))$|\1 \2|p' "$logs/built")
  echo "lint tools/lint.sh"
  echo "units cargo test --no-fail-fast --workspace --exclude nakiri --exclude nakiri-sign-kernels --lib --bins"
  # The compiler's own unit tests are few: it is not optimized once more for them.
  echo "units-of-the-compiler cargo test -p nakiri --lib --config profile.dev.package.nakiri.opt-level=0"
  echo "examples cargo test --no-fail-fast --workspace --doc"
}

# Those that take longest, in this order, and the others.
longest_first() {
  local longest=(commands matrix constant_time lint verilog random library)
  programs > "$logs/programs"
  printf '%s\n' "${longest[@]}" | xargs -I{} grep '^{} ' "$logs/programs"
  grep -vE "^($(IFS='|'; echo "${longest[*]}")) " "$logs/programs"
}

# Runs one; what it prints stands together.
run() {
  local name=${1%% *} log
  log=$(mktemp "$logs/XXXXXX")
  bash -c "${1#* }" > "$log" 2>&1 || echo "$name" >> "$logs/failed"
  flock "$logs" cat "$log" - <<< "$name: $SECONDS s"
}
export -f run

CARGO_TERM_COLOR=never cargo test --workspace --test '*' --no-run 2>&1 | tee "$logs/built"
wait "$installed"
(longest_first | xargs -d '\n' -P 2 -I{} bash -c 'run "$1"' run {}) &
all=$!
wait "$all" || echo "some test" >> "$logs/failed"
if [ -e "$logs/failed" ]; then
  echo "Failed:"
  cat "$logs/failed"
  exit 1
fi
