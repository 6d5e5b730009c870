# SPDX-License-Identifier: Apache-2.0
"""Secret keys stay with the client: what is sent is searched for them, and workers refuse them."""

from __future__ import annotations

import io
from typing import Any

from .._scheduler import dask
from ..encrypted import kinds
from ..encrypted.kinds import holds_secret
from ..errors import ArgumentTypeError, ParameterError, SizeError
from ..rlwe import Plaintext, SecretKey
from ..rlwe.keys import refuse_secret_keys
from .storage import Store

MOST_FUNCTION_BYTES = 2**18


def pickled_function(function: Any) -> bytes:
    """A function as workers get it.

    Raises
    ------
    ParameterError
        It holds a secret key, or a plaintext, in an object or as bytes.
    SizeError
        It holds more than 256 KiB of data.
    ArgumentTypeError
        It cannot be called or pickled.
    """
    if not callable(function):
        raise ArgumentTypeError(f"function is a {type(function).__name__}: need one to call")
    cloudpickle = dask("cloudpickle")

    class Pickler(cloudpickle.Pickler):  # type: ignore
        def reducer_override(self, obj: Any) -> Any:
            if isinstance(obj, (SecretKey, Plaintext)):
                kind = "secret key" if isinstance(obj, SecretKey) else "plaintext"
                raise ParameterError(
                    f"function {_name(function)} holds a {kind}, and it would be sent to the "
                    "workers: give encrypted or public values to it by shared="
                )
            return super().reducer_override(obj)

    buffer = io.BytesIO()
    try:
        Pickler(buffer, protocol=5).dump(function)
    except (ParameterError, SizeError):
        raise
    except Exception as error:
        raise ArgumentTypeError(f"function {_name(function)} cannot be sent: {error}") from None
    data = buffer.getvalue()
    if holds_secret(data):
        raise ParameterError(
            f"function {_name(function)} holds the bytes of a secret key, and they would be sent "
            "to the workers: leave them out"
        )
    if len(data) > MOST_FUNCTION_BYTES:
        raise SizeError(
            f"function {_name(function)} has {len(data)} bytes with what it holds, and each task "
            f"carries it: at most {MOST_FUNCTION_BYTES}; give arrays to it by shared="
        )
    return data


def _name(function: Any) -> str:
    return str(getattr(function, "__qualname__", type(function).__name__))


def require_no_secret(store: Store) -> None:
    """Refuses a folder of keys that holds a secret one, as :func:`kinds.require_no_secret`."""
    kinds.require_no_secret((store.file(name), store.opened(name)) for name in store.names())


def public_bytes(data: bytes, place: str) -> bytes:
    """The bytes of a file that a worker reads, unless a secret key is among them.

    Raises
    ------
    ParameterError
        Names the file.
    """
    if holds_secret(data):
        raise ParameterError(
            f"{place} holds a secret key: a worker does not take it; take the file away, and make "
            "new keys if others could read it"
        )
    return data


def become_worker() -> None:
    """From here on this process reads no secret key, not from a pickle either."""
    refuse_secret_keys(
        "this process computes for others, who must not be able to decrypt; keep the key where "
        "its owner is, and encrypt and decrypt there"
    )
