# SPDX-License-Identifier: Apache-2.0
"""What bytes say that they are, and the names of files in a folder of keys."""

from __future__ import annotations

import re
from collections.abc import Iterable
from contextlib import AbstractContextManager
from typing import IO

from ..errors import ParameterError
from .bytes import MAGIC

PARAMETERS, SECRET, PUBLIC = "parameters.bin", "secret.key", "public.key"
EVALUATION = "evaluation.key"
_MAGIC = b"nttforge"
_KINDS = (
    *("parameters", "secret key", "public key", "relinearization key", "rotation keys"),
    *("plaintext", "ciphertext", "evaluation keys", "key-switching key", "bootstrap keys"),
)
#: Kinds that whoever computes gets.
_PUBLIC_KINDS = {"encrypted array", *_KINDS} - {"secret key", "plaintext"}
#: Magic and size of SEAL's header; any version; compression of 0 ... 2; zero; a size below 2^40.
_SEAL_HEADER = re.compile(rb"\x5e\xa1\x10..[\x00-\x02]\x00\x00(.{5}\x00\x00\x00)", re.DOTALL)
_SEAL = "object of Microsoft SEAL"


def kind_of(data: bytes) -> str:
    """What an object's bytes say that they are; "" if they are no object of the library."""
    if data[:8] == MAGIC:
        return "encrypted array"
    if data[:8] != _MAGIC or len(data) < 32:
        return ""
    kind = int.from_bytes(data[12:14], "little")
    return _KINDS[kind - 1] if 1 <= kind <= len(_KINDS) else f"object of kind {kind}"


def with_article(kind: str) -> str:
    """A kind in a sentence.

    >>> with_article("plaintext"), with_article("encrypted array")
    ('a plaintext', 'an encrypted array')
    """
    return f"{'an' if kind[0].lower() in 'aeiou' else 'a'} {kind}"


def private_kind(data: bytes) -> str:
    """What the first object in these bytes is that is not for whoever computes; "" without one.

    Objects may begin anywhere. Those of SEAL are all private here, since a compressed secret key
    looks as any other of them; they are found where they are whole.
    """
    found = data.find(_MAGIC)
    while found >= 0:
        head = data[found : found + 32]
        kind = kind_of(head) if head[14:16] == bytes(2) else ""  # else a text about this package
        if kind and kind not in _PUBLIC_KINDS:
            return kind
        found = data.find(_MAGIC, found + 1)
    for header in _SEAL_HEADER.finditer(data):
        if 16 < int.from_bytes(header[1], "little") <= len(data) - header.start():
            return _SEAL
    return ""


def require_no_secret(files: Iterable[tuple[str, AbstractContextManager[IO[bytes]]]]) -> None:
    """Refuses to compute beside what is not for whoever computes, in files opened by name in turn.

    Raises
    ------
    ParameterError
        Names the file.
    """
    for name, opened in files:
        with opened as file:
            head = file.read(32)
        kind = _SEAL if _SEAL_HEADER.match(head) else kind_of(head)
        if kind and kind not in _PUBLIC_KINDS:
            raise ParameterError(
                f"{name} is {with_article(kind)}: nothing is computed beside one, since whoever "
                "computes must not be able to decrypt; give the server's folder of keys, and take "
                "this file away from this machine if it is not its owner's"
            )
