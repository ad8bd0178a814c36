#!/usr/bin/env bash
# Times hash functions of `modes` on messages, alone and 64 at once, beside OpenSSL, all in one run: TSC cycles a byte, the minimum
# and the median. Usage: tools/messages.sh [TARGETS]
set -euo pipefail
cd "$(dirname "$0")/.."
targets=${1:-gp64,ssse3+sha,avx2}
nakiri=${NAKIRI:-target/release/nakiri}
[ -x "$nakiri" ] || nakiri=target/debug/nakiri
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for folder in sha1 sha2 sha3 sm3; do
  "$nakiri" build "modes/$folder" --target "$targets" -o "$work/$folder.c"
done
for cc in ${CC:-gcc clang-19}; do
  command -v "$cc" > /dev/null || continue
  "$cc" -O3 -std=gnu11 -I"$work" tools/messages.c "$work"/*.c -lcrypto -o "$work/messages"
  echo "$("$cc" --version | head -1), targets $targets"
  "$work/messages"
done
