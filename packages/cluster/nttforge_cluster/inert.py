# SPDX-License-Identifier: Apache-2.0
"""Pickles read as data: numbers, texts, containers and exceptions; anything else is inert.

A client of Dask unpickles what workers answer, and a pickle is a program. Where
:func:`read_pickles_as_data` was called, a name in a pickle that is not on the list below stands for
a :class:`Stranger`, which can be made and given a state, and does nothing.
"""

from __future__ import annotations

import builtins
import io
import pickle
import sys
from collections.abc import Iterable
from typing import Any

_PLAIN = {"bool", "bytearray", "bytes", "complex", "dict", "float", "frozenset", "int", "list"}
_PLAIN |= {"range", "set", "slice", "str", "tuple"} | {
    name
    for name, value in vars(builtins).items()
    if isinstance(value, type) and issubclass(value, Exception)
}


class Stranger(Exception):
    """Stands for an object of a class that answers have no reason to hold."""

    def __setstate__(self, state: object) -> None:
        """No state is taken."""


def _no_traceback(*_: object) -> None:
    """Where in a worker's program an error was is not taken over."""


def _exception(kind: Any, words: Any = (), *_: object) -> Exception:
    """An exception without its traceback and cause; of a class of others a :class:`Stranger`."""
    if isinstance(words, dict):
        words = words.get("args", ())
    return kind(*words) if issubclass(kind, Exception) else Stranger(*words)


#: What tblib, which Dask has exceptions pickled by, makes them of; Dask takes no other traceback.
_BY_TBLIB = {
    "unpickle_traceback": _no_traceback,
    "unpickle_exception": _exception,
    "unpickle_exception_with_attrs": _exception,
}


class _Reader(pickle.Unpickler):
    def find_class(self, module: str, name: str) -> Any:
        if module == "builtins" and name in _PLAIN:
            return getattr(builtins, name)
        if module == "tblib.pickling_support" and name in _BY_TBLIB:
            return _BY_TBLIB[name]
        return type(name.rpartition(".")[2][:100], (Stranger,), {"__module__": __name__})


def loads(
    data: Any,
    /,
    *,
    fix_imports: bool = True,
    encoding: str = "ASCII",
    errors: str = "strict",
    buffers: Iterable[Any] | None = (),
) -> Any:
    """As :func:`pickle.loads`; a :class:`Stranger` where the pickle cannot be read so."""
    try:
        return _Reader(io.BytesIO(data), buffers=buffers).load()
    except Exception as error:
        return Stranger(f"an answer that cannot be read: {type(error).__name__}")


def read_pickles_as_data() -> None:
    """From here on ``pickle.loads`` of this process is :func:`loads`; before Dask is imported."""
    if "distributed" in sys.modules:
        raise RuntimeError("distributed is imported already, and may have kept pickle.loads")
    pickle.loads = loads
