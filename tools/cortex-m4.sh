#!/usr/bin/env bash
# Code size and instruction counts of some ciphers on a Cortex-M4, as docs/src/results.md has them: gcc's code for this core, run by
# qemu-arm, which counts instructions, not cycles. What is counted is one call more against one call less. NAKIRI names the
# command, if it is not to be built first.
set -euo pipefail
cd "$(dirname "$0")/.."
source tools/need.sh
have arm-linux-gnueabihf-gcc || missing arm-linux-gnueabihf-gcc gcc-arm-linux-gnueabihf
have qemu-arm || missing qemu-arm qemu-user
[ -n "${NAKIRI:-}" ] || cargo build -q --release -p nakiri-cli
nakiri=${NAKIRI:-target/release/nakiri}
work=$(mktemp -d)
trap 'rm -r "$work"' EXIT
core="-mthumb -mcpu=cortex-m4 -mfpu=fpv4-sp-d16 -mfloat-abi=hard"

# count FOLDER SLICING LEVEL BLOCKS BYTES CALL KEY: prints instructions a call and a byte, and the bytes of what is called.
count() {
  local folder=$1 slicing=$2 level=$3 blocks=$4 bytes=$5 call=$6 key=$7 before=0 after=0 trace="$work/trace"
  "$nakiri" build "ciphers/$folder" --target "gp32:$slicing" -o "$work"
  arm-linux-gnueabihf-gcc "$level" $core -S "$work/$folder.c" -o "$work/m4.s"
  # The instructions are a part of ARMv7-A's; only the objects' attributes say that they don't go together with Linux.
  sed -i -E '/^\s*\.(cpu|arch|arch_extension|fpu|eabi_attribute)/d' "$work/m4.s"
  arm-linux-gnueabihf-gcc -march=armv7-a -mthumb -mfpu=vfpv3-d16 -mfloat-abi=hard -c "$work/m4.s" -o "$work/m4.o"
  cat > "$work/main.c" << MAIN
#include "$folder.h"
static uint8_t buffer[4096], key[16];
int main(int count, char **arguments)
{
    (void)arguments, (void)key;
    $key
    for (int i = 1; i < count; i++)
        $call;
    return 0;
}
MAIN
  arm-linux-gnueabihf-gcc -O1 -mthumb -static "$work/main.c" "$work/m4.o" -o "$work/main"
  # The first call also asks what the CPU can do.
  qemu-arm -singlestep -d exec,nochain -D "$trace" "$work/main" 1
  before=$(grep -c '^Trace' "$trace")
  qemu-arm -singlestep -d exec,nochain -D "$trace" "$work/main" 1 2
  after=$(grep -c '^Trace' "$trace")
  echo "$folder -$slicing $level: $((after - before)) instructions for $blocks × $bytes bytes"
  arm-linux-gnueabihf-nm --size-sort -r -S "$work/m4.o" | grep -i ' t ' | head -4 | while read -r _ size _ name; do
    echo "    $((16#$size)) bytes $name"
  done
}

count ascon V -O2 1 40 'ascon_p12_permute_blocks(buffer, buffer, 1)' ''
count ace V -O2 1 40 'ace_permute_blocks(buffer, buffer, 1)' ''
count gift128_fixsliced V -O2 1 16 'gift128_fixsliced_encrypt_blocks(&ctx, buffer, buffer, 1)' \
  'static gift128_fixsliced_ctx ctx; gift128_fixsliced_expand_key(&ctx, key);'
count aes128 B -O1 32 16 'aes128_encrypt_blocks(&ctx, buffer, buffer, 32)' \
  'static aes128_ctx ctx; aes128_expand_key(&ctx, key);'
