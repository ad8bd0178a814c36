#!/usr/bin/env bash
# Formatting, Clippy, what browsers have for WebAssembly, the sources of the ciphers, and licences where cargo-deny is installed.
set -euo pipefail
cd "$(dirname "$0")/.."

cargo fmt --all --check
# What is only checked lies in a folder of its own, so that it waits for no build beside it. The compiler is compiled for Clippy, too,
# as a part of a build script.
checked=${CARGO_TARGET_DIR:-target}/lint
CARGO_TARGET_DIR=$checked cargo clippy --quiet --workspace --all-targets --config profile.dev.package.nakiri.opt-level=0 -- -D warnings
if [ -d "$(rustc --print target-libdir --target wasm32-unknown-unknown)" ]; then
  CARGO_TARGET_DIR=$checked cargo check --quiet -p nakiri -p nakiri-library -p nakiri-machine --target wasm32-unknown-unknown
else
  echo "Without \`rustup target add wasm32-unknown-unknown\` the compiler is not checked for it." >&2
fi
cargo run --quiet -p nakiri-cli -- fmt --check ciphers/*/*.ua modes/*/*.ua crates/nakiri-sign-kernels/kernels/*.ua
if cargo deny --version > /dev/null 2>&1; then
  cargo deny --log-level error check licenses bans sources
else
  echo "cargo-deny is not installed (cargo install cargo-deny): licences not checked." >&2
fi
