#!/usr/bin/env bash
# All tests of the workspace, two programs at a time, what takes longest first: many a program ends with one long test, which leaves a
# core idle. So does the compiler, which is one long unit of rustc: what is only checked is checked meanwhile.
set -euo pipefail
cd "$(dirname "$0")/.."

logs=$(mktemp -d)
export logs
set -m
nice -n 19 tools/lint.sh > "$logs/lint" 2>&1 &
lint=$!
trap 'kill -- "-$lint" ${all:+"-$all"} 2> /dev/null || true; rm -rf "$logs"' EXIT

# The arguments of `cargo test`, a line each.
programs() {
  local longest=(commands matrix constant_time verilog random library)
  printf -- '--workspace --test %s\n' "${longest[@]}"
  printf '%s\n' crates/*/tests/*.rs crates/*/tests/*/main.rs |
    sed 's|/main\.rs$||; s|\.rs$||; s|.*/|--workspace --test |' |
    grep -vxFf <(printf -- '--workspace --test %s\n' "${longest[@]}")
  # Other choices of packages make cargo compile some anew: these come last.
  echo '--workspace --exclude nakiri --lib --bins'
  # The compiler's own unit tests are few: it is not optimized once more for them.
  echo '-p nakiri --lib --config profile.dev.package.nakiri.opt-level=0'
  echo '--workspace --doc'
}

# Tests of these arguments; what they print stands together.
run() {
  local log
  log=$(mktemp "$logs/XXXXXX")
  # shellcheck disable=SC2086
  cargo test --no-fail-fast $1 > "$log" 2>&1 || echo "cargo test $1" >> "$logs/failed"
  flock "$logs" cat "$log"
}
export -f run

cargo test --workspace --test '*' --no-run
(programs | xargs -P 2 -I{} bash -c 'run "{}"') &
all=$!
wait "$all" || echo "some test" >> "$logs/failed"
wait "$lint" || echo "tools/lint.sh" >> "$logs/failed"
cat "$logs/lint"
if [ -e "$logs/failed" ]; then
  echo "Failed:"
  cat "$logs/failed"
  exit 1
fi
