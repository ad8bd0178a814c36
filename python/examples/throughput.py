"""Draws how fast ciphers encrypt messages of many sizes, one after another and cut up for threads: throughput.svg.

    pip install nakiri matplotlib
    python examples/throughput.py [CIPHER…]
"""

import os
import sys
import time
from collections.abc import Callable
from concurrent.futures import Executor, ThreadPoolExecutor

import nakiri

SIZES = [1 << exponent for exponent in range(6, 27, 2)]
SECONDS = 0.05


def gigabytes_a_second(call: Callable[[], object], size: int) -> float:
    """The best of some runs, each of at least a few calls."""
    best, end = 0.0, time.perf_counter() + 4 * SECONDS
    while time.perf_counter() < end or best == 0.0:
        calls, begin = 0, time.perf_counter()
        while calls == 0 or time.perf_counter() - begin < SECONDS / 4:
            call()
            calls += 1
        best = max(best, calls * size / (time.perf_counter() - begin) / 1e9)
    return best


def curve(cipher: nakiri.Blocks, executor: Executor | None) -> list[float]:
    """The throughput for each size, key expanded, in place."""
    context, counter = cipher.key(bytes(cipher.key_bytes or 0)), bytes(cipher.ctr.counter_bytes)
    texts = [bytearray(size) for size in SIZES]
    call = cipher.ctr
    return [
        gigabytes_a_second(lambda: call(context, counter, text, out=text, executor=executor, chunk=1 << 18), len(text))
        for text in texts
    ]


def main() -> None:
    import matplotlib

    matplotlib.use("svg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(8, 5))
    with ThreadPoolExecutor(os.cpu_count()) as threads:
        for name in sys.argv[1:] or ["aes128", "chacha20", "rectangle"]:
            cipher = next(iter(nakiri.load(name).interfaces.values()))
            assert isinstance(cipher, nakiri.Blocks)
            (alone,) = axes.plot(SIZES, curve(cipher, None), label=f"{name}, {cipher.variant}")
            axes.plot(SIZES, curve(cipher, threads), "--", color=alone.get_color(), label=f"{name}, {os.cpu_count()} threads")
    axes.set(xscale="log", xlabel="bytes of a message", ylabel="GB/s", title="CTR from Python")
    axes.legend()
    figure.savefig("throughput.svg")
    print("throughput.svg")


if __name__ == "__main__":
    main()
