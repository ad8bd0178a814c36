"""Memory of what is given and of what is made: no byte is copied here."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from . import _native


class Region:
    """Bytes somewhere, which stay there as long as this lives."""

    def __init__(self, buffer: _native.Buffer) -> None:
        self.buffer = buffer
        self.address = buffer.address
        self.size = len(buffer)


def reading(data: Any, name: str, size: int | None = None) -> Region:
    """The memory of an argument, of this size if one is given."""
    try:
        region = Region(_native.Buffer(data, False))
    except TypeError:
        kind = type(data).__name__
        raise TypeError(f"{name} must be bytes, or another object with the buffer protocol, not {kind}") from None
    expect_size(region.size, name, size)
    return region


def writing(out: Any, name: str, size: int) -> tuple[Any, Region]:
    """What a result is written to, and its memory: a given object, or new bytes."""
    if out is None:
        made, buffer = _native.new_bytes(size)
        return made, Region(buffer)
    region = Region(_native.Buffer(out, True))
    expect_size(region.size, name, size)
    return out, region


def expect_size(have: int, name: str, size: int | None) -> None:
    """Refuses another size than that which is needed."""
    if size is not None and have != size:
        raise ValueError(f"{name} must have {size} bytes, not {have}")


def expect_apart(written: Region, read: Iterable[Region], same: Region | None = None) -> None:
    """Refuses memory that is written while it is read; `same` may begin where what is written does."""
    for other in read:
        if other is same and other.address == written.address:
            continue
        if written.address < other.address + other.size and other.address < written.address + written.size:
            raise ValueError("the output overlaps an input; it may only be the text itself")
