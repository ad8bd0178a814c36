"""What texts may lie in, and what may not."""

import array
import mmap
import os

import nakiri
import pytest

KEY, COUNTER = bytes(range(16)), bytes(16)
TEXT = bytes(range(256)) * 5 + b"tail"


@pytest.fixture
def aes(library):
    return library("aes128")


@pytest.fixture
def sealed(aes):
    return aes.ctr(KEY, COUNTER, TEXT)


def test_kinds(aes, sealed):
    numpy, pyarrow = pytest.importorskip("numpy"), pytest.importorskip("pyarrow")
    for text in (
        bytearray(TEXT),
        memoryview(TEXT),
        memoryview(TEXT + b"!")[:-1],
        array.array("B", TEXT),
        numpy.frombuffer(TEXT, numpy.uint32).reshape(3, -1),
        pyarrow.py_buffer(TEXT),
        pyarrow.array([TEXT]).buffers()[2],
    ):
        assert aes.ctr(KEY, COUNTER, text) == sealed
    assert aes.ctr(numpy.frombuffer(KEY, numpy.uint8), bytearray(COUNTER), TEXT) == sealed


def test_output(aes, sealed):
    numpy = pytest.importorskip("numpy")
    for out in (bytearray(len(TEXT)), numpy.zeros(len(TEXT) // 2, numpy.int16), mmap.mmap(-1, len(TEXT))):
        assert aes.ctr(KEY, COUNTER, TEXT, out=out) is out
        assert bytes(memoryview(out).cast("B")) == sealed


def test_in_place(aes, sealed):
    text = bytearray(TEXT)
    aes.ctr(KEY, COUNTER, text, out=text)
    assert text == sealed
    aes.encrypt(KEY, memoryview(text)[:1280], out=memoryview(text)[:1280])
    assert text[:1280] == aes.encrypt(KEY, sealed[:1280])


def test_sealed_in_place(library):
    gcm = library("gcm").aes128_gcm
    whole = bytearray(TEXT + bytes(16))
    gcm.seal(KEY, bytes(12), b"ad", memoryview(whole)[:-16], out=whole)
    assert whole == gcm.seal(KEY, bytes(12), b"ad", TEXT)
    gcm.open(KEY, bytes(12), b"ad", whole, out=memoryview(whole)[:-16])
    assert whole[:-16] == TEXT


def test_refused(aes):
    text = bytearray(64)
    numpy = pytest.importorskip("numpy")
    with pytest.raises(ValueError, match="key must have 16 bytes, not 15"):
        aes.ctr(KEY[:-1], COUNTER, TEXT)
    with pytest.raises(ValueError, match="counter must have 16 bytes, not 1"):
        aes.ctr(KEY, b"0", TEXT)
    with pytest.raises(ValueError, match="overlaps"):
        aes.ctr(KEY, COUNTER, memoryview(text)[:32], out=memoryview(text)[1:33])
    with pytest.raises(ValueError, match="output must have 64 bytes, not 63"):
        aes.ctr(KEY, COUNTER, text, out=bytearray(63))
    with pytest.raises(BufferError, match="can't be written"):
        aes.ctr(KEY, COUNTER, text, out=bytes(64))
    with pytest.raises(BufferError, match="gaps"):
        aes.ctr(KEY, COUNTER, numpy.zeros(128, numpy.uint8)[::2])
    with pytest.raises(TypeError, match="buffer protocol, not str"):
        aes.ctr(KEY, COUNTER, "text")
    with pytest.raises(ValueError, match="multiple of 16 bytes, not 17"):
        aes.encrypt(KEY, bytes(17))
    with pytest.raises(ValueError, match="multiple of 16 bytes, not 17"):
        aes.ecb_encrypt(KEY, bytes(17))
    with pytest.raises(TypeError, match="counter, text"):
        aes.ctr(KEY, TEXT)
    with pytest.raises(AttributeError, match="it has encrypt"):
        aes.seal
    aes.encrypt(KEY, text)
    text.append(0)  # Nobody holds its memory any more.


def test_a_key_stream_must_not_repeat(library):
    ctr = library("chacha20").ctr
    assert ctr.advanced(b"\xfe\xff\xff\xff" + bytes(12), 3) == b"\1" + bytes(15)
    with pytest.raises(ValueError, match="would repeat"):
        ctr._expect(64 * 2**32 + 1)


def test_keys(library, aes, sealed):
    key = aes.key(KEY)
    assert aes.ctr(key, COUNTER, TEXT) == sealed
    with pytest.raises(ValueError, match="the key is one of"):
        library("chacha20").ctr(key, bytes(16), TEXT)
    with pytest.raises(TypeError, match="has no key"):
        library("keccak1600").key(KEY)
    assert library("keccak1600").permute(bytes(200)) != bytes(200)


def test_forged(library):
    gcm = library("gcm").aes256_gcm
    key, nonce = os.urandom(32), os.urandom(12)
    sealed = bytearray(gcm.seal(key, nonce, b"", b"a text"))
    out = bytearray(6)
    sealed[0] ^= 1
    with pytest.raises(nakiri.InvalidTag):
        gcm.open(key, nonce, b"", sealed, out=out)
    assert out == bytes(6)
    with pytest.raises(nakiri.InvalidTag, match="shorter than a tag"):
        gcm.open(key, nonce, b"", b"short")
    with pytest.raises(TypeError, match="takes key, nonce, ad, plain, each once"):
        gcm.seal(key, nonce, b"")
    with pytest.raises(ValueError, match="as many of each"):
        gcm.seal_many(key, [nonce], [b"", b""], [b"", b""])


def test_digests_in_one_output(library):
    numpy, sha256 = pytest.importorskip("numpy"), library("sha2").sha256
    texts = [bytes([k]) * k for k in range(50)]
    out = numpy.zeros((50, 32), numpy.uint8)
    assert sha256.digest_many(texts, out=out) is out
    assert [bytes(row) for row in out] == [sha256(text) for text in texts]
    assert sha256.digest_many([]) == []
    same = bytearray(64)
    with pytest.raises(ValueError, match="overlaps"):
        sha256.digest_many([same, b""], out=same)


def test_parts(library):
    sha256 = library("sha2").sha256
    parts = sha256.new(b"a")
    other = parts.copy()
    parts.update(b"bc")
    assert parts.hexdigest() == sha256(b"abc").hex() == parts.hexdigest()
    assert other.digest() == sha256(b"a")
    with pytest.raises(TypeError, match="has no `salt`"):
        sha256.new(salt=b"")
