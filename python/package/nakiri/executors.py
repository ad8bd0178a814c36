"""Work cut into parts for executors: threads share the memory, all others get copies of their parts."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future, ThreadPoolExecutor, wait
from typing import Any

# The bytes of a part: enough for what starting it costs, and few enough for many cores.
CHUNK = 1 << 22

# The messages of a part.
GROUP = 256

# How many parts are on their way to other processes at once.
WINDOW = 64


def spread(
    executor: Executor | None,
    total: int,
    step: int,
    here: Callable[[int, int], Any],
    task: Callable[[int, int], tuple[Any, ...]],
    store: Callable[[int, int, Any], None],
) -> None:
    """Does parts of so many steps: `here` in this memory, or `task`, a function with arguments, wherever the executor does it.

    What a task gives is stored. It ends when nothing is on its way any more, also if something went wrong.
    """
    if executor is None or total == 0:
        here(0, total)
    elif isinstance(executor, ThreadPoolExecutor):
        together(executor, here, parts(total, step))
    else:
        pending: deque[tuple[int, int, Future[Any]]] = deque()
        try:
            for start, count in parts(total, step):
                if len(pending) == WINDOW:
                    begin, size, future = pending.popleft()
                    store(begin, size, future.result())
                pending.append((start, count, executor.submit(*task(start, count))))
            while pending:
                begin, size, future = pending.popleft()
                store(begin, size, future.result())
        finally:
            for _, _, future in pending:
                future.cancel()


def parts(total: int, step: int) -> Iterator[tuple[int, int]]:
    """Where parts begin, and how long they are."""
    for start in range(0, total, step):
        yield start, min(step, total - start)


def together(executor: Executor, does: Callable[[int, int], Any], all_parts: Iterator[tuple[int, int]]) -> None:
    """Does all parts, waits for those that were begun, since they use memory of the caller's, and raises what the first has raised."""
    futures: list[Future[Any]] = []
    try:
        for start, count in all_parts:
            futures.append(executor.submit(does, start, count))
    finally:
        wait(futures)
    for future in futures:
        future.result()
