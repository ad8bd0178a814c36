"""Programs: what the compiler makes of a source."""

from __future__ import annotations

import json
import os
import tempfile
import warnings
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from . import _native, compiler
from .errors import CompileWarning, Error
from .library import Library

Name = str | os.PathLike[str]


@dataclass(frozen=True)
class Kernel:
    """A function for a target in a slicing, and what one run of it executes."""

    interface: str
    function: str
    target: str
    slicing: str
    blocks: int
    instructions: int
    operations: dict[str, int]


@dataclass(frozen=True)
class Checked:
    """What is known of a program before it is built."""

    nodes: tuple[str, ...]
    """The types of its nodes, as they are written."""
    entries: dict[str, dict[str, dict[str, int]]]
    """For each entry, slicing and target that is legal, how many blocks are processed at once."""
    data: dict[str, Any]
    """All that `nakiri check --format json` prints: also why other slicings are not legal."""


class Program:
    """A library in C, and what is in it."""

    def __init__(self, data: dict[str, Any]) -> None:
        self._data = data
        self._packed: bytes | None = None

    @property
    def name(self) -> str:
        """The name of its files."""
        return str(self._data["name"])

    @property
    def title(self) -> str:
        """What it is, for people."""
        return str(self._data["title"])

    @property
    def specification(self) -> str:
        """The document that defines it."""
        return str(self._data["specification"])

    @property
    def command(self) -> str:
        """The command that makes the same."""
        return str(self._data["command"])

    @property
    def evidence(self) -> list[str]:
        """What was found right before it was written."""
        return list(self._data["evidence"])

    @property
    def c(self) -> str:
        """The text of NAME.c."""
        return str(self._data["c"])

    @property
    def h(self) -> str:
        """The text of NAME.h."""
        return str(self._data["h"])

    @property
    def interfaces(self) -> list[dict[str, Any]]:
        """What its functions take and give."""
        return list(self._data["interfaces"])

    @property
    def kernels(self) -> list[Kernel]:
        """Its functions for each target, best first."""
        return [Kernel(**own) for own in self._data["kernels"]]

    def load(self, compiler: str | None = None, flags: Sequence[str] | None = None) -> Library:
        """Has a C compiler make code of it, unless it has done so before, and loads that.

        The compiler is by default that of the environment's CC, or cc, gcc or clang; the flags are by default ``-O2``.
        """
        return Library.of(self, compiler, flags)

    def __repr__(self) -> str:
        return f"<nakiri.Program {self.name}: {self.title}>"

    def __reduce__(self) -> tuple[Any, ...]:
        if self._packed is None:
            self._packed = zlib.compress(json.dumps(self._data).encode())
        return restored, (compiler.digest([self.c, self.h]), self._packed)


_RESTORED: dict[str, Program] = {}


def restored(digest: str, packed: bytes) -> Program:
    """A program that came from another process; once for as many functions of it as come."""
    if digest not in _RESTORED:
        _RESTORED[digest] = Program(json.loads(zlib.decompress(packed)))
    return _RESTORED[digest]


def compile(
    cipher: Name | None = None,
    *,
    source: str | None = None,
    name: str = "program",
    slicing: str | None = None,
    target: str | None = None,
    entry: str | None = None,
    include: Sequence[Name] = (),
    options: Sequence[str] = (),
) -> Program:
    """Compiles a cipher by its name (see :func:`ciphers`), its folder or its file, or the text of a ``source``.

    Without a ``target`` it is for this CPU alone. For others name some, best first or not: ``"gp64,avx2,avx512"``. ``slicing`` is
    one of B, V, H and P, by default what costs least. ``entry`` is the node or mode of a file to start with. ``options`` are
    further flags of `nakiri build`. ``name`` is that of the functions in C of a ``source``.
    """
    flags = [f"-{slicing}"] if slicing else []
    flags += ["--target", target] if target else []
    with words(cipher, source, name, entry, include) as own:
        return Program(answer(lambda: _native.build_library([*own, *flags, *options], target is None), own))


def load(
    cipher: Name | None = None,
    *,
    compiler: str | None = None,
    flags: Sequence[str] | None = None,
    **asked: Any,
) -> Library:
    """:func:`compile` and :meth:`Program.load` in one."""
    return compile(cipher, **asked).load(compiler, flags)


def check(
    cipher: Name | None = None,
    *,
    source: str | None = None,
    entry: str | None = None,
    include: Sequence[Name] = (),
    options: Sequence[str] = (),
) -> Checked:
    """The types of a program's nodes, and for which slicings and targets it can be built."""
    with words(cipher, source, "program", entry, include) as own:
        data = answer(lambda: _native.check_program([*own, *options]), own)
    entries = {
        table["entry"]: {
            row["slicing"]: {
                target: cell["blocks"] for target, cell in row["targets"].items() if "blocks" in cell
            }
            for row in table["slicings"]
        }
        for table in data["entries"]
    }
    return Checked(tuple(data["nodes"]), entries, data)


def ciphers() -> list[str]:
    """The names of all ciphers and modes that the package carries."""
    return sorted(_native.carried())


@contextmanager
def words(
    cipher: Name | None, source: str | None, name: str, entry: str | None, include: Sequence[Name]
) -> Iterator[list[str]]:
    """The words of a command line that name a program; a text lies in a file meanwhile."""
    if (cipher is None) == (source is None):
        raise TypeError("give a cipher, by its name or path, or the text of a source")
    more = ["--entry", entry] if entry else []
    more += [word for folder in include for word in ("-I", os.fspath(folder))]
    if source is None:
        yield [os.fspath(cipher or ""), *more]
        return
    if not name.isidentifier() or not name.isascii():
        raise ValueError(f"`{name}` can't be the name of functions in C")
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / f"{name}.ua"
        file.write_text(source, encoding="utf-8")
        yield [str(file), *more]


def answer(ask: Callable[[], str], own: list[str]) -> dict[str, Any]:
    """What the compiler answers; what it warns of, and why it refuses, in Python's way."""
    try:
        told = json.loads(ask())
    except _native.Refused as refused:
        told = json.loads(plain(str(refused), own))
        texts = [said["text"].rstrip() for said in told["said"]] + [told["message"]]
        diagnostics = [said["diagnostic"] for said in told["said"] if "diagnostic" in said]
        raise Error("\n\n".join(text for text in texts if text), diagnostics) from None
    for said in told["said"]:
        if "diagnostic" in said or said["text"].startswith("warning:"):
            warnings.warn(plain(said["text"].rstrip(), own), CompileWarning, stacklevel=4)
    return dict(told["answer"])


def plain(text: str, own: list[str]) -> str:
    """A text in which the file of a source has no folder."""
    file = Path(own[0])
    temporary = file.is_absolute() and file.parent.parent == Path(tempfile.gettempdir())
    return text.replace(f"{file.parent}{os.sep}", "") if temporary else text
