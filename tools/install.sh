#!/usr/bin/env bash
# What the tests use beside cargo: two C compilers, cross compilers and emulators, a browser, and libraries to compare with.
set -euo pipefail
cd "$(dirname "$0")/.."
source tools/need.sh

have cargo || { echo "Missing: cargo. See https://rustup.rs" >&2; exit 1; }
have gcc || missing gcc gcc || exit 1
have c++ || missing c++ g++ || exit 1
have clang-19 || have clang || missing clang-19 clang-19 || echo "The tests go on with gcc alone." >&2
have clang-14 || missing clang-14 clang-14 || echo "What older compilers make of emitted code is not checked." >&2
have llvm-objdump-19 || have llvm-objdump || missing llvm-objdump-19 llvm-19 || echo "Object code is checked for x86 alone." >&2
have valgrind/memcheck.h || missing valgrind/memcheck.h valgrind || echo "Nothing is run on undefined data." >&2
while read -r program package; do
  have "$program" || missing "$program" "$package" || echo "Targets that need $program are not run." >&2
done << TOOLS
aarch64-linux-gnu-gcc gcc-aarch64-linux-gnu
arm-linux-gnueabihf-gcc gcc-arm-linux-gnueabihf
i686-linux-gnu-gcc gcc-i686-linux-gnu
powerpc64-linux-gnu-gcc gcc-powerpc64-linux-gnu
powerpc64le-linux-gnu-gcc gcc-powerpc64le-linux-gnu
riscv64-linux-gnu-gcc gcc-riscv64-linux-gnu
s390x-linux-gnu-gcc gcc-s390x-linux-gnu
ld.lld-19 lld-19
/usr/lib/llvm-19/lib/clang/19/lib/wasi/libclang_rt.builtins-wasm32.a libclang-rt-19-dev-wasm32
/usr/include/wasm32-wasi/stdio.h wasi-libc
node nodejs
qemu-aarch64 qemu-user
qemu-arm qemu-user
qemu-ppc64 qemu-user
qemu-ppc64le qemu-user
qemu-riscv64 qemu-user
qemu-s390x qemu-user
TOOLS
for target in aarch64-unknown-linux-gnu s390x-unknown-linux-gnu powerpc64-unknown-linux-gnu wasm32-unknown-unknown; do
  [ -d "$(rustc --print target-libdir --target "$target")" ] ||
    { have rustup && rustup target add "$target" > /dev/null 2>&1; } ||
    echo "Nothing in Rust is compiled for $target." >&2
done
have yosys || missing yosys yosys || echo "The tests go on without Verilog." >&2
have verilator || missing verilator verilator || echo "Designs in Verilog are not simulated by Verilator." >&2
have iverilog || missing iverilog iverilog || echo "Designs in Verilog are not simulated." >&2
have cmake || missing cmake cmake || echo "Libraries are not built by CMake." >&2
have pkg-config || missing pkg-config pkg-config || echo "Libraries are not installed." >&2
have openssl || missing openssl openssl || echo "The demonstration goes on without comparing." >&2

have chromium || missing chromium chromium || echo "The tests don't look at reports in a browser." >&2

# The others that `nakiri bench --against` knows (libbotan-2-dev, libcrypto++-dev) are compared where they are.
while read -r header package; do
  have "$header" || missing "$header" "$package" || echo "Emitted code is not compared with that of $package." >&2
done << LIBRARIES
openssl/provider.h libssl-dev
gcrypt.h libgcrypt20-dev
nettle/nettle-meta.h nettle-dev
sodium.h libsodium-dev
LIBRARIES
