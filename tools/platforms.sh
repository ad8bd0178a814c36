#!/usr/bin/env bash
# Type-checks the compiler and the command for Windows and macOS, where nothing is run. What they have in C++ is compiled: for Windows by
# MinGW, for macOS by zig, from PyPI.
set -euo pipefail
cd "$(dirname "$0")/.."
source tools/need.sh

work=$(mktemp -d)
trap 'rm -r "$work"' EXIT

# target TRIPLE: its standard library.
target() {
  [ -d "$(rustc --print target-libdir --target "$1")" ] || rustup target add "$1"
}

have x86_64-w64-mingw32-g++ || missing x86_64-w64-mingw32-g++ g++-mingw-w64-x86-64-posix || exit 1
target x86_64-pc-windows-gnu
# CaDiCaL prefetches on Windows by an intrinsic that gcc has under this flag alone.
CXXFLAGS_x86_64_pc_windows_gnu=-m3dnow cargo check --quiet --locked --target x86_64-pc-windows-gnu -p nakiri-cli
echo "nakiri-cli can be compiled for Windows."

target aarch64-apple-darwin
python3 -m venv "$work/zig"
"$work/zig/bin/pip" --quiet --disable-pip-version-check install ziglang cargo-zigbuild
PATH="$work/zig/bin:$PATH" cargo-zigbuild check --quiet --locked --target aarch64-apple-darwin -p nakiri-cli
echo "nakiri-cli can be compiled for macOS."
