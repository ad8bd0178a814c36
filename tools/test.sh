#!/usr/bin/env bash
# All tests of the workspace, in two runs side by side: many a test program ends with one long test, which leaves a core idle. So does
# the compiler, which is one long unit of rustc: what is only checked is checked meanwhile.
set -euo pipefail
cd "$(dirname "$0")/.."

failed=0
run() {
  cargo test --no-fail-fast "$@" || failed=1
}

logs=$(mktemp -d)
set -m
tools/lint.sh > "$logs/lint" 2>&1 &
lint=$!
# The programs whose names begin with c or m; what they print comes last.
(run --workspace --test '[cm]*'; exit "$failed") > "$logs/beside" 2>&1 &
beside=$!
trap 'kill -- "-$lint" "-$beside" 2> /dev/null || true; rm -rf "$logs"' EXIT

run --workspace --test '[!cm]*'
run --workspace --exclude nakiri --lib --bins
# The compiler's own unit tests are few: it is not optimized once more for them.
run -p nakiri --lib --config profile.dev.package.nakiri.opt-level=0
run --workspace --doc
for part in lint beside; do
  wait "${!part}" || failed=1
  cat "$logs/$part"
done
exit "$failed"
