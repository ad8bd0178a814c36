"""Bulk work by threads and processes."""

import os
import pickle
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import get_context

import pytest

KEY, COUNTER = bytes(range(16)), b"\xff" * 16
TEXT = os.urandom(300_007)
CHUNK = 10_000


@pytest.fixture(scope="module", params=["threads", "processes"])
def executor(request):
    if request.param == "threads":
        with ThreadPoolExecutor(3) as pool:
            yield pool
    else:
        # A fresh interpreter, as on another machine: nothing is inherited.
        with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
            yield pool


def test_ctr(library, executor):
    ctr = library("aes128").ctr
    expected = ctr(KEY, COUNTER, TEXT)
    assert ctr(KEY, COUNTER, TEXT, executor=executor, chunk=CHUNK) == expected
    text = bytearray(TEXT)
    ctr(library("aes128").key(KEY), COUNTER, text, out=text, executor=executor, chunk=CHUNK)
    assert text == expected


def test_blocks(library, executor):
    aes, text = library("aes128"), TEXT[: len(TEXT) // 16 * 16]
    expected = aes.encrypt(KEY, text)
    assert aes.encrypt(KEY, text, executor=executor, chunk=CHUNK) == expected
    assert aes.ecb_encrypt(KEY, text, executor=executor, chunk=CHUNK) == expected
    state = TEXT[: len(TEXT) // 200 * 200]
    keccak = library("keccak1600")
    assert keccak.permute(state, executor=executor, chunk=CHUNK) == keccak.permute(state)


def test_many(library, executor):
    sha256, gcm = library("sha2").sha256, library("gcm").aes128_gcm
    texts = [TEXT[k : 3 * k] for k in range(100)]
    assert sha256.digest_many(texts, executor=executor, group=7) == sha256.digest_many(texts)
    nonces = [k.to_bytes(12, "big") for k in range(100)]
    sealed = gcm.seal_many(KEY, nonces, [b""] * 100, texts, executor=executor, group=9)
    assert sealed == gcm.seal_many(KEY, nonces, [b""] * 100, texts)
    assert gcm.open_many(KEY, nonces, [b""] * 100, sealed, executor=executor) == texts


def test_what_goes_wrong_comes_back(library, executor):
    sha256 = library("sha2").sha256
    with pytest.raises(TypeError, match="not str"):
        sha256.digest_many([b""] * 9 + ["text"], executor=executor, group=2)


def test_an_executor_that_takes_no_more(library):
    pool = ThreadPoolExecutor(1)
    pool.shutdown()
    with pytest.raises(RuntimeError):
        library("aes128").ctr(KEY, COUNTER, TEXT, executor=pool)


def test_pickle(library):
    aes, sha2 = library("aes128"), library("sha2")
    for function, arguments in [
        (aes.ctr, (KEY, COUNTER, TEXT)),
        (aes.encrypt, (KEY, TEXT[:160])),
        (aes.ecb_decrypt, (KEY, TEXT[:160])),
        (aes.key(KEY).cipher.ctr, (KEY, COUNTER, TEXT)),
        (sha2.sha256, (TEXT,)),
        (sha2.sha256.digest_many, ([TEXT],)),
        (sha2.sha256.hmac, (KEY, TEXT)),
    ]:
        again = pickle.loads(pickle.dumps(function))
        assert again(*arguments) == function(*arguments)
    key = pickle.loads(pickle.dumps(aes.key(KEY)))
    assert aes.ctr(key, COUNTER, TEXT) == aes.ctr(KEY, COUNTER, TEXT)
    assert pickle.loads(pickle.dumps(aes)) is aes
