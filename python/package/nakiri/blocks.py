"""Ciphers and permutations: functions on blocks, and the key stream of a counter."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from concurrent.futures import Executor
from typing import Any, Literal

from .executors import CHUNK, spread
from .interface import Interface
from .memory import Region, expect_apart, reading, writing

# Expanded keys begin where the widest registers may be loaded from.
ALIGNMENT = 64

WORD, SIZE, STATUS = ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int


class Key:
    """An expanded key. It is erased when it is no longer used; the bytes that it was made of are Python's and can't be."""

    def __init__(self, cipher: Blocks, key: Any) -> None:
        given = reading(key, "key", cipher.key_bytes)
        self.cipher = cipher
        self._bytes = ctypes.string_at(given.address, given.size)
        self._memory = ctypes.create_string_buffer(cipher.context_bytes + ALIGNMENT)
        self.address = -(-ctypes.addressof(self._memory) // ALIGNMENT) * ALIGNMENT
        cipher.expand_key(self.address, given.address)

    def __del__(self) -> None:
        if hasattr(self, "address"):
            self.cipher.wipe(self.address)

    def __repr__(self) -> str:
        return f"<nakiri.Key of {self.cipher.prefix}>"

    def __reduce__(self) -> tuple[Any, ...]:
        return Key, (self.cipher, self._bytes)


class Blocks(Interface):
    """A cipher, a permutation, or another function on blocks of fixed size.

    Its functions have the names of the library: ``encrypt``, ``decrypt`` or ``permute`` on any number of blocks, ``ecb_encrypt`` and
    ``ecb_decrypt`` where the cipher has ECB, ``ctr`` where it has a counter. With a key they take that first, as bytes or as a
    :class:`Key`, which is expanded once.
    """

    def __init__(self, library: Any, about: dict[str, Any], code: ctypes.CDLL) -> None:
        super().__init__(library, about, code)
        self.key_bytes: int | None = about["key"]
        if self.key_bytes is not None:
            self.context_bytes = self._size_of("ctx")
            self.expand_key = self._function("_expand_key", None, WORD, WORD)
            self.wipe = self._function("_wipe", None, WORD)
        self.functions: dict[str, BlockFunction | Ecb | Ctr] = {}
        for own in about["functions"]:
            self.functions[own["name"]] = BlockFunction(self, own)
            if about["ecb"] and own["name"] in ("encrypt", "decrypt"):
                self.functions[f"ecb_{own['name']}"] = Ecb(self, own)
        if about["counter"] is not None:
            self.functions["ctr"] = Ctr(self, about)

    def __call__(self, *arguments: Any, **named: Any) -> Any:
        """Its function, if it has one alone."""
        if len(self.functions) != 1:
            raise TypeError(f"`{self.prefix}` has several functions: {', '.join(self.functions)}")
        return next(iter(self.functions.values()))(*arguments, **named)

    def key(self, key: Any) -> Key:
        """Expands a key, for many calls."""
        if self.key_bytes is None:
            raise TypeError(f"`{self.prefix}` has no key")
        return Key(self, key)

    def contexts(self) -> list[Any]:
        """The type of a context in C, if there is a key."""
        return [] if self.key_bytes is None else [WORD]

    def expanded(self, arguments: Sequence[Any]) -> tuple[Key | None, Sequence[Any]]:
        """The key that comes first, if there is one, and the arguments behind it."""
        if self.key_bytes is None:
            return None, arguments
        if not arguments:
            raise TypeError("the key is missing")
        key = arguments[0]
        if not isinstance(key, Key):
            key = Key(self, key)
        elif key.cipher.prefix != self.prefix or key.cipher.library is not self.library:
            raise ValueError(f"the key is one of {key.cipher!r}")
        return key, arguments[1:]

    def __getattr__(self, name: str) -> Any:
        functions = self.__dict__.get("functions", {})
        if name in functions:
            return functions[name]
        raise AttributeError(f"`{self.__dict__.get('prefix')}` has no `{name}`; it has {', '.join(functions)}")

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self.functions]


class Function:
    """A function of an interface, which other processes find by its name."""

    def __init__(self, interface: Blocks, name: str) -> None:
        self.interface = interface
        self.__name__ = name

    def __repr__(self) -> str:
        return f"<nakiri function {self.interface.prefix}.{self.__name__}>"

    def __reduce__(self) -> tuple[Any, ...]:
        return getattr, (self.interface, self.__name__)


class BlockFunction(Function):
    """A function from blocks to blocks: one argument for each parameter, any number of blocks in each."""

    def __init__(self, interface: Blocks, about: dict[str, Any]) -> None:
        super().__init__(interface, about["name"])
        self._inputs: list[tuple[str, int]] = [(port["name"], port["bytes"]) for port in about["inputs"]]
        self._outputs: list[tuple[str, int]] = [(port["name"], port["bytes"]) for port in about["outputs"]]
        pointers = [WORD] * (len(self._inputs) + len(self._outputs))
        self._call = interface._function(f"_{about['name']}_blocks", None, *interface.contexts(), *pointers, SIZE)

    @property
    def block_bytes(self) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """The sizes of the blocks of its parameters and of its results."""
        return tuple(size for _, size in self._inputs), tuple(size for _, size in self._outputs)

    def __call__(self, *arguments: Any, out: Any = None, executor: Executor | None = None, chunk: int = CHUNK) -> Any:
        """What comes out of blocks, one after another, in new bytes or in ``out``; of several results one of each, in a tuple."""
        key, data = self.interface.expanded(arguments)
        if len(data) != len(self._inputs):
            names = ", ".join(name for name, _ in self._inputs)
            raise TypeError(f"`{self.__name__}` takes {names}: {len(self._inputs)} arguments, not {len(data)}")
        inputs = [reading(own, name) for own, (name, _) in zip(data, self._inputs)]
        blocks = self._count(inputs)
        results, outputs = self._results(out, blocks)
        same = inputs[0] if len(inputs) == len(outputs) == 1 and self._inputs[0][1] == self._outputs[0][1] else None
        for output in outputs:
            expect_apart(output, [*inputs, *(other for other in outputs if other is not output)], same)
        pointers = [*zip(outputs, self._outputs), *zip(inputs, self._inputs)]

        def here(start: int, count: int) -> None:
            self._call(*context_of(key), *(region.address + start * size for region, (_, size) in pointers), count)

        def task(start: int, count: int) -> tuple[Any, ...]:
            own = zip(inputs, self._inputs)
            copies = [ctypes.string_at(region.address + start * size, count * size) for region, (_, size) in own]
            return self, *([] if key is None else [key]), *copies

        def store(start: int, count: int, made: Any) -> None:
            for region, (_, size), own in zip(outputs, self._outputs, made if len(outputs) > 1 else [made]):
                ctypes.memmove(region.address + start * size, own, count * size)

        largest = max(size for _, size in self._inputs + self._outputs)
        spread(executor, blocks, max(1, chunk // largest), here, task, store)
        return results[0] if len(results) == 1 else tuple(results)

    def _count(self, inputs: list[Region]) -> int:
        """How many blocks there are: as many of each parameter."""
        name, size = self._inputs[0]
        blocks: int = inputs[0].size // size
        for region, (own, bytes_each) in zip(inputs, self._inputs):
            if region.size % bytes_each != 0:
                raise ValueError(f"{own} must have a multiple of {bytes_each} bytes, not {region.size}")
            if region.size // bytes_each != blocks:
                raise ValueError(f"{own} has {region.size // bytes_each} blocks, {name} {blocks}")
        return blocks

    def _results(self, out: Any, blocks: int) -> tuple[list[Any], list[Region]]:
        given = [out] if len(self._outputs) == 1 else ([None] * len(self._outputs) if out is None else list(out))
        if len(given) != len(self._outputs):
            raise TypeError(f"`{self.__name__}` has {len(self._outputs)} results: give as many outputs")
        made = [writing(own, f"the output {name}", blocks * size) for own, (name, size) in zip(given, self._outputs)]
        return [own for own, _ in made], [region for _, region in made]


class TextFunction(Function):
    """A function from a text to one of the same length, on parts of it that begin at multiples of the block."""

    block: int

    def _spread(
        self, key: Key | None, data: Any, out: Any, executor: Executor | None, chunk: int, more: list[Any]
    ) -> Any:
        text = reading(data, "the text")
        self._expect(text.size)
        result, output = writing(out, "the output", text.size)
        expect_apart(output, [text, *(own for own in more if isinstance(own, Region))], text)

        def here(start: int, count: int) -> None:
            self._run(context_of(key), start, output.address + start, text.address + start, count, more)

        def task(start: int, count: int) -> tuple[Any, ...]:
            copy = ctypes.string_at(text.address + start, count)
            return self, *([] if key is None else [key]), *self._given(start, more), copy

        def store(start: int, count: int, made: bytes) -> None:
            ctypes.memmove(output.address + start, made, count)

        spread(executor, text.size, max(1, chunk // self.block) * self.block, here, task, store)
        return result

    def _expect(self, size: int) -> None:
        """Refuses a length."""

    def _given(self, start: int, more: list[Any]) -> list[Any]:
        """What a part is called with between key and text."""
        return []

    def _run(self, context: list[int], start: int, out: int, data: int, count: int, more: list[Any]) -> None:
        """Does a part."""
        raise NotImplementedError


class Ecb(TextFunction):
    """Each block by itself. Other modes are made from it; it is no way to encrypt messages."""

    def __init__(self, interface: Blocks, about: dict[str, Any]) -> None:
        super().__init__(interface, f"ecb_{about['name']}")
        self.block = about["inputs"][0]["bytes"]
        name = f"_ecb_{about['name']}"
        self._call = interface._function(name, STATUS, *interface.contexts(), WORD, WORD, SIZE)

    def __call__(self, *arguments: Any, out: Any = None, executor: Executor | None = None, chunk: int = CHUNK) -> Any:
        """``ecb_encrypt(key, blocks)``, in new bytes or in ``out``, which may be the blocks themselves."""
        key, rest = self.interface.expanded(arguments)
        (data,) = expect_arguments(self.__name__, rest, ("blocks",))
        return self._spread(key, data, out, executor, chunk, [])

    def _expect(self, size: int) -> None:
        if size % self.block != 0:
            raise ValueError(f"the text must have a multiple of {self.block} bytes, not {size}")

    def _run(self, context: list[int], start: int, out: int, data: int, count: int, more: list[Any]) -> None:
        if self._call(*context, out, data, count) != 0:
            raise AssertionError(f"{count} bytes are whole blocks")


class Ctr(TextFunction):
    """The sum of a text and a key stream, there as back."""

    def __init__(self, interface: Blocks, about: dict[str, Any]) -> None:
        super().__init__(interface, "ctr")
        first = about["functions"][0]
        self.counter_bytes: int = first["inputs"][0]["bytes"]
        self.block = first["outputs"][0]["bytes"]
        place = about["counter"]
        self._offset: int = place["offset"]
        self._size: int = place["bytes"]
        self._order: Literal["big", "little"] = place["order"]
        self._call = interface._function("_ctr_xor", None, *interface.contexts(), WORD, WORD, WORD, SIZE)

    def __call__(self, *arguments: Any, out: Any = None, executor: Executor | None = None, chunk: int = CHUNK) -> Any:
        """``ctr(key, counter, text)``, in new bytes or in ``out``, which may be the text itself.

        The counter is the first block that is encrypted: a nonce with the number of the block, say. A text in pieces is cut at
        multiples of the block; :meth:`advanced` is the counter behind some blocks.
        """
        key, rest = self.interface.expanded(arguments)
        counter, data = expect_arguments(self.__name__, rest, ("counter", "text"))
        return self._spread(key, data, out, executor, chunk, [reading(counter, "counter", self.counter_bytes)])

    def advanced(self, counter: Any, blocks: int) -> bytes:
        """The counter behind so many blocks."""
        given = reading(counter, "counter", self.counter_bytes)
        return self._advanced(ctypes.string_at(given.address, given.size), blocks)

    def _advanced(self, counter: bytes, blocks: int) -> bytes:
        start, end = self._offset, self._offset + self._size
        number = int.from_bytes(counter[start:end], self._order) + blocks
        return counter[:start] + (number % (1 << 8 * self._size)).to_bytes(self._size, self._order) + counter[end:]

    def _expect(self, size: int) -> None:
        if -(-size // self.block) > 1 << 8 * self._size:
            raise ValueError("the text is longer than the counter has values: the key stream would repeat")

    def _given(self, start: int, more: list[Any]) -> list[Any]:
        (counter,) = more
        return [self._advanced(ctypes.string_at(counter.address, counter.size), start // self.block)]

    def _run(self, context: list[int], start: int, out: int, data: int, count: int, more: list[Any]) -> None:
        (counter,) = more
        if start == 0:
            self._call(*context, counter.address, out, data, count)
        else:
            (own,) = self._given(start, more)
            self._call(*context, own, out, data, count)


def context_of(key: Key | None) -> list[int]:
    """Where an expanded key lies, if there is one. It does so as long as the caller has the key."""
    return [] if key is None else [key.address]


def expect_arguments(name: str, given: Sequence[Any], names: tuple[str, ...]) -> Sequence[Any]:
    """Refuses another number of arguments."""
    if len(given) != len(names):
        raise TypeError(f"`{name}` takes {', '.join(names)} behind the key, if there is one: {len(given)} were given")
    return given
