#!/usr/bin/env bash
# Builds Nakiri, compiles three ciphers for this CPU, runs their published vectors, encrypts a real file and compares with
# OpenSSL, and measures.
set -euo pipefail
cd "$(dirname "$0")/.."

work=${DEMO_DIR:-target/demo}
mebibytes=8
mkdir -p "$work"
cargo build --release --quiet -p nakiri-cli
nakiri=target/release/nakiri
cc=${CC:-}
if [ -z "$cc" ]; then
    cc=$(command -v clang-19 || command -v clang || command -v gcc || command -v cc) || {
        echo "no C compiler found: install gcc or clang-19" >&2
        exit 1
    }
fi

for cipher in rectangle aes128 chacha20; do
    "$nakiri" build "ciphers/$cipher" -o "$work"
    "$cc" -std=c11 -O3 -Wall -Wextra -Wpedantic -Werror -c "$work/$cipher.c" -o "$work/$cipher.o"
done
"$cc" -std=gnu11 -O2 -Wall -Wextra -Werror -I "$work" demo/demo.c \
    "$work/rectangle.o" "$work/aes128.o" "$work/chacha20.o" -o "$work/demo"

vectors() { grep -c -E '^\[\[(block|ctr)\]\]' "ciphers/$1/vectors.toml"; }
vectors_of() {
    grep -A1 -E '^\[\[(block|ctr)\]\]' "ciphers/$1/vectors.toml" | grep -c "\"$2\""
}

echo "Nakiri $("$nakiri" --version | cut -d' ' -f2), $("$cc" --version | head -n 1)"
echo
"$work/demo" table "$(vectors_of rectangle rectangle80)" "$(vectors_of rectangle rectangle128)" \
    "$(vectors aes128)" "$(vectors chacha20)"
echo

# A real file: this repository's own text, and random bytes behind it.
plain=$work/plain
{ cat crates/*/src/*.rs; head -c $((mebibytes * 1024 * 1024)) /dev/urandom; } >"$plain"
key=000102030405060708090a0b0c0d0e0f
key256=${key}101112131415161718191a1b1c1d1e1f
counter=f0f1f2f3f4f5f6f7f8f9fafbfffffffe
nonce=010000000000000000000000000000ff
"$work/demo" aes128-ctr "$key" "$counter" "$plain" "$work/aes128-ctr.bin"
"$work/demo" chacha20 "$key256" "$nonce" "$plain" "$work/chacha20.bin"
size=$(stat -c %s "$plain")
if ! command -v openssl >/dev/null 2>&1; then
    echo "openssl is not installed: the encrypted files of $size bytes were not compared"
    [ "${CI:-}" != true ]
    exit
fi
openssl enc -aes-128-ctr -K "$key" -iv "$counter" -in "$plain" -out "$work/aes128-ctr.openssl"
openssl enc -chacha20 -K "$key256" -iv "$nonce" -in "$plain" -out "$work/chacha20.openssl"
for mode in aes128-ctr chacha20; do
    cmp "$work/$mode.bin" "$work/$mode.openssl"
    echo "$mode: $size bytes, the same as openssl enc -${mode/aes128/aes-128}"
done
