#!/usr/bin/env bash
# What value barriers cost: each cipher in each slicing on gp64, where alone there are some, by gcc with them and without, side by
# side. Prints the ratios of the least and of the median times in Markdown, largest first, and the geometric means of all.
#
#   tools/barriers.sh [CIPHER…]
#
# NAKIRI names the command, if it is not to be built first.
set -euo pipefail
cd "$(dirname "$0")/.."
[ -n "${NAKIRI:-}" ] || cargo build -q --release -p nakiri-cli
nakiri=${NAKIRI:-target/release/nakiri}
work=$(mktemp -d)
trap 'rm -r "$work"' EXIT
printf '#!/bin/sh\nexec gcc -DNAKIRI_NO_BARRIER "$@"\n' > "$work/without"
chmod +x "$work/without"

[ $# -gt 0 ] || set -- all
"$nakiri" bench "$@" --target gp64 --cc "gcc,$work/without" --csv | tail -n +2 > "$work/figures"

echo "| instance | slicing | what | least | median |"
echo "|---|---|---|---|---|"
awk -F, '
  { row = "| " $2 " | " $3 " | " $13 " |" }
  row in least {
    printf "%s %.3f | %.3f |\n", row, least[row] / $15, median[row] / $16
    sums[1] += log(least[row] / $15); sums[2] += log(median[row] / $16); count++
    next
  }
  { least[row] = $15; median[row] = $16 }
  END { printf "| all | | %d pairs | %.3f | %.3f |\n", count, exp(sums[1] / count), exp(sums[2] / count) > "'"$work/mean"'" }
' "$work/figures" | sort -t'|' -k5,5nr
cat "$work/mean"
