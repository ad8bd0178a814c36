"""What Python adds to a call: AES-128-CTR of a GiB by Python, and by the same C called from C.

    python examples/bulk.py [MIB]

Prints the fastest of seven runs of each, taken in turns. Both write into memory that was touched before.
"""

import subprocess
import sys
import tempfile
import time
from pathlib import Path

import nakiri
from nakiri import compiler

ROUNDS = 7

MAIN = """
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "aes128.c"

int main(int count, char **arguments)
{
    const size_t bytes = (size_t)atol(arguments[1]) << 20;
    uint8_t *in = malloc(bytes), *out = malloc(bytes);
    static aes128_ctx context;
    const uint8_t key[16] = { 0 }, counter[16] = { 0 };
    (void)count;
    memset(in, 1, bytes);
    memset(out, 1, bytes);
    for (char line[8]; fgets(line, sizeof line, stdin);) {
        struct timespec begin, end;
        clock_gettime(CLOCK_MONOTONIC, &begin);
        aes128_expand_key(&context, key);
        aes128_ctr_xor(&context, counter, out, in, bytes);
        clock_gettime(CLOCK_MONOTONIC, &end);
        printf("%.6f\\n", (double)(end.tv_sec - begin.tv_sec) + 1e-9 * (double)(end.tv_nsec - begin.tv_nsec));
        fflush(stdout);
    }
    return 0;
}
"""


def built(program: nakiri.Program, folder: Path) -> Path:
    """The program that calls C from C, by the compiler and the flags of the Python package."""
    for name, text in ((f"{program.name}.c", program.c), (f"{program.name}.h", program.h), ("main.c", MAIN)):
        (folder / name).write_text(text)
    command = [*compiler.find(None), *compiler.FLAGS, "-std=gnu11", "-w", "-o", "main", "main.c"]
    subprocess.run(command, cwd=folder, check=True)
    return folder / "main"


def main() -> None:
    mebibytes = int(sys.argv[1]) if len(sys.argv) > 1 else 1024
    program = nakiri.compile("aes128")
    ctr = program.load().ctr
    text, out = bytearray(b"\1") * (mebibytes << 20), bytearray(b"\1") * (mebibytes << 20)
    times: dict[str, list[float]] = {"C": [], "Python": []}
    with tempfile.TemporaryDirectory() as folder:
        other = subprocess.Popen(
            [built(program, Path(folder)), str(mebibytes)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1
        )
        assert other.stdin and other.stdout
        for _ in range(ROUNDS):
            other.stdin.write("go\n")
            times["C"].append(float(other.stdout.readline()))
            begin = time.perf_counter()
            ctr(bytes(16), bytes(16), text, out=out)
            times["Python"].append(time.perf_counter() - begin)
        other.stdin.close()
        other.wait()
    for name, own in times.items():
        print(f"{name:6} {min(own):.4f} s, {mebibytes / 1024 / min(own):.2f} GiB/s")
    print(f"Python / C: {min(times['Python']) / min(times['C']):.3f}")


if __name__ == "__main__":
    main()
