#!/usr/bin/env bash
# Formatting, Clippy, what browsers have for WebAssembly, and licences where cargo-deny is installed.
set -euo pipefail
cd "$(dirname "$0")/.."

cargo fmt --all --check
# Clippy compiles the compiler once more, as a part of a build script: it isn't optimized for that.
cargo clippy --quiet --workspace --all-targets --config profile.dev.package.nakiri.opt-level=0 -- -D warnings
if [ -d "$(rustc --print target-libdir --target wasm32-unknown-unknown)" ]; then
  cargo check --quiet -p nakiri -p nakiri-library -p nakiri-machine --target wasm32-unknown-unknown
else
  echo "Without \`rustup target add wasm32-unknown-unknown\` the compiler is not checked for it." >&2
fi
if cargo deny --version > /dev/null 2>&1; then
  cargo deny --log-level error check licenses bans sources
else
  echo "cargo-deny is not installed (cargo install cargo-deny): licences not checked." >&2
fi
