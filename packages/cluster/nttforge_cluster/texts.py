# SPDX-License-Identifier: Apache-2.0
"""Texts of manifests and footers, read from front to end: each byte is one that a pattern allows.

They are JSON of one known shape. A parser of any JSON would make objects of whatever others wrote,
25 bytes of memory for each of theirs; here the shape is checked first, a few bytes at a time.
"""

from __future__ import annotations

import json
import re

__all__ = ["COUNT", "DIGEST", "MOST_COLUMNS", "PART_NAME", "Text", "are_columns", "pattern"]

MOST_COLUMNS = 4096
_MOST_CHARACTERS = 255  # of a column's name
COUNT = "(0|[1-9][0-9]{0,17})"
PART_NAME = '"(part-[0-9]{6,7})"'
DIGEST = '"([0-9a-f]{64})"'
_SPACE = re.compile(rb"[ \t\r\n]*")
_COLUMN = re.compile(rb'"(?:[A-Za-z0-9_]|\\u[0-9a-f]{4})+"')


def pattern(*tokens: str) -> re.Pattern[bytes]:
    """Tokens of JSON with any white space between them."""
    return re.compile(_SPACE.pattern.join(token.encode() for token in tokens))


class Text:
    """What is left to read of a text; whatever does not fit is a :class:`ValueError`."""

    def __init__(self, data: bytes) -> None:
        self._data, self._place = data, 0

    def next_is(self, token: bytes) -> bool:
        """Whether the text goes on with this token, which is taken then."""
        self._skip()
        if found := self._data.startswith(token, self._place):
            self._place += len(token)
        return found

    def take(self, what: re.Pattern[bytes]) -> tuple[str, ...]:
        """The groups of a pattern that the text goes on with."""
        self._skip()
        found = what.match(self._data, self._place)
        if found is None:
            raise ValueError(f"byte {self._place}")
        self._place = found.end()
        return tuple((group or b"").decode("ascii") for group in found.groups())

    def column(self) -> str:
        """The name of a column."""
        begin = self._place
        self.take(_COLUMN)
        return str(json.loads(self._data[begin : self._place]))

    def end(self) -> None:
        """Nothing is left."""
        self._skip()
        if self._place != len(self._data):
            raise ValueError(f"byte {self._place}")

    def _skip(self) -> None:
        space = _SPACE.match(self._data, self._place)
        self._place = space.end() if space else self._place


def are_columns(names: tuple[str, ...]) -> bool:
    """Whether these can be all columns of a dataset: names of arguments, each once."""
    return (
        1 <= len(names) <= MOST_COLUMNS
        and len(set(names)) == len(names)
        and all(name.isidentifier() and len(name) <= _MOST_CHARACTERS for name in names)
    )
