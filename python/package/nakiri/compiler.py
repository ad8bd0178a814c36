"""The C compiler, and what it has made: shared objects, kept in the user's cache under the digest of all that they are made of."""

from __future__ import annotations

import ctypes
import functools
import hashlib
import os
import platform
import shlex
import shutil
import stat
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from . import _native
from .errors import CompilerError

# Those that are looked for, after that which the environment names.
COMPILERS = ("cc", "gcc", "clang")

# What a library is compiled with unless something else is asked for.
FLAGS = ("-O2",)

ALWAYS = ("-std=c11", "-w", "-shared") + (() if sys.platform == "win32" else ("-fPIC",))


def find(name: str | None) -> tuple[str, ...]:
    """A compiler's path, and what is always told it: the one that is named, that of the environment's CC, or what there is."""
    asked = name or os.environ.get("CC")
    for candidate in (asked,) if asked else COMPILERS:
        program, *more = shlex.split(candidate) or [""]
        path = shutil.which(program)
        if path is not None:
            return path, *more
    wanted = f"`{asked}` is not there" if asked else "neither gcc nor clang is there"
    raise CompilerError(f"{wanted}: a C compiler makes the code that is called; install one, or name it by `compiler` or CC")


@functools.cache
def identity(command: tuple[str, ...]) -> str:
    """What tells a compiler from others."""
    said = subprocess.run([*command, "--version"], capture_output=True, text=True, errors="replace", check=False)
    return "\n".join([os.path.realpath(command[0]), *command[1:], said.stdout])


def digest(texts: Sequence[str]) -> str:
    """That of some texts."""
    joined = "\0".join(texts).encode()
    return hashlib.sha256(joined).hexdigest()


def folder() -> Path:
    """The folder of shared objects. Whoever can write it can have code run, so it must be the user's alone."""
    cache = _native.cache_folder()
    if cache is None:
        raise CompilerError("there is no folder for caches: set NAKIRI_CACHE, XDG_CACHE_HOME or HOME")
    path = Path(cache) / "python"
    path.mkdir(mode=0o700, parents=True, exist_ok=True)
    if sys.platform != "win32":
        found = path.stat()
        if found.st_uid != os.getuid() or found.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
            raise CompilerError(f"others can write `{path}`, from which code is loaded: `chmod go-w` it, or set NAKIRI_CACHE")
    return path


def made(name: str, files: dict[str, str], main: str, compiler: str | None, flags: Sequence[str] | None) -> tuple[Path, bool]:
    """The shared object of some files, of which `main` includes the rest; and whether it was compiled just now."""
    program, options = find(compiler), tuple(FLAGS if flags is None else flags) + ALWAYS
    parts = [platform.machine(), identity(program), *options, *(text for pair in sorted(files.items()) for text in pair)]
    kept = folder() / f"{name}-{digest(parts)[:32]}{'.dll' if sys.platform == 'win32' else '.so'}"
    if kept.exists():
        return kept, False
    with tempfile.TemporaryDirectory(prefix=".", dir=folder()) as work:
        for file, text in files.items():
            (Path(work) / file).write_text(text, encoding="utf-8")
        command = [*program, *options, "-o", "made", main]
        said = subprocess.run(command, cwd=work, capture_output=True, text=True, errors="replace", check=False)
        if said.returncode != 0:
            raise CompilerError(f"`{' '.join(command)}` failed:\n{said.stderr.strip()}")
        os.replace(Path(work) / "made", kept)
    return kept, True


def loaded(path: Path) -> ctypes.CDLL:
    """A shared object in this process."""
    try:
        return ctypes.CDLL(str(path))
    except OSError as error:
        raise CompilerError(f"what the C compiler made can't be loaded: {error}") from error
