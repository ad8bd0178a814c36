#!/usr/bin/env bash
# Verilog, Usuba and plain C side by side, as docs/src/results.md has them: what is executed, by class, from the object code; code
# size; time on this CPU; instructions on a Cortex-M4, which qemu-arm counts. Kernels are taken in registers' form: without
# transposition, and without dispatch. Prints tables in Markdown.
#
#   tools/compare.sh [DESIGN…]
#
# NAKIRI names the command, if it is not to be built first.
set -euo pipefail
cd "$(dirname "$0")/.."
source tools/need.sh
have yosys || missing yosys yosys
have arm-linux-gnueabihf-gcc || missing arm-linux-gnueabihf-gcc gcc-arm-linux-gnueabihf
have qemu-arm || missing qemu-arm qemu-user
[ -n "${NAKIRI:-}" ] || cargo build -q --release -p nakiri-cli
nakiri=${NAKIRI:-target/release/nakiri}
work=$(mktemp -d)
trap 'rm -r "$work"' EXIT
mkdir "$work/verilog" "$work/usuba"
gcc -O1 -Wall tools/compare/steps.c -o "$work/steps"

# Designs, the ticks of a whole run, its bytes, and what there is of the same in Usuba: folder, function, slicing. A run of an
# AEAD is 8 bytes of associated data and 8 of a message.
designs=$(cat << 'DESIGNS'
present80       32  8 present:present80_encrypt:b
gift128         41 16 gift128:gift128_encrypt:b gift128_fixsliced:gift128_fixsliced_encrypt:v
ascon_p12       13 40 ascon:ascon_p12_permute:b ascon:ascon_p12_permute:v
chacha20        21 64 chacha20:chacha20_encrypt:v
ascon_aead128   33 16
gift_cofb      121 16
ace_ae128      145 16
wage_ae128    1000 16
DESIGNS
)

# untransposed FILE.c: the drivers of its kernels without transpositions, which leave what they would read or write in place.
untransposed() {
  sed -i -E 's/^( +)[a-z0-9_]+_(load|store)_[a-z0-9]+_[a-z0-9]+\(([^;]*, )?([xy][0-9]+)(, [^;]*)?\);$/\1__asm__ volatile("" : : "r"(\4) : "memory");/' "$1"
}

# function FILE.c PATTERN: the name of the static function that fits.
function_of() {
  grep -oE "^static void $2\(" "$1" | head -1 | sed -E 's/static void (.*)\(/\1/'
}

# lanes FILE.c TARGET: how many blocks its first kernel for a target, or with several words in its registers, processes at once.
lanes_of() {
  grep -oE ", $2(\+swar)? [BVH][^:]*: [0-9]+ at once" "$1" | head -1 | sed -E 's/.*: ([0-9]+) at once/\1/'
}

# built TARGET FLAGS…: compiles the subject for this CPU or for a Cortex-M4.
built() {
  local target=$1 core="-mthumb -mcpu=cortex-m4 -mfpu=fpv4-sp-d16 -mfloat-abi=hard"
  shift
  if [ "$target" != gp32 ]; then
    gcc -O2 -static -no-pie -I"$work" -Itools/compare "$@" tools/compare/main.c -o "$work/main"
    return
  fi
  # The instructions are a part of ARMv7-A's; only the objects' attributes say that they don't go together with Linux.
  arm-linux-gnueabihf-gcc -O2 $core -I"$work" -Itools/compare "$@" -S tools/compare/main.c -o "$work/main.s"
  sed -i -E '/^\s*\.(cpu|arch|arch_extension|fpu|eabi_attribute)/d' "$work/main.s"
  arm-linux-gnueabihf-gcc -march=armv7-a -mthumb -mfpu=vfpv3-d16 -mfloat-abi=hard -static "$work/main.s" -o "$work/main"
}

