#!/usr/bin/env bash
# Makes the playground and tries it in headless Chromium: see playground/test/main.mjs.
#
#   tools/playground-test.sh [PICTURES]
#
# PICTURES is the folder for pictures of the page, by default target/playground-pictures. CHROMIUM names the browser. Exit code 77 if a
# program is missing, which is named with its package.
set -euo pipefail
cd "$(dirname "$0")/.."

missing() {
  echo "$1 is missing: apt-get install $2" >&2
  exit 77
}
chromium=$(command -v "${CHROMIUM:-chromium}") || missing Chromium chromium
command -v node > /dev/null || missing Node.js nodejs

target=${CARGO_TARGET_DIR:-$PWD/target}
tools/playground.sh "$target/playground"
cargo fmt --manifest-path playground/Cargo.toml --check
CARGO_TARGET_DIR="$target" cargo clippy --quiet --locked --all-targets --manifest-path playground/Cargo.toml -- -D warnings
CARGO_TARGET_DIR="$target" cargo test --quiet --locked --manifest-path playground/Cargo.toml
cargo build --quiet --locked -p nakiri-cli
node playground/test/main.mjs "$target/playground" "$target/debug/nakiri" "$chromium" "${1:-$target/playground-pictures}"
