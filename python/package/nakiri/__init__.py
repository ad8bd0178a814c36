"""Compiles ciphers written in Usuba to constant-time sliced C, and calls what a C compiler makes of it.

>>> import nakiri
>>> aes = nakiri.load("aes128")
>>> aes.ctr(bytes(16), bytes(16), b"a text").hex()
'07828d1e8ab6'
"""

from ._native import VERSION as __version__
from .blocks import Blocks, BlockFunction, Key
from .errors import CompilerError, CompileWarning, Error, InvalidTag
from .library import Library
from .messages import Hash, Messages, Way
from .program import Checked, Kernel, Program, check, ciphers, compile, load

__all__ = [
    "Blocks",
    "BlockFunction",
    "Checked",
    "CompileWarning",
    "CompilerError",
    "Error",
    "Hash",
    "InvalidTag",
    "Kernel",
    "Key",
    "Library",
    "Messages",
    "Program",
    "Way",
    "__version__",
    "check",
    "ciphers",
    "compile",
    "load",
]
