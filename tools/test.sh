#!/usr/bin/env bash
# All tests of the workspace, in two runs side by side: many a test program ends with one long test, which leaves a core idle.
set -euo pipefail
cd "$(dirname "$0")/.."

failed=0
run() {
  cargo test --no-fail-fast "$@" || failed=1
}

# The programs whose names begin with c or m; what they print comes last.
log=$(mktemp)
set -m
(run --workspace --test '[cm]*'; exit "$failed") > "$log" 2>&1 &
beside=$!
trap 'kill -- "-$beside" 2> /dev/null || true; rm -f "$log"' EXIT

run --workspace --test '[!cm]*'
run --workspace --exclude nakiri --lib --bins
# The compiler's own unit tests are few: it is not optimized once more for them.
run -p nakiri --lib --config profile.dev.package.nakiri.opt-level=0
run --workspace --doc
wait "$beside" || failed=1
cat "$log"
exit "$failed"
