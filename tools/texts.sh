#!/usr/bin/env bash
# Times the encryption of `modes` with AES on texts beside OpenSSL, both with a key that is set for each text, all in one run: TSC
# cycles a byte, the minimum and the median. Usage: tools/texts.sh [TARGETS]
set -euo pipefail
cd "$(dirname "$0")/.."
targets=${1:-ssse3+aes}
nakiri=${NAKIRI:-target/release/nakiri}
[ -x "$nakiri" ] || nakiri=target/debug/nakiri
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for folder in gcm ccm cbc xts; do
  "$nakiri" build "modes/$folder" --target "$targets" -o "$work/$folder.c"
done
for cc in ${CC:-gcc clang-19}; do
  command -v "$cc" > /dev/null || continue
  "$cc" -O3 -std=gnu11 -I"$work" tools/texts.c "$work"/*.c -lcrypto -o "$work/texts"
  echo "$("$cc" --version | head -1), targets $targets"
  "$work/texts"
done
