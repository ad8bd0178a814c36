"""Modes: hash functions, codes, and encryption with and without a tag."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from concurrent.futures import Executor
from typing import Any

from .executors import GROUP, spread
from .errors import InvalidTag
from .interface import Interface
from .memory import Region, expect_apart, reading, writing

WORD, SIZE, STATUS = ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int

# The names of what is no `seal`, `open`, `encrypt` or `decrypt`.
PLAIN = {False: "digest", True: "encrypt"}


class Messages(Interface):
    """A mode. It has ``digest`` (a hash function, a code), ``seal`` and ``open`` (authenticated encryption), or ``encrypt`` and ``decrypt``;
    each takes one message, and with ``_many`` behind its name many side by side. Called itself it does the first of these.
    """

    def __init__(self, library: Any, about: dict[str, Any], code: ctypes.CDLL) -> None:
        super().__init__(library, about, code)
        self.ways = {way.__name__: way for way in (Way(self, own) for own in about["ways"])}

    def __call__(self, *values: Any, **named: Any) -> Any:
        """The first of its functions."""
        return next(iter(self.ways.values()))(*values, **named)

    def __getattr__(self, name: str) -> Any:
        ways = self.__dict__.get("ways", {})
        own, many = name.removesuffix("_many"), name.endswith("_many")
        if own in ways:
            return ways[own].many if many else ways[own]
        raise AttributeError(f"`{self.__dict__.get('prefix')}` has no `{name}`; it has {', '.join(ways)}")

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self.ways, *(f"{name}_many" for name in self.ways)]

    def new(self, data: Any = b"", **inputs: Any) -> Hash:
        """A message that comes in parts, beginning with ``data``."""
        if not self.about["parts"]:
            raise TypeError(f"`{self.prefix}` takes messages whole")
        return Hash(self, data, inputs)

    def hmac(self, key: Any, message: Any) -> bytes:
        """The code of a message (RFC 2104)."""
        own, text = reading(key, "key"), reading(message, "message")
        code, made = writing(None, "the code", self.about["result"])
        function = self._coded("_hmac", None, WORD, WORD, SIZE, WORD, SIZE)
        function(made.address, own.address, own.size, text.address, text.size)
        return bytes(code)

    def hmac_verify(self, code: Any, key: Any, message: Any) -> bool:
        """Whether this is the code of a message, in a time that does not depend on where it is not."""
        given = reading(code, "code", self.about["result"])
        own, text = reading(key, "key"), reading(message, "message")
        function = self._coded("_hmac_verify", STATUS, WORD, WORD, SIZE, WORD, SIZE)
        return int(function(given.address, own.address, own.size, text.address, text.size)) == 0

    def hkdf(self, key: Any, length: int, *, salt: Any = b"", info: Any = b"") -> bytes:
        """So many bytes of keys made of a key (RFC 5869)."""
        parts = [reading(salt, "salt"), reading(key, "key"), reading(info, "info")]
        return self._keys("_hkdf", length, parts)

    def hkdf_expand(self, key: Any, length: int, *, info: Any = b"") -> bytes:
        """Its second half, for a key that is random."""
        return self._keys("_hkdf_expand", length, [reading(key, "key"), reading(info, "info")])

    def _keys(self, name: str, length: int, parts: list[Region]) -> bytes:
        keys, made = writing(None, "the keys", length)
        function = self._coded(name, STATUS, WORD, SIZE, *[WORD, SIZE] * len(parts))
        given = [word for part in parts for word in (part.address, part.size)]
        if function(made.address, made.size, *given) != 0:
            raise ValueError(f"keys have at most {255 * self.about['result']} bytes, not {length}")
        return bytes(keys)

    def _coded(self, name: str, result: Any, *arguments: Any) -> Any:
        if not self.about["codes"]:
            raise TypeError(f"`{self.prefix}` is no hash function with codes")
        return self._function(name, result, *arguments)


class Hash:
    """A message that comes in parts, as those of Python's hashlib."""

    def __init__(self, mode: Messages, data: Any, inputs: dict[str, Any]) -> None:
        self.mode = mode
        self._state = ctypes.create_string_buffer(mode._size_of("state"))
        own = mode.about["inputs"]
        given = [reading(inputs.pop(about["name"], b""), about["name"], about["bytes"]) for about in own]
        if inputs:
            raise TypeError(f"`{mode.prefix}` has no `{next(iter(inputs))}`")
        mode._function("_init", None, WORD, *[WORD] * len(given))(self._state, *(region.address for region in given))
        self._update = mode._function("_update", None, WORD, WORD, SIZE)
        squeezes = [SIZE] if mode.about["squeezes"] else []
        self._final = mode._function("_final", None, WORD, WORD, *squeezes)
        self.update(data)

    def update(self, data: Any) -> None:
        """The next part."""
        part = reading(data, "the message")
        self._update(self._state, part.address, part.size)

    def digest(self, length: int | None = None) -> bytes:
        """What comes out of the parts until now; more may follow. A function of any length needs one."""
        size = result_bytes(self.mode.about, length)
        made, output = writing(None, "the output", size)
        copy = ctypes.create_string_buffer(self._state.raw, len(self._state))
        self._final(copy, output.address, *([size] if self.mode.about["squeezes"] else []))
        return bytes(made)

    def hexdigest(self, length: int | None = None) -> str:
        """The same in hexadecimal."""
        return self.digest(length).hex()

    def copy(self) -> Hash:
        """Another message that begins like this one."""
        other = object.__new__(Hash)
        other.__dict__.update(self.__dict__)
        other._state = ctypes.create_string_buffer(self._state.raw, len(self._state))
        return other


