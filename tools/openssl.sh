#!/usr/bin/env bash
# Times modes beside OpenSSL, all in one run: TSC cycles a byte, the minimum and the median.
#   tools/openssl.sh messages [TARGETS]  hash functions, one message and 64 at once
#   tools/openssl.sh texts [TARGETS]     encryption, with a key that is set for each text; ChaCha20-Poly1305 on the widest registers and gp64
set -euo pipefail
cd "$(dirname "$0")/.."

flags=$(grep -m1 '^flags' /proc/cpuinfo || true)
has() { grep -qw "$1" <<< "$flags"; }

# The widest registers that this CPU has, with AES' instructions if $1 says so.
widest() {
  if has avx512_vbmi2 && has gfni && has vaes; then
    [ "$1" = aes ] && echo avx512+gfni+vaes, || echo avx512,
  elif [ "$1" = aes ]; then
    ! has vaes || echo avx2+vaes,
  elif has avx2; then
    echo avx2,
  fi
}

what=${1:-}
case $what in
  messages) folders="sha1 sha2 sha3 sm3" targets=${2:-gp64,ssse3+sha,avx2} ;;
  texts) folders="gcm ocb ccm chacha20_poly1305 cbc xts" targets=${2:-$(widest aes)ssse3+aes} ;;
  *) sed -n '2,4s/^# //p' "$0"; exit 1 ;;
esac
nakiri=${NAKIRI:-target/release/nakiri}
[ -x "$nakiri" ] || nakiri=target/debug/nakiri
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for folder in $folders; do
  case $folder in
    chacha20_poly1305) own=$(widest none)gp64 ;;
    *) own=$targets ;;
  esac
  "$nakiri" build "modes/$folder" --target "$own" -o "$work/$folder.c"
done
for cc in ${CC:-gcc clang-19}; do
  command -v "$cc" > /dev/null || continue
  "$cc" -O3 -std=gnu11 -I"$work" "tools/$what.c" "$work"/*.c -lcrypto -o "$work/program"
  echo "$("$cc" --version | head -1), targets $targets"
  "$work/program"
done
