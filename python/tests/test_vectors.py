"""The published vectors of each folder through Python. All of them with NAKIRI_FULL=1; else those of a few kinds of each."""

import os
import tomllib
from pathlib import Path

import nakiri
import pytest

# The repository, or a folder with its ciphers and modes.
ROOT = next(folder for folder in Path(__file__).parents if (folder / "modes").is_dir())
FULL = os.environ.get("NAKIRI_FULL") == "1"
SOME = {
    "ciphers": ["aes128", "chacha20", "rectangle", "keccak1600", "clyde128", "sha256"],
    "modes": ["ascon_hash", "cbc", "cmac", "gcm", "sha2"],
}
FOLDERS = [
    folder
    for shelf in ("ciphers", "modes")
    for folder in sorted((ROOT / shelf).iterdir())
    if (folder / "cipher.toml").is_file() and (FULL or folder.name in SOME[shelf])
]


def read(folder):
    return tomllib.loads((folder / "vectors.toml").read_text())


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: f"{folder.parent.name}/{folder.name}")
def test_published(folder):
    loaded, vectors = nakiri.load(folder), read(folder)
    tried = 0
    for vector in vectors.get("block", []):
        tried += block(loaded.interfaces[vector["instance"]], vector)
    for vector in vectors.get("ctr", []):
        key, counter, plain, cipher = (bytes.fromhex(vector[name]) for name in ("key", "counter", "plain", "cipher"))
        ctr = loaded.interfaces[vector["instance"]].ctr
        assert ctr(key, counter, plain) == cipher
        assert ctr(key, counter, cipher) == plain
        tried += 1
    for vector in vectors.get("message", []):
        message(loaded.interfaces[vector["instance"]], vector)
        tried += 1
    assert tried > 0 or "ticks" in vectors, "a folder has vectors"


def cut(data, sizes):
    parts = []
    for size in sizes:
        parts.append(data[:size])
        data = data[size:]
    assert data == b""
    return parts


def block(interface, vector):
    """A block, there and back."""
    key = [bytes.fromhex(vector["key"])] if "key" in vector else []
    plain, cipher = bytes.fromhex(vector["plain"]), bytes.fromhex(vector["cipher"])
    forth = interface.functions.get("encrypt") or interface.functions.get("permute") or next(iter(interface.functions.values()))
    inputs, outputs = forth.block_bytes
    made = forth(*key, *cut(plain, inputs))
    assert (made if len(outputs) == 1 else b"".join(made)) == cipher
    if "decrypt" in interface.functions:
        assert interface.decrypt(*key, cipher) == plain
    return 1


def message(mode, vector):
    """A message, there and back, alone and among others."""
    out = bytes.fromhex(vector["out"])
    inputs = cut(bytes.fromhex(vector.get("inputs", "")), [own["bytes"] for own in mode.about["inputs"]]) if mode.about["inputs"] else []
    streams = vector["streams"] if "streams" in vector else [vector["in"]]
    streams = [bytes.fromhex(stream) for stream in streams]
    if "hmac" in vector:
        key = bytes.fromhex(vector["hmac"])
        assert mode.hmac(key, streams[0] * vector.get("repeat", 1)) == out
        assert mode.hmac_verify(out, key, streams[0]) and not mode.hmac_verify(out, key, streams[0] + b"!")
        return
    if "hkdf" in vector:
        salt, info = (bytes.fromhex(part) for part in vector["hkdf"])
        assert mode.hkdf(streams[0], len(out), salt=salt, info=info) == out
        assert mode.hkdf_expand(mode.hmac(salt, streams[0]), len(out), info=info) == out
        return
    streams[0] *= vector.get("repeat", 1)
    there, *back = mode.ways.values()
    length = {"length": len(out)} if mode.about["squeezes"] else {}
    made = there(*inputs, *streams, **length)
    assert made == out
    lists = [own if about["shared"] else [own] * 3 for own, about in zip(inputs, mode.about["inputs"])]
    assert there.many(*lists, *([stream] * 3 for stream in streams), **length) == [out] * 3
    if mode.about["parts"]:
        half = len(streams[0]) // 2
        named = {about["name"]: own for own, about in zip(inputs, mode.about["inputs"])}
        parts = mode.new(streams[0][:half], **named)
        parts.update(streams[0][half:])
        assert parts.digest(**length) == out
    if back:
        giving = there._about["giving"]
        sealed = [*streams[:giving], out, *streams[giving + 1 :]]
        assert back[0](*inputs, *sealed) == streams[giving]
        assert back[0].many(*lists, *([stream] * 3 for stream in sealed)) == [streams[giving]] * 3
