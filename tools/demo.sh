#!/usr/bin/env bash
# Builds the compiler, compiles three ciphers for this CPU, checks them, compares with OpenSSL, prints what they cost.
set -euo pipefail
cd "$(dirname "$0")/.."
source tools/need.sh

need_compiler
cargo build --quiet -p nakiri-cli
nakiri="${CARGO_TARGET_DIR:-target}/debug/nakiri"
out=target/demo
rm -rf "$out"
mkdir -p "$out"

for cipher in rectangle aes128_bytes chacha20; do
  "$nakiri" build "ciphers/$cipher" -o "$out"
done
vectors() { grep -c "^static const uint8_t $1_vector" "$out/$2.c"; }
"$CC" -std=c11 -O3 -Wall -Wextra -Wpedantic -Werror -I "$out" -o "$out/demo" \
  -D RECTANGLE80_VECTORS="$(vectors rectangle80 rectangle)" \
  -D AES128_VECTORS="$(vectors aes128_bytes aes128_bytes)" \
  -D CHACHA20_VECTORS="$(vectors chacha20 chacha20)" \
  demo/demo.c "$out"/{rectangle,aes128_bytes,chacha20}.c
echo "Compiled by $("$CC" --version | head -n 1)."
"$out/demo"

# A file whose length is no multiple of any batch, with a counter that is about to carry.
head -c 5000011 /dev/urandom > "$out/plain"
key16=000102030405060708090a0b0c0d0e0f
key32=${key16}101112131415161718191a1b1c1d1e1f
"$out/demo" aes128 $key16 00000000000000000000fffffffffff0 "$out/plain" "$out/aes128.enc"
"$out/demo" chacha20 $key32 01000000000102030405060708090a0b "$out/plain" "$out/chacha20.enc"
if ! have openssl; then
  missing openssl openssl
  echo "Not compared with OpenSSL."
  exit 0
fi
openssl enc -aes-128-ctr -K $key16 -iv 00000000000000000000fffffffffff0 -in "$out/plain" -out "$out/aes128.ref"
openssl enc -chacha20 -K $key32 -iv 01000000000102030405060708090a0b -in "$out/plain" -out "$out/chacha20.ref"
cmp "$out/aes128.enc" "$out/aes128.ref"
cmp "$out/chacha20.enc" "$out/chacha20.ref"
echo "5,000,011 random bytes by AES-128-CTR and ChaCha20: the same as $(openssl version), byte for byte."
