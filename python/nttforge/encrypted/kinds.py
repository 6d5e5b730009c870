# SPDX-License-Identifier: Apache-2.0
"""What bytes say that they are, and the names of files in a folder of keys."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import AbstractContextManager
from typing import IO

from ..errors import ParameterError
from .bytes import MAGIC

__all__ = [
    "EVALUATION",
    "PARAMETERS",
    "PUBLIC",
    "SECRET",
    "holds_secret",
    "kind_of",
    "require_no_secret",
]

PARAMETERS, SECRET, PUBLIC = "parameters.bin", "secret.key", "public.key"
EVALUATION = "evaluation.key"
_MAGIC = b"nttforge"
_KINDS = (
    *("parameters", "secret key", "public key", "relinearization key", "rotation keys"),
    *("plaintext", "ciphertext", "evaluation keys"),
)


def kind_of(data: bytes) -> str:
    """What an object's bytes say that they are; "" if they are no object of the library."""
    if data[:8] == MAGIC:
        return "encrypted array"
    if data[:8] != _MAGIC or len(data) < 32:
        return ""
    kind = int.from_bytes(data[12:14], "little")
    return _KINDS[kind - 1] if 1 <= kind <= len(_KINDS) else f"an object of kind {kind}"


def require_no_secret(files: Iterable[tuple[str, AbstractContextManager[IO[bytes]]]]) -> None:
    """Refuses to compute beside a secret key, among files by name that are opened in turn.

    Raises
    ------
    ParameterError
        Names the file.
    """
    for name, opened in files:
        with opened as file:
            head = file.read(32)
        if kind_of(head) == "secret key":
            raise ParameterError(
                f"{name} is a secret key: nothing is computed beside one, since whoever computes "
                "must not be able to decrypt; give the server's folder of keys, and take this file "
                "away from this machine if it is not its owner's"
            )


def holds_secret(data: bytes) -> bool:
    """Whether a secret key of the library's format begins anywhere in these bytes."""
    found = data.find(_MAGIC)
    while found >= 0:
        if kind_of(data[found : found + 32]) == "secret key":
            return True
        found = data.find(_MAGIC, found + 1)
    return False
