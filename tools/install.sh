#!/usr/bin/env bash
# What the tests use beside cargo: two C compilers, and OpenSSL to compare with.
set -euo pipefail
cd "$(dirname "$0")/.."
source tools/need.sh

have cargo || { echo "Missing: cargo. See https://rustup.rs" >&2; exit 1; }
have gcc || missing gcc gcc || exit 1
have clang-19 || have clang || missing clang-19 clang-19 || echo "The tests go on with gcc alone." >&2
have openssl || missing openssl openssl || echo "The demonstration goes on without comparing." >&2
