#!/usr/bin/env bash
# Times modes beside OpenSSL, all in one run: TSC cycles a byte, the minimum and the median.
#   tools/openssl.sh messages [TARGETS]  hash functions, one message and 64 at once
#   tools/openssl.sh texts [TARGETS]     encryption with AES, with a key that is set for each text
set -euo pipefail
cd "$(dirname "$0")/.."

# The widest registers with AES' instructions that this CPU has, beside those of one block.
widest() {
  flags=$(grep -m1 '^flags' /proc/cpuinfo || true)
  has() { grep -qw "$1" <<< "$flags"; }
  if has avx512_vbmi2 && has gfni && has vaes; then
    echo avx512+gfni+vaes,
  elif has vaes; then
    echo avx2+vaes,
  fi
}

what=${1:-}
case $what in
  messages) folders="sha1 sha2 sha3 sm3" targets=${2:-gp64,ssse3+sha,avx2} ;;
  texts) folders="gcm ocb ccm cbc xts" targets=${2:-$(widest)ssse3+aes} ;;
  *) sed -n '2,4s/^# //p' "$0"; exit 1 ;;
esac
nakiri=${NAKIRI:-target/release/nakiri}
[ -x "$nakiri" ] || nakiri=target/debug/nakiri
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for folder in $folders; do
  "$nakiri" build "modes/$folder" --target "$targets" -o "$work/$folder.c"
done
for cc in ${CC:-gcc clang-19}; do
  command -v "$cc" > /dev/null || continue
  "$cc" -O3 -std=gnu11 -I"$work" "tools/$what.c" "$work"/*.c -lcrypto -o "$work/program"
  echo "$("$cc" --version | head -1), targets $targets"
  "$work/program"
done