# row TARGET WHAT LANES TICKS BYTES FLAGS…: a row of the table. BYTES are those that TICKS runs of the subject give in a lane.
row() {
  local target=$1 what=$2 lanes=$3 ticks=$4 bytes=$5 time="– –" objdump=objdump
  shift 5
  built "$target" "$@"
  if [ "$target" = gp32 ]; then
    objdump=arm-linux-gnueabihf-objdump
    qemu-arm "$work/main" check
    qemu-arm -singlestep -d exec,nochain -D "$work/trace" "$work/main"
    grep '^Trace' "$work/trace" | cut -d/ -f2 > "$work/steps.txt"
  else
    "$work/main" check
    time=$("$work/main" time)
    "$work/steps" "$work/main" > "$work/steps.txt"
  fi
  $objdump -dw --insn-width=15 "$work/main" > "$work/code"
  awk -f tools/compare/count.awk "$work/code" "$work/steps.txt" > "$work/counts"
  # shellcheck disable=SC2086
  awk -v target="$target" -v what="$what" -v lanes="$lanes" -v ticks="$ticks" -v bytes="$bytes" -v times="$time" '{
    split(times, time, " ")
    printf "| %s | %s | %d |", what, target, lanes
    for (i = 1; i <= 10; i++) printf " %d |", $i
    printf " %d | %.0f %% | %d |", $11, 100 * ($8 + $9 + $10) / $11, $12
    whole = bytes == 0 ? "–" : sprintf(target == "gp32" ? "%.1f" : "%.2f", (target == "gp32" ? $11 : time[2]) * ticks / lanes / bytes)
    if (target != "gp32") printf " %.2f |", time[1] / lanes
    printf " %s |\n", whole
  }' "$work/counts"
}

# design TARGET NAME TICKS BYTES USUBA…: the rows of a design.
design() {
  local target=$1 name=$2 ticks=$3 bytes=$4 subject ports
  shift 4
  "$nakiri" build "tests/verilog/$name/$name.v" --reset rst --target "$target" -o "$work/verilog"
  untransposed "$work/verilog/$name.c"
  subject=$(function_of "$work/verilog/$name.c" "${name}_${target}_b1_step")
  # All ports are one buffer: nothing reads them without the transpositions.
  ports=$(grep "^static void $subject(" "$work/verilog/$name.c" | grep -oE '(const )?uint8_t \*(in|out)_' | sed -E 's/.*\*(in|out)_/\1/' | paste -sd,)
  row "$target" "$name, Verilog, a tick" "$(lanes_of "$work/verilog/$name.c" "$target")" "$ticks" "$bytes" \
    "-DSOURCE=\"verilog/$name.c\"" "-DSTEP=$subject" "-DSTATE=${name}_state" "-DPORTS=$ports"
  for usuba in "$@"; do
    IFS=: read -r folder function slicing <<< "$usuba"
    "$nakiri" build "ciphers/$folder" --target "$target:${slicing^^}" -o "$work/usuba" 2> "$work/refused" || continue
    untransposed "$work/usuba/$folder.c"
    subject=$(function_of "$work/usuba/$folder.c" "${function}_${target}(_swar)?_${slicing}[0-9]+")
    row "$target" "$folder, Usuba -${slicing^^}" "$(lanes_of "$work/usuba/$folder.c" "$target")" 1 "$bytes" \
      "-DSOURCE=\"usuba/$folder.c\"" "-DKERNEL=$subject" "-DLANES=$(lanes_of "$work/usuba/$folder.c" "$target")"
  done
  if [ "$target" != avx512 ] && [ -f "tools/compare/$name.c" ]; then
    row "$target" "$name, plain C" 1 1 "$bytes" "-DREFERENCE=\"$name.c\""
  fi
}

# table TARGET… : a table; the last columns are what is passed first.
table() {
  local last=$1
  shift
  echo "| what | target | lanes | and | or | xor | not | and-not, or-not | of three | others | moves | loads | stores | all | moved | bytes | $last |"
  echo "$last" | awk -F' [|] ' '{ for (i = 1; i <= 16 + NF; i++) printf "|---"; print "|" }'
  for target in "$@"; do
    while read -r name ticks bytes usuba; do
      # shellcheck disable=SC2086
      [[ -n "$wanted" && " $wanted " != *" $name "* ]] || design "$target" "$name" "$ticks" "$bytes" $usuba < /dev/null
    done <<< "$designs"
  done
}

wanted="$*"
grep -m 1 'model name' /proc/cpuinfo | sed 's/.*: //'
gcc --version | head -1
table 'ns a lane | cycles a byte' gp64 avx512
echo
arm-linux-gnueabihf-gcc --version | head -1
table 'instructions a byte' gp32
