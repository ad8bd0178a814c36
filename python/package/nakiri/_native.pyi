"""The compiler, and the addresses of buffers."""

from typing import final

from typing_extensions import Buffer as Bytes

VERSION: str

class Refused(Exception):
    """What was asked can't be had; its argument is JSON."""

@final
class Buffer:
    """The memory of an object, which stays where it is as long as this lives."""

    def __new__(cls, object: Bytes, writable: bool) -> Buffer: ...
    @property
    def address(self) -> int:
        """Where it begins."""
    def __len__(self) -> int:
        """Its size in bytes."""

def build_library(words: list[str], here: bool) -> str:
    """What words behind `nakiri build` ask for, as JSON."""

def check_program(words: list[str]) -> str:
    """What words behind `nakiri check` ask for, as JSON."""

def carried() -> list[str]:
    """The names of all that the package carries."""

def cache_folder() -> str | None:
    """The folder of the user's cache, if there is one."""

def new_bytes(count: int) -> tuple[bytes, Buffer]:
    """New bytes, which hold anything, and their memory: to be written before anyone else sees them."""
