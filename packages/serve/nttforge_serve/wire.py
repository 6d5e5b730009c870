# SPDX-License-Identifier: Apache-2.0
"""What both sides agree on: bodies of several objects, and the description of a circuit.

A body holds its objects one behind the other, each behind its length:

    8 bytes, little-endian: L | L bytes | 8 bytes: L | L bytes | ...

Requests hold one ciphertext for each input of the circuit, in order; answers one encrypted array
for each result. Everything else that travels is JSON.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import json
import struct
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from nttforge import bfv, ckks
from nttforge.encrypted import ArraySpec
from nttforge.errors import FormatError, NttforgeError, ParameterError

__all__ = ["LENGTH_BYTES", "Contract", "announced", "joined", "parted"]

LENGTH_BYTES = 8
_MOST_INPUTS, _MOST_RESULTS, _MOST_TEXT = 64, 64, 4096
_MOST_STEPS = 2**15


def joined(parts: Iterable[bytes]) -> bytes:
    """Objects as one body."""
    return b"".join(announced(part) for part in parts)


def announced(begin: bytes, rest: int = 0) -> bytes:
    """An object's length and its first bytes, behind which ``rest`` more come."""
    return struct.pack("<Q", len(begin) + rest) + begin


def parted(body: bytes, count: int) -> list[memoryview]:
    """The ``count`` objects of a body, without copies.

    Raises
    ------
    FormatError
        There are fewer or more objects, or a length does not fit the bytes there are.

    Examples
    --------
    >>> [bytes(part) for part in parted(joined([b"ab", b""]), 2)]
    [b'ab', b'']
    """
    view, at, found = memoryview(body), 0, []
    for i in range(count):
        left = len(view) - at - LENGTH_BYTES
        length = struct.unpack_from("<Q", view, at)[0] if left >= 0 else 0
        if left < 0 or length > left:
            raise FormatError(
                f"body: object {i + 1} of {count} is announced with {length} bytes, and "
                f"{max(0, left)} are left; need 8 bytes of length and as many bytes as they say"
            )
        found.append(view[at + LENGTH_BYTES : at + LENGTH_BYTES + length])
        at += LENGTH_BYTES + length
    if at != len(view):
        raise FormatError(f"body: {len(view) - at} bytes follow the last of {count} objects")
    return found


