#!/usr/bin/env bash
# What the tests use beside cargo: two C compilers, cross compilers and emulators, a browser, and libraries to compare with.
set -euo pipefail
cd "$(dirname "$0")/.."
source tools/need.sh

have cargo || { echo "Missing: cargo. See https://rustup.rs" >&2; exit 1; }
have gcc || missing gcc gcc || exit 1
have c++ || missing c++ g++ || exit 1

# A program, header or file; the Debian package that has it; what is left out without it. Other libraries that `nakiri bench --against`
# knows (libbotan-2-dev, libcrypto++-dev) are compared where they are.
tools() {
  cat << TOOLS
clang-14 clang-14 What older compilers make of emitted code is not checked.
valgrind/memcheck.h valgrind Nothing is run on undefined data.
aarch64-linux-gnu-gcc gcc-aarch64-linux-gnu AArch64 is not run.
arm-linux-gnueabihf-gcc gcc-arm-linux-gnueabihf Arm is not run.
i686-linux-gnu-gcc gcc-i686-linux-gnu i386 is not run.
powerpc64-linux-gnu-gcc gcc-powerpc64-linux-gnu Power is not run.
powerpc64le-linux-gnu-gcc gcc-powerpc64le-linux-gnu Power is not run.
riscv64-linux-gnu-gcc gcc-riscv64-linux-gnu RISC-V is not run.
s390x-linux-gnu-gcc gcc-s390x-linux-gnu s390x is not run.
ld.lld-19 lld-19 WebAssembly is not run.
/usr/lib/llvm-19/lib/clang/19/lib/wasi/libclang_rt.builtins-wasm32.a libclang-rt-19-dev-wasm32 WebAssembly is not run.
/usr/include/wasm32-wasi/stdio.h wasi-libc WebAssembly is not run.
node nodejs WebAssembly is not run.
qemu-aarch64 qemu-user AArch64 is not run.
qemu-arm qemu-user Arm is not run.
qemu-ppc64 qemu-user Power is not run.
qemu-ppc64le qemu-user Power is not run.
qemu-riscv64 qemu-user RISC-V is not run.
qemu-s390x qemu-user s390x is not run.
yosys yosys The tests go on without Verilog.
verilator verilator Designs in Verilog are not simulated by Verilator.
iverilog iverilog Designs in Verilog are not simulated.
cmake cmake Libraries are not built by CMake.
pkg-config pkg-config Libraries are not installed.
openssl openssl The demonstration goes on without comparing.
chromium chromium The tests don't look at reports in a browser.
openssl/provider.h libssl-dev Emitted code is not compared with OpenSSL.
gcrypt.h libgcrypt20-dev Emitted code is not compared with libgcrypt.
nettle/nettle-meta.h nettle-dev Emitted code is not compared with Nettle.
sodium.h libsodium-dev Emitted code is not compared with libsodium.
TOOLS
  # Any version of these will do.
  have clang || echo "clang-19 clang-19 The tests go on with gcc alone."
  have llvm-objdump || echo "llvm-objdump-19 llvm-19 Object code is checked for x86 alone."
}

lacking=()
while read -r program package _; do
  have "$program" || lacking+=("$package")
done < <(tools)
install_packages "${lacking[@]}"
while read -r program package without; do
  have "$program" || missing "$program" "$package" || echo "$without" >&2
done < <(tools)

for target in aarch64-unknown-linux-gnu s390x-unknown-linux-gnu powerpc64-unknown-linux-gnu wasm32-unknown-unknown; do
  [ -d "$(rustc --print target-libdir --target "$target")" ] ||
    { have rustup && rustup target add "$target" > /dev/null 2>&1; } ||
    echo "Nothing in Rust is compiled for $target." >&2
done
