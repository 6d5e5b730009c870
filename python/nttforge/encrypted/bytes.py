# SPDX-License-Identifier: Apache-2.0
"""Encrypted arrays as bytes: what is public about one, then its ciphertext (docs/format.md)."""

from __future__ import annotations

import json
import math
import struct
from typing import Any

from ..errors import FormatError

__all__ = ["MAGIC", "read_frame", "write_frame"]

MAGIC = b"NTTFARR1"
_MOST_HEADER = 4096
_FIELDS = {"rows", "length", "kept", "block", "scale", "low", "high", "clean"}


def write_frame(header: dict[str, Any], ciphertext: bytes) -> bytes:
    """Magic, length of the header, header as JSON, ciphertext."""
    text = json.dumps(header, sort_keys=True, separators=(",", ":")).encode()
    return MAGIC + struct.pack("<I", len(text)) + text + ciphertext


def read_frame(data: bytes) -> tuple[dict[str, Any], bytes]:
    """The header, checked, and the bytes of the ciphertext.

    Raises
    ------
    FormatError
        The bytes are truncated, of another kind, or the header is none.
    """
    if data[: len(MAGIC) - 1] != MAGIC[:-1]:
        raise FormatError("data is no encrypted array: it does not begin with NTTFARR")
    if data[: len(MAGIC)] != MAGIC:
        raise FormatError(
            f"data is an encrypted array of version {data[7:8]!r}, and this release reads "
            "version 1: update nttforge, or have the array written again by a release that does"
        )
    if len(data) < len(MAGIC) + 4:
        raise FormatError("data is truncated: an encrypted array has a header")
    (length,) = struct.unpack_from("<I", data, len(MAGIC))
    begin = len(MAGIC) + 4
    if length > _MOST_HEADER or begin + length > len(data):
        raise FormatError(
            f"data is truncated or altered: its header has {length} bytes, and at most "
            f"{min(_MOST_HEADER, len(data) - begin)} are possible"
        )
    try:
        header = json.loads(data[begin : begin + length].decode("ascii"))
    except (ValueError, RecursionError):
        raise FormatError("data is altered: its header is no JSON") from None
    if not isinstance(header, dict) or header.keys() != _FIELDS:
        raise FormatError(f"data is altered: its header needs the fields {sorted(_FIELDS)}")
    _require_values(header)
    return header, data[begin + length :]


def _require_values(header: dict[str, Any]) -> None:
    def whole(name: str, low: int, high: int) -> bool:
        value = header[name]
        return type(value) is int and low <= value <= high

    def number(name: str) -> bool:
        value = header[name]
        return type(value) in (int, float) and value > 0 and math.isfinite(value)

    rules = {
        "rows": header["rows"] is None or whole("rows", 1, 2**36),
        "length": header["length"] is None or whole("length", 1, 2**16),
        "block": whole("block", 1, 2**16),
        "low": whole("low", -(2**62), 0),
        "high": whole("high", 0, 2**62),
        "kept": type(header["kept"]) is bool,
        "clean": type(header["clean"]) is bool,
        "scale": number("scale"),
    }
    for name, holds in rules.items():
        if not holds:
            raise FormatError(f"data is altered: {name} = {header[name]!r} of its header is none")
