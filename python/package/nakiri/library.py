"""Libraries: code that can be called."""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from . import compiler
from .blocks import Blocks
from .errors import CompilerError
from .interface import Interface
from .messages import Messages

if TYPE_CHECKING:
    from .program import Program

_KINDS: dict[str, type[Interface]] = {"blocks": Blocks, "messages": Messages}
_LOADED: dict[str, Library] = {}
_LOCK = threading.Lock()


class Library:
    """A compiled program. It has an attribute for each interface, by the beginning of its names in C; if there is one alone, the
    functions of that are its own, too.
    """

    def __init__(self, program: Program, code: ctypes.CDLL, asked: tuple[Any, ...]) -> None:
        self.program = program
        self._asked = asked
        own = [about for about in program.interfaces if about["kind"] in _KINDS]
        self.interfaces: dict[str, Interface] = {
            about["prefix"]: _KINDS[about["kind"]](self, about, code) for about in own
        }

    @staticmethod
    def of(program: Program, name: str | None, flags: Sequence[str] | None) -> Library:
        """That of a program: the same object for the same code."""
        files = {f"{program.name}.c": program.c, f"{program.name}.h": program.h}
        main = "nakiri_main.c"
        files[main] = f'#include "{program.name}.c"\n' + "".join(sizes(about) for about in program.interfaces)
        with _LOCK:
            path, is_new = compiler.made(program.name, files, main, name, flags)
            if str(path) not in _LOADED:
                code = compiler.loaded(path)
                if is_new:
                    try_out(program, code, path)
                expect_runs(program, code)
                _LOADED[str(path)] = Library(program, code, (name, flags))
            return _LOADED[str(path)]

    def _alone(self) -> Interface | None:
        return next(iter(self.interfaces.values())) if len(self.interfaces) == 1 else None

    def __getattr__(self, name: str) -> Any:
        interfaces = self.__dict__.get("interfaces", {})
        if name in interfaces:
            return interfaces[name]
        if len(interfaces) == 1 and not name.startswith("_"):
            return getattr(next(iter(interfaces.values())), name)
        known = ", ".join(interfaces) or "no functions on blocks or messages"
        raise AttributeError(f"there is no `{name}`; there is {known}")

    def __call__(self, *arguments: Any, **named: Any) -> Any:
        alone = self._alone()
        if not callable(alone):
            raise TypeError(f"there are several functions: {', '.join(self.interfaces)}")
        return alone(*arguments, **named)

    def __dir__(self) -> list[str]:
        alone = self._alone()
        return [*super().__dir__(), *self.interfaces, *(dir(alone) if alone else [])]

    def __repr__(self) -> str:
        return f"<nakiri.Library {self.program.name}: {', '.join(self.interfaces)}>"

    def __reduce__(self) -> tuple[Any, ...]:
        return restored, (self.program, *self._asked)


def restored(program: Program, name: str | None, flags: Sequence[str] | None) -> Library:
    """A library that came from another process."""
    return program.load(name, flags)


def sizes(about: dict[str, Any]) -> str:
    """Functions in C that give the sizes of an interface's types."""
    types = {"blocks": ["ctx"] if about.get("key") else [], "messages": ["state"] if about.get("parts") else []}
    prefix = about["prefix"]
    return "".join(
        f"size_t nakiri_{prefix}_{name}(void);\nsize_t nakiri_{prefix}_{name}(void) {{ return sizeof({prefix}_{name}); }}\n"
        for name in types.get(about["kind"], [])
    )


def try_out(program: Program, code: ctypes.CDLL, path: Any) -> None:
    """Runs the vectors of new code, which is not kept if one comes out wrong."""
    for about in program.interfaces:
        prefix = about["prefix"]
        if getattr(code, f"{prefix}_supported")() and getattr(code, f"{prefix}_self_test")() != 0:
            path.unlink(missing_ok=True)
            raise CompilerError(f"what the C compiler made of `{prefix}` computes its test vectors wrong")


def expect_runs(program: Program, code: ctypes.CDLL) -> None:
    """Refuses code of which this CPU can run no variant."""
    for about in program.interfaces:
        if not getattr(code, f"{about['prefix']}_supported")():
            have = ", ".join(sorted({kernel.target for kernel in program.kernels}))
            raise CompilerError(
                f"this CPU runs none of {have}: name a target for all, `target=\"gp64,…\"`, when it is compiled"
            )
