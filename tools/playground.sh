#!/usr/bin/env bash
# Makes the playground: a folder of files for any static host.
#
#   tools/playground.sh [FOLDER]
#
# FOLDER is made anew, by default target/playground. Without a network nothing else is needed: rustup target add wasm32-unknown-unknown.
set -euo pipefail
cd "$(dirname "$0")/.."

target=${CARGO_TARGET_DIR:-$PWD/target}
out=$(realpath -m "${1:-$target/playground}")
if [ -e "$out" ] && [ ! -e "$out/nakiri.wasm" ] && [ -n "$(ls -A "$out" 2>/dev/null)" ]; then
  echo "$out is no playground: it is left as it is" >&2
  exit 1
fi
rustup target list --installed 2>/dev/null | grep -qx wasm32-unknown-unknown || {
  echo "the target is missing: rustup target add wasm32-unknown-unknown" >&2
  exit 77
}

# Programs nest deeper than the megabyte of stack that modules have.
RUSTFLAGS="-C link-arg=-zstack-size=8388608" CARGO_TARGET_DIR="$target" \
  cargo build --quiet --locked --release --lib --target wasm32-unknown-unknown --manifest-path playground/Cargo.toml

rm -rf "$out"
mkdir -p "$out"
cp -r playground/page/. "$out"
cp "$target/wasm32-unknown-unknown/release/nakiri_playground.wasm" "$out/nakiri.wasm"

# What is kept offline, under a name that changes with any of it.
files=$(cd "$out" && find . -type f ! -name offline.js | LC_ALL=C sort)
digest=$(cd "$out" && cat $files offline.js | sha256sum | cut -c 1-16)
list=$(printf '"%s", ' "./" $files)
sed -i "s|^const FILES = .*|const FILES = [${list%, }];|; s|^const VERSION = .*|const VERSION = \"nakiri-$digest\";|" "$out/offline.js"

echo "$out: $(du -sb "$out" | cut -f 1) bytes, the compiler $(gzip -9c "$out/nakiri.wasm" | wc -c) of them compressed by gzip"
