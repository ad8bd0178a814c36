"""What the book's chapter shows is done as it stands there."""

from pathlib import Path

BOOK = next(folder / "docs/src/python.md" for folder in Path(__file__).parents if (folder / "docs/src").is_dir())


def test_chapter():
    pieces = BOOK.read_text().split("```python\n")[1:]
    assert len(pieces) > 5
    code = "\n".join(piece.split("\n```")[0] for piece in pieces)
    exec(compile(code, str(BOOK), "exec"), {})
