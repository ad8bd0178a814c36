#!/usr/bin/env bash
# Every test, the matrix last: its table is the summary. Arguments go to the matrix.
set -euo pipefail
cd "$(dirname "$0")/.."

cargo test --workspace
cargo test -p nakiri-cli --test matrix -- "$@"
