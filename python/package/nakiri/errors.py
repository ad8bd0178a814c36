"""What can go wrong."""

from __future__ import annotations

from typing import Any


class Error(Exception):
    """The compiler refuses a program, or what was asked of it. Its text has the lines of the source with the places marked.

    The first error's ``code`` (`nakiri explain CODE` tells more), ``message``, ``file``, ``line`` and ``column``, each counted
    from 1, are None if no place in a file says what is wrong. ``diagnostics`` has all, warnings too, as `nakiri check --format json`
    prints them.
    """

    def __init__(self, text: str, diagnostics: list[dict[str, Any]] | None = None) -> None:
        super().__init__(text)
        self.diagnostics: list[dict[str, Any]] = diagnostics or []
        errors = [own for own in self.diagnostics if own["severity"] == "error"]
        first: dict[str, Any] = errors[0] if errors else {}
        place: dict[str, Any] = next(iter(first.get("labels", [])), {})
        self.code: str | None = first.get("code")
        self.message: str = first.get("message", text)
        self.file: str | None = place.get("file")
        self.line: int | None = place.get("line")
        self.column: int | None = place.get("column")

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (str(self), self.diagnostics)


class CompilerError(Error):
    """There is no C compiler, it refuses what was emitted, or what it made of that is wrong or can't run here."""


class InvalidTag(ValueError):
    """A text was not sealed so: its tag is another one."""


class CompileWarning(UserWarning):
    """What the compiler warns of."""
