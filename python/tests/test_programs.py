"""What the compiler says of programs, and what the C compiler makes of them."""

import os
import pickle
import shutil
import stat
import subprocess
import sys
import warnings

import nakiri
import pytest

MIX = """
node Mix (x:u32[2], k:const u32) returns (y:u32[2])
let
  y[0] = (x[0] + x[1]) ^ k;
  y[1] = (x[1] <<< 7) ^ y[0]
tel
"""


def mixed(words, key):
    first = ((words[0] + words[1]) ^ key) & 0xFFFFFFFF
    turned = (words[1] << 7 | words[1] >> 25) & 0xFFFFFFFF
    return [first, turned ^ first]


@pytest.mark.parametrize("slicing,target", [("V", "gp64"), ("V", "ssse3"), (None, None)])
def test_source(slicing, target):
    mix = nakiri.load(source=MIX, slicing=slicing, target=target).mix
    words = [0x12345678, 0x9ABCDEF0] * 37
    data = b"".join(word.to_bytes(4, "little") for word in words)
    pairs = [mixed(words[k : k + 2], 0xDEADBEEF) for k in range(0, len(words), 2)]
    expected = b"".join(word.to_bytes(4, "little") for pair in pairs for word in pair)
    assert mix((0xDEADBEEF).to_bytes(4, "little"), data) == expected


def test_several_results():
    source = "node Swap (a:u16, b:u32) returns (c:u32, d:u16) let c = ~b; d = a tel"
    swap = nakiri.load(source=source, name="swapped").swap
    assert swap.block_bytes == ((2, 4), (4, 2))
    assert swap(b"abcd", bytes(8)) == (b"\xff" * 8, b"abcd")
    first, second = bytearray(8), bytearray(4)
    swap(b"abcd", bytes(8), out=(first, second))
    assert (first, second) == (b"\xff" * 8, b"abcd")
    with pytest.raises(ValueError, match="b has 1 blocks, a 2"):
        swap(b"abcd", bytes(4))


def test_file(tmp_path):
    file = tmp_path / "mix.ua"
    file.write_text(MIX)
    assert nakiri.load(file).mix(bytes(4), bytes(8)) == bytes(8)


def test_program():
    program = nakiri.compile("aes128", target="avx2", slicing="B")
    assert (program.name, program.title) == ("aes128", "AES-128")
    assert "_mm256_xor_si256" in program.c and "aes128_ctr_xor" in program.h
    encrypt = program.kernels[0]
    assert (encrypt.function, encrypt.target, encrypt.slicing, encrypt.blocks) == ("encrypt", "avx2", "B", 256)
    assert encrypt.instructions == sum(encrypt.operations.values()) > 1000
    assert program.evidence and program.command.startswith("nakiri build aes128")
    again = pickle.loads(pickle.dumps(program))
    assert again.c == program.c
    assert {"aes128", "gcm", "sha2"} <= set(nakiri.ciphers())


def test_variants(library):
    several = nakiri.load("rectangle", target="gp64:V,ssse3:V").rectangle80
    key, data = bytes(10), os.urandom(8 * 100)
    assert [name.split()[0] for name in several.variants] == ["ssse3", "gp64+swar"]
    before = several.encrypt(key, data)
    several.use_variant("gp64+swar")
    assert several.variant.startswith("gp64")
    assert several.encrypt(key, data) == before
    several.use_variant(None)
    several.self_test()
    with pytest.raises(ValueError, match="no variant"):
        several.use_variant("sse2")


def test_check():
    checked = nakiri.check(source=MIX)
    assert checked.nodes == ("Mix: (u32[2], u32) -> u32[2]",) or "Mix" in checked.nodes[0]
    assert checked.entries["Mix"]["V"]["avx2"] == 8
    assert "B" not in checked.entries["Mix"] or "avx2" not in checked.entries["Mix"]["B"]


def test_errors_have_places():
    with pytest.raises(nakiri.Error) as caught:
        nakiri.compile(source="node F (x:u8) returns (y:u8)\nlet\n  y = x ^ z\ntel\n", name="wrong")
    error = caught.value
    assert (error.line, error.column, error.file) == (3, 11, "wrong.ua")
    assert error.code and error.code.startswith("E0")
    assert "y = x ^ z" in str(error) and "/tmp" not in str(error)
    assert pickle.loads(pickle.dumps(error)).line == 3
    with pytest.raises(nakiri.Error, match="aes128") as caught:
        nakiri.compile("aes12")
    assert caught.value.code is None and caught.value.line is None
    with pytest.raises(nakiri.Error, match="avx3"):
        nakiri.compile("aes128", target="avx3")
    with pytest.raises(nakiri.Error, match="--nonsense"):
        nakiri.compile("aes128", options=["--nonsense"])
    with pytest.raises(nakiri.Error):
        nakiri.check(source="node F (x:u8) returns (y:u8) let y = q tel")
    with pytest.raises(TypeError, match="give a cipher"):
        nakiri.compile()


def test_warnings_are_pythons():
    source = "node F (x:u8) returns (y:u8) vars unused:u8 let unused = x; y = x tel"
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        nakiri.compile(source=source, target="gp64")
    assert all(issubclass(own.category, nakiri.CompileWarning) for own in caught)


def test_compilers(tmp_path, monkeypatch):
    with pytest.raises(nakiri.CompilerError, match="no-such-compiler"):
        nakiri.load("aes128", compiler="no-such-compiler")
    with pytest.raises(nakiri.CompilerError, match="failed"):
        nakiri.load(source=MIX, name="flagged", flags=["-fno-such-flag"])
    monkeypatch.setenv("NAKIRI_CACHE", str(tmp_path))
    monkeypatch.setenv("CC", f"{shutil.which('cc') or shutil.which('gcc') or shutil.which('clang')} -O1")
    nakiri.load(source=MIX, name="kept", flags=[])
    (kept,) = (tmp_path / "python").iterdir()
    assert kept.name.startswith("kept-") and stat.S_IMODE((tmp_path / "python").stat().st_mode) == 0o700
    (tmp_path / "python").chmod(0o777)
    with pytest.raises(nakiri.CompilerError, match="others can write"):
        nakiri.load(source=MIX, name="kept", flags=[])


def test_wrong_code_is_not_kept(tmp_path, monkeypatch):
    monkeypatch.setenv("NAKIRI_CACHE", str(tmp_path))
    program = nakiri.compile("chacha20", target="gp64")
    text = program._data["c"]
    assert "0x61707865" in text or "1634760805" in text
    program._data["c"] = text.replace("0x61707865", "0x61707864").replace("1634760805", "1634760804")
    with pytest.raises(nakiri.CompilerError, match="test vectors wrong"):
        program.load()
    assert not list((tmp_path / "python").iterdir())


def test_ticks_have_no_functions():
    library = nakiri.load("trivium", target="gp64")
    assert library.interfaces == {}
    with pytest.raises(AttributeError, match="no functions on blocks or messages"):
        library.trivium


def test_the_interpreter_goes_on(library):
    """Other threads run while C does."""
    script = (
        "import nakiri, threading, time\n"
        "ctr = nakiri.load('aes128').ctr\n"
        "text = bytearray(1 << 27)\n"
        "turns = 0\n"
        "work = threading.Thread(target=lambda: [ctr(bytes(16), bytes(16), text, out=text) for _ in range(4)])\n"
        "work.start()\n"
        "while work.is_alive():\n"
        "    turns += 1\n"
        "    time.sleep(0.001)\n"
        "print(turns)\n"
    )
    ran = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert int(ran.stdout) > 20
