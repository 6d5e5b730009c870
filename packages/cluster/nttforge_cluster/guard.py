# SPDX-License-Identifier: Apache-2.0
"""What workers get, by a list of types; and processes that speak to Dask refuse secret keys."""

from __future__ import annotations

import array
import enum
import io
from typing import Any

import numpy as np

from nttforge.encrypted import EncryptedArray, kinds
from nttforge.encrypted.kinds import private_kind, with_article
from nttforge.encrypted.layout import Layout
from nttforge.errors import ArgumentTypeError, ParameterError, SizeError
from nttforge.integer_encoding import BatchEncoder, CoefficientEncoder
from nttforge.rlwe import (
    Ciphertext,
    Context,
    EvaluationKeys,
    Parameters,
    PublicKey,
    RelinearizationKey,
    RotationKeys,
)

from .scheduler import begin_dask, dask
from .storage import Store

MOST_FUNCTION_BYTES = 2**18
#: Objects of this package that a function may hold: all that follows from what is public.
PUBLIC_TYPES = (
    *(Ciphertext, EncryptedArray, Layout),
    *(EvaluationKeys, PublicKey, RelinearizationKey, RotationKeys),
    *(Parameters, Context, BatchEncoder, CoefficientEncoder),
    enum.Enum,
)
#: By these an object gives its numbers away as an array.
_ARRAYS = ("__array__", "__cuda_array_interface__", "__dlpack__", "__dataframe__")
_REMEDY = (
    "and it would be sent to the workers, whose owner reads it: encrypt it and give it by shared=, "
    "or give numbers that everybody may see by public="
)


def pickled_function(function: Any) -> bytes:
    """A function as workers get it.

    It may hold numbers, texts, bytes, containers, functions, modules, objects of other packages
    that are no arrays, and of this one :data:`PUBLIC_TYPES`.

    Raises
    ------
    ParameterError
        It holds anything else, such as a plaintext, an array, or bytes of a secret key.
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
            if what := _private(obj):
                raise ParameterError(
                    f"function {_name(function)} holds {with_article(what)}, {_REMEDY}"
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
    if kind := private_kind(data):
        raise ParameterError(
            f"function {_name(function)} holds the bytes of {with_article(kind)}, and they would "
            "be sent to the workers: leave them out, and give encrypted values by shared="
        )
    if len(data) > MOST_FUNCTION_BYTES:
        raise SizeError(
            f"function {_name(function)} has {len(data)} bytes with what it holds, and each task "
            f"carries it: at most {MOST_FUNCTION_BYTES}; give arrays to it by shared= or public="
        )
    return data


def _private(obj: Any) -> str:
    """The type of an object that workers do not get; "" if they do."""
    if isinstance(obj, (type, np.generic, np.dtype)):
        return ""
    kind = type(obj)
    if kind.__module__.startswith("nttforge"):  # in whichever of our packages
        return "" if isinstance(obj, PUBLIC_TYPES) else f"{kind.__name__} of {kind.__module__}"
    if isinstance(obj, array.array) or any(hasattr(kind, name) for name in _ARRAYS):
        return f"plain array ({kind.__module__}.{kind.__name__})"
    return ""


def _name(function: Any) -> str:
    return str(getattr(function, "__qualname__", type(function).__name__))


def require_no_secret(store: Store) -> None:
    """Refuses a folder of keys with what is not for workers, as :func:`kinds.require_no_secret`."""
    kinds.require_no_secret((store.file(name), store.opened(name)) for name in store.names())


def public_bytes(data: bytes, place: str) -> bytes:
    """The bytes of a file that a worker reads, unless what is not for workers is among them.

    Raises
    ------
    ParameterError
        Names the file.
    """
    if kind := private_kind(data):
        raise ParameterError(
            f"{place} holds the bytes of {with_article(kind)}: a worker does not take it; take the "
            "file away, and make new keys if others could read it"
        )
    return data


def become_worker() -> None:
    """From here on this process reads no secret key, not from a pickle either."""
    begin_dask("work for others")
