# SPDX-License-Identifier: Apache-2.0
"""What a task may answer: a dictionary of numbers and texts, of which every field is checked.

A worker that lies can say anything. What is said is taken for messages and as the digest of the
partition that the task was to write; the partition itself is read and compared (``runs.py``).
"""

from __future__ import annotations

import re
from typing import Any

from nttforge.errors import FormatError, shortened

_DIGEST = re.compile("[0-9a-f]{64}")
_MOST = 2**62
_MOST_TEXT = 2000
TROUBLES = ("version", "keys", "input", "damaged", "disk", "memory", "compute", "lost", "answer")


def plain_text(value: object) -> str:
    """A text of others for a message: shortened, and without what steers a terminal."""
    if not isinstance(value, str):
        return f"<{type(value).__name__}>"
    shown = shortened(value, _MOST_TEXT)
    return "".join(c if c.isprintable() else ascii(c)[1:-1] for c in shown)


def checked_outcome(said: object, name: str) -> dict[str, Any]:
    """What the task ``name`` answered, with exactly the fields that a task gives.

    Raises
    ------
    FormatError
        It is no answer of this task.
    """
    if not isinstance(said, dict) or said.get("name") != name:
        raise FormatError(f"the answer to {name} is none that a task gives")
    found: dict[str, Any] = {"name": name, "worker": plain_text(said.get("worker"))}
    if "trouble" in said:
        if said["trouble"] not in TROUBLES:
            raise FormatError(f"the answer to {name} names a trouble that there is not")
        return found | {"trouble": said["trouble"], "text": plain_text(said.get("text"))}
    for field in ("records", "bytes", "loads"):
        if type(said.get(field)) is not int or not 0 <= said[field] < _MOST:
            raise FormatError(f"{field} in the answer to {name} is no number of [0, 2^62)")
        found[field] = said[field]
    if type(said.get("kept")) is not bool:
        raise FormatError(f"kept in the answer to {name} is neither true nor false")
    if not isinstance(said.get("sha256"), str) or not _DIGEST.fullmatch(said["sha256"]):
        raise FormatError(f"sha256 in the answer to {name} has not 64 hexadecimal digits")
    return found | {"kept": said["kept"], "sha256": said["sha256"]}


def checked_numbers(said: object, fields: tuple[str, ...]) -> dict[str, int]:
    """Exactly these fields, each a number of [0, 2^62).

    Raises
    ------
    FormatError
        There are others, or a field is no such number.
    """
    if not isinstance(said, dict) or said.keys() != set(fields):
        raise FormatError(f"need the numbers {', '.join(fields)}")
    for field in fields:
        if type(said[field]) is not int or not 0 <= said[field] < _MOST:
            raise FormatError(f"{field} is no number of [0, 2^62)")
    return dict(said)