@dataclass(frozen=True)
class Contract:
    """What a client has to know of a circuit: inputs, parameters, keys; nothing of it is secret.

    Parameters
    ----------
    name, about : str
    inputs : mapping of str to ArraySpec
        In the order of the circuit's arguments.
    results : int
        Arrays that come back.
    single : bool
        Whether the circuit returns an array, and not a tuple of them.
    parameters : bfv.Parameters or ckks.Parameters
    relinearization, swap_columns : bool
    rotations : tuple of int
        Evaluation keys that the circuit needs, and no others are taken.
    """

    name: str
    about: str
    inputs: Mapping[str, ArraySpec]
    results: int
    single: bool
    parameters: Any
    relinearization: bool
    rotations: tuple[int, ...]
    swap_columns: bool

    @property
    def scheme(self) -> str:
        """``bfv`` or ``ckks``."""
        return "ckks" if isinstance(self.parameters, ckks.Parameters) else "bfv"

    @property
    def halves(self) -> int:
        """Rows of slots."""
        return 1 if self.scheme == "ckks" else 2

    @property
    def has_keys(self) -> bool:
        """Whether the circuit needs any evaluation keys."""
        return bool(self.relinearization or self.rotations or self.swap_columns)

    @property
    def keys_bytes(self) -> int:
        """The size of the evaluation keys as bytes, exactly; 0 if none are needed."""
        if not self.has_keys:
            return 0
        count = len(self.rotations) + self.swap_columns
        return int(self.parameters.evaluation_keys_bytes(count, self.relinearization))

    @property
    def ciphertext_bytes(self) -> int:
        """Memory of the ciphertexts of the largest input, in words of 64 bits."""
        layouts = [spec.layout(self.parameters.n, self.halves) for spec in self.inputs.values()]
        count = max(layout.ciphertexts for layout in layouts)
        return count * 2 * len(self.parameters.q) * int(self.parameters.n) * 8

    @property
    def request_bytes(self) -> int:
        """The most bytes that a request has: ciphertexts of two parts at the highest level."""
        sizes = [
            self.parameters.serialized_sizes(
                spec.layout(self.parameters.n, self.halves).ciphertexts
            )
            for spec in self.inputs.values()
        ]
        return sum(LENGTH_BYTES + int(size["ciphertext"]) for size in sizes)

    def make_context(self, threads: int = 0, device: str = "cpu") -> Any:
        """A context of the parameters; ``threads`` are those of CPUs."""
        scheme: Any = ckks if self.scheme == "ckks" else bfv
        options = {"threads": threads} if device == "cpu" else {}
        return scheme.Context(self.parameters, device=device, **options)

    def make_keys(self, context: Any) -> Any:
        """A new secret with exactly the evaluation keys that the circuit needs."""
        options: dict[str, Any] = {"swap_columns": True} if self.swap_columns else {}
        return context.generate_keys(
            relinearization=self.relinearization, rotations=self.rotations, **options
        )

    def to_dict(self) -> dict[str, Any]:
        """As JSON says it; what begins with ``derived`` is for readers without this library."""
        document: dict[str, Any] = {
            "name": self.name,
            "about": self.about,
            "inputs": [
                {
                    "name": name,
                    "shape": list(spec.shape),
                    "low": spec.low,
                    "high": spec.high,
                    "scale": spec.scale,
                    "block": spec.layout(self.parameters.n, self.halves).block,
                }
                for name, spec in self.inputs.items()
            ],
            "results": self.results,
            "single": self.single,
            "parameters": base64.b64encode(self.parameters.to_bytes()).decode("ascii"),
            "keys": {
                "relinearization": self.relinearization,
                "rotations": list(self.rotations),
                "swap_columns": self.swap_columns,
            },
        }
        text = json.dumps(document, sort_keys=True, separators=(",", ":"))
        document["fingerprint"] = hashlib.sha256(text.encode()).hexdigest()
        document["derived"] = {
            "scheme": self.scheme,
            "n": self.parameters.n,
            "t": getattr(self.parameters, "t", None),
            "q": list(self.parameters.q),
            "special": list(self.parameters.special),
            "security": self.parameters.security,
            "keys_bytes": self.keys_bytes,
            "request_bytes": self.request_bytes,
        }
        return document

    @property
    def fingerprint(self) -> str:
        """Tells contracts apart: SHA-256 of what is not derived."""
        return str(self.to_dict()["fingerprint"])

    @classmethod
    def from_dict(cls, document: object) -> Contract:
        """Reads what a server says of a circuit, which is taken as hostile.

        Raises
        ------
        FormatError
            A field is missing, of another type or out of range; parameters that reach no security
            level are none.
        """
        fields = _mapping("circuit", document)
        keys = _mapping("keys", fields.get("keys"))
        inputs = _list("inputs", fields.get("inputs"), _MOST_INPUTS)
        try:
            data = base64.b64decode(
                _text("parameters", fields.get("parameters"), 2**16), validate=True
            )
        except (binascii.Error, ValueError):
            raise FormatError("parameters of the circuit are no base64") from None
        scheme: Any = ckks if data[10:12] == b"\x03\x00" else bfv
        try:
            parameters = scheme.Parameters.from_bytes(data)
            specs = dict(_input(parameters.n, one) for one in inputs)
            for name, spec in specs.items():
                if not name.isidentifier():
                    raise FormatError(f"inputs: {name!r} is no name of an argument")
                spec.layout(parameters.n, 1 if scheme is ckks else 2)
        except FormatError:
            raise
        except NttforgeError as error:
            raise FormatError(f"circuit: {error}") from None
        if len(specs) != len(inputs) or not specs:
            raise FormatError("inputs: need at least one, each with a name of its own")
        steps = _list("rotations", keys.get("rotations"), _MOST_STEPS)
        rotations = tuple(_whole("rotations", step, -_MOST_STEPS, _MOST_STEPS) for step in steps)
        return cls(
            _text("name", fields.get("name"), 64),
            _text("about", fields.get("about"), _MOST_TEXT),
            specs,
            _whole("results", fields.get("results"), 1, _MOST_RESULTS),
            _truth("single", fields.get("single")),
            parameters,
            _truth("relinearization", keys.get("relinearization")),
            rotations,
            _truth("swap_columns", keys.get("swap_columns")),
        )


def _input(n: int, document: object) -> tuple[str, ArraySpec]:
    fields = _mapping("input", document)
    shape = tuple(_whole("shape", x, 1, 2**36) for x in _list("shape", fields.get("shape"), 2))
    numbers = {name: _number(name, fields.get(name)) for name in ("low", "high", "scale")}
    if numbers["scale"] <= 0:
        raise ParameterError(f"scale = {numbers['scale']} is not above 0")
    block = _whole("block", fields.get("block"), 1, n)
    return _text("name", fields.get("name"), 64), ArraySpec(shape, **numbers, block=block)


def _mapping(name: str, value: object) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise FormatError(f"{name} is a {type(value).__name__}: need an object of JSON")
    return value


def _list(name: str, value: object, most: int) -> list[Any]:
    if not isinstance(value, list) or len(value) > most:
        raise FormatError(f"{name} is no list of at most {most} entries")
    return value


def _text(name: str, value: object, most: int) -> str:
    if not isinstance(value, str) or len(value) > most:
        raise FormatError(f"{name} is no text of at most {most} characters")
    return value


def _truth(name: str, value: object) -> bool:
    if not isinstance(value, bool):
        raise FormatError(f"{name} = {value!r} is neither true nor false")
    return value


def _whole(name: str, value: object, low: int, high: int) -> int:
    if type(value) is not int or not low <= value <= high:
        raise FormatError(f"{name} = {value!r} is no integer in [{low}, {high}]")
    return value


def _number(name: str, value: object) -> Any:
    if type(value) not in (int, float) or not abs(float(value)) < 2.0**62:  # type: ignore[arg-type]
        raise FormatError(f"{name} = {value!r} is no number below 2^62")
    return value
