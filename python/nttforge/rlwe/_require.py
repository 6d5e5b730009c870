# SPDX-License-Identifier: Apache-2.0
"""Checks of arguments, and bytes that others hold."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import IO, TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..errors import ArgumentTypeError, SizeError

if TYPE_CHECKING:
    from ..typing import BytesLike, Encoding

ENCODINGS: tuple[Encoding, ...] = ("slots", "coefficients")

#: Most plaintexts or ciphertexts of one object.
MAX_BATCH = 2**20


def view(data: BytesLike) -> NDArray[np.uint8]:
    """Bytes-like data as an array over the same memory."""
    try:
        return np.frombuffer(data, dtype=np.uint8)
    except ValueError:  # NumPy refuses empty buffers in old versions.
        return np.empty(0, dtype=np.uint8)
    except BufferError:
        raise SizeError("data is not contiguous: pass bytes(data)") from None
    except TypeError:
        raise ArgumentTypeError(
            f"data is a {type(data).__name__}: need bytes, bytearray, memoryview or an mmap"
        ) from None


@contextlib.contextmanager
def steady(data: Any) -> Iterator[NDArray[np.uint8]]:
    """Bytes that nobody else can change while they are read: ``bytes`` as they are, else a copy.

    The copy is overwritten afterwards, as it may be a secret.
    """
    given = view(data)
    if isinstance(data, bytes):
        yield given
        return
    copy = given.copy()
    try:
        yield copy
    finally:
        copy.fill(0)


def sent_to(file: IO[bytes]) -> Callable[[bytes], None]:
    """What writes all of a part to a file."""

    def send(part: bytes) -> None:
        rest = memoryview(part)
        while rest:
            written = file.write(rest)
            rest = rest[len(rest) if written is None else written :]

    return send


def fetched_from(file: IO[bytes]) -> Callable[[int], bytes]:
    """What reads so many bytes of a file, fewer at its end only."""

    def fetch(count: int) -> bytes:
        parts = []
        while count > 0 and (part := file.read(count)):
            parts.append(bytes(part))
            count -= len(part)
        return parts[0] if len(parts) == 1 else b"".join(parts)

    return fetch


def require(value: object, cls: type, field: str) -> Any:
    """``value`` if it is a ``cls``."""
    if not isinstance(value, cls):
        raise ArgumentTypeError(f"{field} is a {type(value).__name__}: need a {cls.__name__}")
    return value