def result_bytes(about: dict[str, Any], length: int | None) -> int:
    """The size of a result, which a function of any length must be told."""
    if about["squeezes"] == (length is None):
        raise TypeError("say how many bytes, by `length`" if length is None else "the length is not to be chosen")
    return int(about["result"] if length is None else length)


class Way:
    """A function of a mode: there, or back."""

    def __init__(self, mode: Messages, about: dict[str, Any]) -> None:
        self.mode = mode
        self._gives: bool = about["giving"] is not None
        self.__name__ = about["name"].removeprefix("_") or PLAIN[self._gives]
        self._about = about
        self._inputs = mode.about["inputs"]
        self._streams = about["streams"]
        self._squeezes: bool = mode.about["squeezes"]
        self._judges: bool = about["judges"]
        # The bytes of the tag that stands behind a text.
        self._tag: int = mode.about["result"] if self._gives else 0
        results: list[Any] = [WORD] if self._gives else []
        results += [WORD, SIZE] if self._squeezes else [WORD] if mode.about["result"] else []
        arguments: list[Any] = [WORD] * len(self._inputs) + [WORD, SIZE] * len(self._streams)
        self._call = mode._function(about["name"], STATUS, *results, *arguments)
        lists = [WORD, SIZE] if self._squeezes else [WORD] * (self._judges + (mode.about["result"] > 0))
        arguments = [WORD] * (len(self._inputs) + 2 * len(self._streams))
        self._call_many = mode._function(about["many"], STATUS, SIZE, *lists, *arguments)

    @property
    def parameters(self) -> list[str]:
        """The names of its arguments."""
        return [own["name"] for own in (*self._inputs, *self._streams)]

    def __call__(self, *values: Any, out: Any = None, length: int | None = None, **named: Any) -> Any:
        """What becomes of a message, in new bytes or in ``out``. What is sealed has its tag behind it; where that is wrong, ``open``
        raises :class:`InvalidTag`, and ``out`` is zeros. ``out`` may be the text itself, with room for its tag.
        """
        given = self._bound(values, named)
        inputs = [reading(own, about["name"], about["bytes"]) for own, about in zip(given, self._inputs)]
        streams = [reading(own, about["name"]) for own, about in zip(given[len(inputs) :], self._streams)]
        lengths = [self._length(k, region.size) for k, region in enumerate(streams)]
        text = streams[self._about["giving"]] if self._gives else None
        size = self._result_bytes(lengths, length)
        result, output = writing(out, "the output", size)
        expect_apart(output, inputs + streams, text)
        words = [output.address]
        if self._squeezes:
            words.append(size)
        elif text is not None and self._tag:
            end = text.address + text.size if self._judges else output.address + size
            words.append(end - self._tag)
        words += [region.address for region in inputs]
        words += [word for region, count in zip(streams, lengths) for word in (region.address, count)]
        if self._call(*words) != 0 and self._judges:
            raise InvalidTag("the tag is wrong")
        return result

    def many(
        self,
        *values: Any,
        out: Any = None,
        length: int | None = None,
        executor: Executor | None = None,
        group: int = GROUP,
        **named: Any,
    ) -> Any:
        """The same of many messages at once: of what they share, a key, one value, of all else a sequence with one for each.

        A list of bytes; where a tag is wrong, None is in its place. The digests of ``digest_many`` may go to ``out`` instead, one
        after another.
        """
        given = self._bound(values, named)
        lists = [own for own, about in zip(given, (*self._inputs, *self._streams)) if not about.get("shared")]
        count = len(lists[0])
        if any(len(own) != count for own in lists):
            raise ValueError("there must be as many of each: " + ", ".join(str(len(own)) for own in lists))
        shared = [bool(about.get("shared")) for about in (*self._inputs, *self._streams)]
        results: list[Any] = [None] * count
        each = 0 if self._gives else result_bytes(self.mode.about, length)
        if self._gives and (out is not None or length is not None):
            raise TypeError("only digests have an output and a length of their own")
        block: Any = None
        output: Region | None = None
        if not self._gives:
            block, output = writing(out, "the output", count * each)

        def part(start: int, size: int) -> list[Any]:
            return [own if alike else own[start : start + size] for own, alike in zip(given, shared)]

        def here(start: int, size: int) -> None:
            if output is None:
                results[start : start + size] = self._texts(part(start, size), size)
            else:
                self._digests(part(start, size), size, output, start * each, length)

        def task(start: int, size: int) -> tuple[Any, ...]:
            copies = [copied(own) if alike else [copied(each) for each in own] for own, alike in zip(part(start, size), shared)]
            return run_many, self, copies, length

        def store(start: int, size: int, made: list[Any]) -> None:
            if output is None:
                results[start : start + size] = made
            else:
                ctypes.memmove(output.address + start * each, b"".join(made), size * each)

        spread(executor, count, max(1, group), here, task, store)
        if out is not None:
            return block
        if output is not None:
            return [block[k * each : (k + 1) * each] for k in range(count)]
        return results

    def _digests(self, given: list[Any], count: int, output: Region, offset: int, length: int | None) -> None:
        """Writes the digests of some messages one after another, from a place of the output on."""
        kept, words = self._inputs_of_many(given, count)
        streams = [[reading(own, about["name"]) for own in each] for each, about in zip(given[len(self._inputs) :], self._streams)]
        for k, each in enumerate(streams):
            expect_apart(output, each)
            sizes = [self._length(k, region.size) for region in each]
            own = pointers([region.address for region in each]), numbers(sizes)
            kept += own
            words += own
        self._call_many(count, output.address + offset, *([self._result_bytes([], length)] if self._squeezes else []), *words)
        del kept

    def _texts(self, given: list[Any], count: int) -> list[Any]:
        """What becomes of texts, each in new bytes, in which C changes it."""
        kept, words = self._inputs_of_many(given, count)
        results: list[Any] = []
        tags = ctypes.create_string_buffer(max(1, count * self._tag))
        verdicts = ctypes.create_string_buffer(max(1, count))
        texts: list[Region] = []
        for k, (each, about) in enumerate(zip(given[len(self._inputs) :], self._streams)):
            regions = [reading(own, about["name"]) for own in each]
            sizes = [self._length(k, region.size) for region in regions]
            kept += regions
            if k == self._about["giving"]:
                for number, (region, size) in enumerate(zip(regions, sizes)):
                    result, text = writing(None, "the output", size + (0 if self._judges else self._tag))
                    ctypes.memmove(text.address, region.address, size)
                    if self._judges:
                        ctypes.memmove(ctypes.addressof(tags) + number * self._tag, region.address + size, self._tag)
                    results.append(result)
                    texts.append(text)
                regions = texts
            own = pointers([region.address for region in regions]), numbers(sizes)
            kept += own
            words += own
        first: list[Any] = [verdicts, tags] if self._judges else [tags] if self._tag else []
        self._call_many(count, *first, *words)
        if self._judges:
            return [result if verdicts.raw[k] else None for k, result in enumerate(results)]
        for number, text in enumerate(texts):
            end = text.address + text.size - self._tag
            ctypes.memmove(end, ctypes.addressof(tags) + number * self._tag, self._tag)
        return results

    def _inputs_of_many(self, given: list[Any], count: int) -> tuple[list[Any], list[Any]]:
        """What must live during a call, and the words for what comes beside streams: lists stand one after another in memory."""
        kept: list[Any] = []
        for own, about in zip(given, self._inputs):
            if about["shared"]:
                kept.append(reading(own, about["name"], about["bytes"]))
            else:
                copies = b"".join(copied(reading_of(each, about)) for each in own)
                kept.append(reading(copies, about["name"], count * about["bytes"]))
        return kept, [region.address for region in kept]

    def _bound(self, values: Sequence[Any], named: dict[str, Any]) -> list[Any]:
        """The arguments in order."""
        names = self.parameters
        given = dict(zip(names, values))
        twice = [name for name in named if name in given or name not in names]
        if len(values) > len(names) or twice or len(given) + len(named) < len(names):
            raise TypeError(f"`{self.mode.prefix}.{self.__name__}` takes {', '.join(names)}, each once")
        given.update(named)
        return [given[name] for name in names]

    def _length(self, k: int, size: int) -> int:
        """The length of a stream without its tag; refused if it is none that the mode allows."""
        about, limit = self._streams[k], self._streams[k]["limit"]
        if self._judges and k == self._about["giving"]:
            if size < self._tag:
                raise InvalidTag(f"{about['name']} is shorter than a tag of {self._tag} bytes")
            size -= self._tag
        if size % limit["unit"] != 0:
            raise ValueError(f"{about['name']} must have a multiple of {limit['unit']} bytes, not {size}")
        if limit["most"] is not None and size > limit["most"]:
            raise ValueError(f"{about['name']} must have at most {limit['most']} bytes, not {size}")
        return size

    def _result_bytes(self, lengths: list[int], length: int | None) -> int:
        if not self._gives:
            return result_bytes(self.mode.about, length)
        if length is not None:
            raise TypeError("the length is that of the text")
        return lengths[int(self._about["giving"])] + (0 if self._judges else self._tag)

    def __repr__(self) -> str:
        return f"<nakiri function {self.mode.prefix}.{self.__name__}({', '.join(self.parameters)})>"

    def __reduce__(self) -> tuple[Any, ...]:
        return getattr, (self.mode, self.__name__)


def run_many(way: Way, given: list[Any], length: int | None) -> Any:
    """What another process does of many messages."""
    return way.many(*given, length=length)


def reading_of(value: Any, about: dict[str, Any]) -> Region:
    """An input of a message."""
    return reading(value, about["name"], about["bytes"])


def copied(value: Any) -> bytes:
    """The bytes of a buffer."""
    region = value if isinstance(value, Region) else reading(value, "an argument")
    return ctypes.string_at(region.address, region.size)


def pointers(addresses: list[int]) -> Any:
    """An array of pointers in C."""
    return (ctypes.c_void_p * max(1, len(addresses)))(*addresses)


def numbers(sizes: list[int]) -> Any:
    """An array of sizes in C."""
    return (ctypes.c_size_t * max(1, len(sizes)))(*sizes)
