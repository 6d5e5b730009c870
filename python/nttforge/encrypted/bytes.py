# SPDX-License-Identifier: Apache-2.0
"""Encrypted arrays as bytes: what is public about one, then its ciphertext (docs/format.md)."""

from __future__ import annotations

import json
import struct
from typing import Any

from .. import _core
from ..errors import FormatError
from ..rlwe import Context
from .bounds import Told, stated_range, told_range
from .columns import ColumnScales
from .layout import layout_of
from .schemes import halves_of, no_integers, read_ciphertext
from .state import Encrypted

MAGIC = b"NTTFARR1"
_MOST_HEADER = 2**20  # a scale for each of 2^16 columns
_MOST_SCALE = 2**1000  # of a product of many; a float holds it
_BEGIN, _CHECKSUM_BYTES = len(MAGIC) + 4, 8
_FIELDS = {"rows", "length", "kept", "block", "scale", "low", "high", "clean"}


def bytes_of(x: Encrypted, noise: bool, bounds: Any | None) -> bytes:
    """Header and ciphertext of an array whose ciphertext has two parts."""
    header = header_of(x, bounds)
    ciphertext: bytes = x.text.to_bytes(**({} if x.layout.real else {"noise": noise}))
    return header + ciphertext


def header_of(x: Encrypted, bounds: Any | None = None) -> bytes:
    """What comes before the ciphertext."""
    low, high = x.low, x.high
    if x.layout.real:
        if bounds is not None:
            raise no_integers("bounds", "say x.within(low, high), which their errors depend on")
        if x.told != Told.STATED:  # the ciphertext's bound is in its bytes, and may be told again
            low, high = -x.text.bound, x.text.bound
    elif bounds is not None:
        low, high = stated_range(low, high, x.scale, bounds)
    else:
        low, high = told_range(low, high, x.told, x.text.context.t)
    header: dict[str, Any] = {"rows": x.layout.rows, "length": x.layout.length, "kept": x.kept}
    header |= {"block": x.layout.block}
    header["scale"] = x.scale.values if isinstance(x.scale, ColumnScales) else x.scale
    header |= {"low": low, "high": high, "clean": x.clean}
    return sealed_header(json.dumps(header, sort_keys=True, separators=(",", ":")))


def fields_of(context: Context, data: bytes, most_bytes: int | None) -> dict[str, Any]:
    """Fields of the array that :func:`bytes_of` wrote, but for keys and t."""
    fields, rest = read_frame(data)
    block, length, rows = (fields.pop(name) for name in ("block", "length", "rows"))
    halves, ends = halves_of(context), (fields["low"], fields["high"])
    if halves == 2 and not all(type(end) is int and abs(end) <= 2**62 for end in ends):
        raise FormatError(f"data is altered: low, high = {ends} of integers in its header")
    if block & (block - 1) or block > context.n // 2 or (length or 1) > block:
        raise FormatError(f"data is altered: length = {length}, block = {block} in its header")
    layout = layout_of(context.n, block, rows, length, halves)
    text = read_ciphertext(context, rest, most_bytes)
    if text.batch != layout.ciphertexts or text.parts != 2 or text.encoding != "slots":
        raise FormatError(
            f"data is altered: {layout.ciphertexts} ciphertexts of slots are announced, and "
            f"there are {text.batch} of {text.encoding}, {text.parts} parts"
        )
    if isinstance(fields["scale"], list):
        fields["scale"] = ColumnScales(tuple(fields["scale"]))
    return {"text": text, "layout": layout, **fields}


def sealed_header(text: str) -> bytes:
    """What comes before the ciphertext, of a header as text."""
    data = text.encode("utf-8", "replace")
    head = MAGIC + struct.pack("<I", len(data)) + data
    return head + struct.pack("<Q", _core.checksum64(head))


def read_frame(data: bytes) -> tuple[dict[str, Any], bytes]:
    """The header, checked, and the bytes of the ciphertext.

    Raises
    ------
    FormatError
        The bytes are truncated, altered, of another kind, or the header is none.
    """
    if data[: len(MAGIC) - 1] != MAGIC[:-1]:
        raise FormatError("data is no encrypted array: it does not begin with NTTFARR")
    if data[: len(MAGIC)] != MAGIC:
        raise FormatError(
            f"data is an encrypted array of version {data[7:8]!r}, and this release reads "
            "version 1: update nttforge, or have the array written again by a release that does"
        )
    room = len(data) - _BEGIN - _CHECKSUM_BYTES
    if room < 0:
        raise FormatError("data is truncated: an encrypted array has a header")
    (length,) = struct.unpack_from("<I", data, len(MAGIC))
    if length > min(_MOST_HEADER, room):
        raise FormatError(
            f"data is truncated or altered: its header has {length} bytes, and at most "
            f"{min(_MOST_HEADER, room)} are possible"
        )
    end = _BEGIN + length
    (checksum,) = struct.unpack_from("<Q", data, end)
    if checksum != _core.checksum64(data[:end]):
        raise FormatError("data is altered: the checksum of its header does not match")
    try:
        header = json.loads(data[_BEGIN:end].decode("ascii"))
    except (ValueError, RecursionError):
        raise FormatError("data is altered: its header is no JSON") from None
    if not isinstance(header, dict) or header.keys() != _FIELDS:
        raise FormatError(f"data is altered: its header needs the fields {sorted(_FIELDS)}")
    _require_values(header)
    return header, data[end + _CHECKSUM_BYTES :]


def _require_values(header: dict[str, Any]) -> None:
    def whole(name: str, low: int, high: int) -> bool:
        value = header[name]
        return type(value) is int and low <= value <= high

    def scale(value: Any) -> bool:
        return type(value) in (int, float) and 0 < value < _MOST_SCALE

    def end(value: Any, sign: int) -> bool:
        """0 or a number of a sign; of integers fields_of knows more."""
        return type(value) in (int, float) and (value == 0 or scale(value * sign))

    def scales(value: Any) -> bool:
        """One for each column, not all equal."""
        if type(value) is not list or len(value) != header["length"]:
            return False
        return all(map(scale, value)) and len(set(value)) > 1

    rules = {
        "rows": header["rows"] is None or whole("rows", 1, 2**36),
        "length": header["length"] is None or whole("length", 1, 2**16),
        "block": whole("block", 1, 2**16),
        "low": end(header["low"], -1),
        "high": end(header["high"], 1),
        "kept": type(header["kept"]) is bool,
        "clean": type(header["clean"]) is bool,
        "scale": scale(header["scale"]) or scales(header["scale"]),
    }
    for name, holds in rules.items():
        if not holds:
            raise FormatError(f"data is altered: {name} = {header[name]!r} of its header is none")
