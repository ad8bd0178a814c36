#!/usr/bin/env bash
# Type-checks the compiler and the command for Windows and macOS. What is in C++ is compiled by zig, from PyPI.
#
#   tools/platforms.sh [TRIPLE…]
set -euo pipefail
cd "$(dirname "$0")/.."

[ $# -gt 0 ] || set -- x86_64-pc-windows-gnu aarch64-apple-darwin
work=$(mktemp -d)
trap 'rm -r "$work"' EXIT
python3 -m venv "$work/zig"
"$work/zig/bin/pip" --quiet --disable-pip-version-check install ziglang cargo-zigbuild
for triple in "$@"; do
  [ -d "$(rustc --print target-libdir --target "$triple")" ] || rustup target add "$triple"
  PATH="$work/zig/bin:$PATH" cargo zigbuild check --quiet --locked --target "$triple" -p nakiri-cli
  echo "nakiri-cli can be compiled for $triple."
done
