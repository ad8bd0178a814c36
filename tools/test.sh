#!/usr/bin/env bash
# Every test, the matrix last: its table is the summary. Extra arguments go to the matrix.
set -euo pipefail
cd "$(dirname "$0")/.."

cargo build --workspace --all-targets
cargo test --workspace --lib --bins --examples
# The other integration tests; the matrix has its own output.
for crate in crates/*/; do
    name=$(basename "$crate")
    for test in "$crate"tests/*.rs; do
        [ -e "$test" ] || continue
        cargo test -p "$name" --test "$(basename "$test" .rs)"
    done
done
cargo test --workspace --doc
cargo test -p nakiri-cli --test matrix -- "$@"
