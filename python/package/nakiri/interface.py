"""What interfaces of all kinds have in common."""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .library import Library


class Interface:
    """Functions of one cipher or mode. Which of its variants runs is chosen for the whole process."""

    def __init__(self, library: Library, about: dict[str, Any], code: ctypes.CDLL) -> None:
        self.library = library
        self.about = about
        self.prefix: str = about["prefix"]
        self._code = code

    def _function(self, name: str, result: Any, *arguments: Any) -> Any:
        """A function in C. It is called without holding the interpreter."""
        function = self._code[f"{self.prefix}{name}"]
        function.restype, function.argtypes = result, arguments
        return function

    def _size_of(self, kind: str) -> int:
        size = self._code[f"nakiri_{self.prefix}_{kind}"]
        size.restype, size.argtypes = ctypes.c_size_t, ()
        return int(size())

    @property
    def variant(self) -> str:
        """The target and slicing that run."""
        return str(self._function("_variant", ctypes.c_char_p)().decode())

    @property
    def variants(self) -> list[str]:
        """The names of all, best first."""
        names, count = self._function("_variants", ctypes.POINTER(ctypes.c_char_p))(), 0
        while names[count] is not None:
            count += 1
        return [names[k].decode() for k in range(count)]

    def use_variant(self, name: str | None) -> None:
        """Takes another variant than the best in all threads, by its name or target; None takes the best again."""
        if self._function("_use_variant", ctypes.c_int, ctypes.c_char_p)(name.encode() if name else None) != 0:
            raise ValueError(f"`{name}` is no variant that runs here; there is {', '.join(self.variants)}")

    def self_test(self) -> None:
        """Runs all test vectors in every variant that this CPU can run."""
        wrong = self._function("_self_test", ctypes.c_int)()
        if wrong != 0:
            raise AssertionError(f"test {wrong} of `{self.prefix}` comes out wrong")

    def __repr__(self) -> str:
        return f"<nakiri.{type(self).__name__} {self.prefix}>"

    def __reduce__(self) -> tuple[Any, ...]:
        return interface, (self.library, self.prefix)


def interface(library: Library, prefix: str) -> Interface:
    """An interface that came from another process."""
    return library.interfaces[prefix]
