"""Random texts beside PyPI's `cryptography` and Python's hashlib."""

import hashlib
import hmac
import os
import random

import pytest

cryptography = pytest.importorskip("cryptography")
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes  # noqa: E402
from cryptography.hazmat.primitives.ciphers.aead import AESGCM  # noqa: E402

SIZES = [0, 1, 15, 16, 17, 64, 1000, 4096, 100_003]


@pytest.mark.parametrize("size", SIZES)
def test_aes_ctr(library, size):
    key, counter, text = os.urandom(16), b"\xff" * 15 + b"\xfe", os.urandom(size)
    other = Cipher(algorithms.AES(key), modes.CTR(counter)).encryptor()
    assert library("aes128").ctr(key, counter, text) == other.update(text) + other.finalize()


@pytest.mark.parametrize("size", SIZES)
def test_aes_ecb(library, size):
    key, text = os.urandom(16), os.urandom(size // 16 * 16)
    other = Cipher(algorithms.AES(key), modes.ECB()).encryptor()
    sealed = library("aes128").ecb_encrypt(key, text)
    assert sealed == other.update(text) + other.finalize()
    assert sealed == library("aes128").encrypt(key, text)
    assert library("aes128").ecb_decrypt(key, sealed) == text


@pytest.mark.parametrize("size", SIZES)
def test_chacha20(library, size):
    key, nonce, text = os.urandom(32), os.urandom(12), os.urandom(size)
    counter = (7).to_bytes(4, "little") + nonce
    other = Cipher(algorithms.ChaCha20(key, counter), mode=None).encryptor()
    assert library("chacha20").ctr(key, counter, text) == other.update(text)


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("bits", [128, 256])
def test_gcm(library, size, bits):
    key, nonce, ad, text = os.urandom(bits // 8), os.urandom(12), os.urandom(size % 77), os.urandom(size)
    gcm = getattr(library("gcm"), f"aes{bits}_gcm")
    sealed = gcm.seal(key, nonce, ad, text)
    assert sealed == AESGCM(key).encrypt(nonce, text, ad)
    assert gcm.open(key=key, nonce=nonce, ad=ad, sealed=sealed) == text


@pytest.mark.parametrize("name", ["sha224", "sha256", "sha384", "sha512"])
def test_sha2(library, name):
    mode = getattr(library("sha2"), name)
    texts = [os.urandom(random.randrange(2000)) for _ in range(200)] + [b""]
    expected = [hashlib.new(name, text).digest() for text in texts]
    assert [mode(text) for text in texts] == expected
    assert mode.digest_many(texts) == expected
    assert mode.hmac(b"key", texts[0]) == hmac.new(b"key", texts[0], name).digest()


def test_many_texts_of_gcm(library):
    gcm, key = library("gcm").aes128_gcm, os.urandom(16)
    nonces = [os.urandom(12) for _ in range(100)]
    texts = [os.urandom(random.randrange(3000)) for _ in nonces]
    ads = [os.urandom(random.randrange(40)) for _ in nonces]
    sealed = gcm.seal_many(key, nonces, ads, texts)
    assert sealed == [AESGCM(key).encrypt(*each) for each in zip(nonces, texts, ads)]
    sealed[3] = sealed[3][:-1] + bytes([sealed[3][-1] ^ 1])
    opened = gcm.open_many(key, nonces, ads, sealed)
    assert opened[3] is None
    assert opened[:3] + opened[4:] == texts[:3] + texts[4:]
