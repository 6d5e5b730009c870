# SPDX-License-Identifier: Apache-2.0
"""What an array of another library states by ``__cuda_array_interface__``, checked."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..errors import ArgumentTypeError, NttforgeError
from ._arrays import RESIDUES, kind_of
from ._streams import Stream, stream_of

_NEED = "the protocol asks for 'shape', 'typestr' and 'data' = (address, read-only)"


@dataclass
class StatedArray:
    """The members of an interface that matter to a plan."""

    shape: tuple[int, ...]
    dtype: np.dtype[Any]
    strides: tuple[int, ...] | None
    address: int
    writable: bool
    stream: Stream | None
    """In which its owner wrote it, where it says so."""


def read_interface(
    field: str, interface: Any, kinds: tuple[np.dtype[Any], ...] = RESIDUES
) -> StatedArray:
    """The interface of ``field``; ArgumentTypeError naming the member that is missing or wrong."""
    name = f"{field}.__cuda_array_interface__"
    if not isinstance(interface, dict):
        raise ArgumentTypeError(f"{name} is a {type(interface).__name__}: need a dict; {_NEED}")
    for member in ("shape", "typestr", "data"):
        if member not in interface:
            raise ArgumentTypeError(f"{name} has no {member!r}: {_NEED}")
    if interface.get("mask") is not None:
        raise ArgumentTypeError(f"{name} has a mask, and residues have none: pass the array itself")
    shape = _integers(name, "shape", interface["shape"])
    if min(shape, default=0) < 0:
        raise ArgumentTypeError(f"{name}['shape'] = {shape}: lengths cannot be negative")
    strides = interface.get("strides")
    if strides is not None:
        strides = _integers(name, "strides", strides)
        if len(strides) != len(shape):
            raise ArgumentTypeError(
                f"{name}['strides'] = {strides}: need one for each axis of shape {shape}"
            )
    address, read_only = _data(name, interface["data"])
    return StatedArray(
        shape=shape,
        dtype=kind_of(f"{field}.dtype", interface["typestr"], kinds),
        strides=strides,
        address=address,
        writable=not read_only,
        stream=_stream(name, interface.get("stream")),
    )


def _integers(name: str, member: str, values: Any) -> tuple[int, ...]:
    whole = isinstance(values, (tuple, list)) and all(
        isinstance(v, (int, np.integer)) and not isinstance(v, bool) for v in values
    )
    if not whole:
        raise ArgumentTypeError(f"{name}[{member!r}] = {values!r}: need a tuple of integers")
    return tuple(int(v) for v in values)


def _data(name: str, data: Any) -> tuple[int, bool]:
    pair = isinstance(data, (tuple, list)) and len(data) == 2
    if not pair or not isinstance(data[0], (int, np.integer)) or not 0 <= data[0] < 2**64:
        raise ArgumentTypeError(f"{name}['data'] = {data!r}: need (address, read-only)")
    return int(data[0]), bool(data[1])


def _stream(name: str, stream: Any) -> Stream | None:
    if stream is not None and (not isinstance(stream, int) or isinstance(stream, bool)):
        raise ArgumentTypeError(f"{name}['stream'] = {stream!r}: need an address, or None")
    try:
        return stream_of(stream)
    except NttforgeError as error:
        raise type(error)(f"{name}[{'stream'!r}]: {error}") from None
