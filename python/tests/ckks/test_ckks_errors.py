# SPDX-License-Identifier: Apache-2.0
"""Misuse of CKKS: each error names what was given, what is allowed and what to do."""

from __future__ import annotations

import struct
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from nttforge._core import checksum64
from small_ckks import small_set

from nttforge import bfv, ckks
from nttforge.errors import (
    ArgumentTypeError,
    ContextError,
    FormatError,
    MissingKeyError,
    NttforgeError,
    ParameterError,
    PrecisionError,
    SizeError,
    UnsupportedError,
)

_CONTEXT = ckks.Context(small_set(64, 2))
_OTHER = ckks.Context(small_set(128, 2))
_KEYS = _CONTEXT.generate_keys(rotations=[1, 4])
_BARE = ckks.Context(
    ckks.Parameters.custom(64, 2.0**40, _CONTEXT.parameters.q, security="insecure_by_request")
)
_X = _KEYS.encrypt([0.5, 0.25])
_SPARSE = _KEYS.encrypt([0.5, 0.25], slots=8)
_COEFFICIENTS = _KEYS.encrypt([0.5, 0.25], encoding="coefficients")
_LOW = _X.mod_switch(1)
_BATCH = _KEYS.encrypt([[1, 2], [3, 4], [5, 6]], bound=8)
_FOREIGN = _OTHER.generate_keys()
_NONE = _CONTEXT.generate_keys(relinearization=False)

Parameters = ckks.Parameters


def _altered(offset: int, value: bytes) -> bytes:
    """The bytes of a ciphertext with some of its payload replaced, and the checksum made anew."""
    data = bytearray(_X.to_bytes())
    data[32 + offset : 32 + offset + len(value)] = value
    data[-8:] = struct.pack("<Q", checksum64(bytes(data[:-8])))
    return bytes(data)


def _read(data: bytes) -> ckks.Ciphertext:
    return ckks.Ciphertext.from_bytes(_CONTEXT, data)


def _deep() -> Any:
    x = _KEYS.encrypt([0.5])
    for _ in range(3):
        x = (x * x).relinearize(_KEYS)
    return x


_CASES: dict[str, tuple[Callable[[], Any], type[NttforgeError], str]] = {
    # Numbers.
    "NaN": (lambda: _KEYS.encrypt([1, np.nan]), ParameterError, r"values\[1\] = nan: NaN and inf"),
    "infinity": (lambda: _KEYS.encrypt([[np.inf]]), ParameterError, r"values\[0, 0\] = inf"),
    "imaginary NaN": (lambda: _KEYS.encrypt([1j * np.nan]), ParameterError, "must be finite"),
    "NaN of an operand": (lambda: _X * [np.nan], ParameterError, r"values\[0\] = nan"),
    "NaN constant": (lambda: _X * float("nan"), ParameterError, "b = nan: a number must be finite"),
    "infinite constant": (lambda: _X + np.inf, ParameterError, "b = inf: a number must be finite"),
    "beyond doubles": (lambda: _KEYS.encrypt([10**400]), ParameterError, "doubles end at 2\\^1024"),
    "beyond the bound": (
        lambda: _KEYS.encrypt([0.5, -3]),
        ParameterError,
        r"values reach 3 and bound = 1: state a bound that holds",
    ),
    "imaginary part beyond": (lambda: _KEYS.encrypt([2j]), ParameterError, "values reach 2"),
    "bound 0": (lambda: _KEYS.encrypt([0], bound=0), ParameterError, "bound = 0 is not in"),
    "bound that is NaN": (lambda: _KEYS.encrypt([0], bound=np.nan), ParameterError, "bound = nan"),
    "bound that is text": (
        lambda: _KEYS.encrypt([0], bound="1"),  # type: ignore[arg-type]
        ArgumentTypeError,
        "bound = '1': need a number",
    ),
    "too many": (
        lambda: _KEYS.encrypt(np.zeros(33)),
        SizeError,
        "values has 33 entries: need 1 to 32 slots",
    ),
    "too many of a batch": (
        lambda: _KEYS.encrypt(np.zeros((2, 33))),
        SizeError,
        "33 entries a row",
    ),
    "too many for sparse": (
        lambda: _KEYS.encrypt(np.zeros(9), slots=8),
        SizeError,
        "need 1 to 8 slots",
    ),
    "too many coefficients": (
        lambda: _KEYS.encrypt(np.zeros(65), encoding="coefficients"),
        SizeError,
        "need 1 to 64 coefficients",
    ),
    "none": (lambda: _KEYS.encrypt([]), SizeError, "values has 0 entries"),
    "three axes": (lambda: _KEYS.encrypt(np.zeros((1, 1, 1))), SizeError, r"shape \(1, 1, 1\)"),
    "ragged": (lambda: _KEYS.encrypt([[1], [1, 2]]), SizeError, "rows of different lengths"),
    "text": (lambda: _KEYS.encrypt(["1"]), ArgumentTypeError, "dtype <U1: need real or complex"),
    "objects": (lambda: _KEYS.encrypt([object()]), ArgumentTypeError, "values has dtype object"),
    "dates": (
        lambda: _KEYS.encrypt(np.zeros(2, dtype="M8[s]")),
        ArgumentTypeError,
        "need real or complex numbers",
    ),
    "masked": (lambda: _KEYS.encrypt(np.ma.array([1.0])), ArgumentTypeError, r"filled\(0\)"),
    "on a GPU": (
        lambda: _KEYS.encrypt(SimpleNamespace(__cuda_array_interface__={})),  # type: ignore[arg-type]
        UnsupportedError,
        "copy it to the host first",
    ),
    "complex coefficients": (
        lambda: _KEYS.encrypt([1j], encoding="coefficients"),
        ParameterError,
        "coefficients are real: pass values.real",
    ),
    "slots 12": (lambda: _KEYS.encrypt([1], slots=12), ParameterError, "slots = 12 is not allowed"),
    "slots of n": (lambda: _KEYS.encrypt([1], slots=64), ParameterError, "slots = 64 is not in"),
    "slots of coefficients": (
        lambda: _KEYS.encrypt([1], slots=8, encoding="coefficients"),
        ParameterError,
        "goes with encoding = 'slots'",
    ),
    "encoding": (
        lambda: _KEYS.encrypt([1], encoding="batch"),  # type: ignore[arg-type]
        ParameterError,
        "'slots', 'coefficients'",
    ),
    "scale 0": (lambda: _KEYS.encrypt([1], scale=0), ParameterError, "scale = 0 is not in"),
    "scale too large": (
        lambda: _KEYS.encrypt([1], scale=2.0**99, bound=2.0**60),
        PrecisionError,
        r"numbers below 2\^60.0 at scale 2\^99.0 need 160.0 bits, and level 3 has 140.0",
    ),
    # Operands.
    "sparse and full": (
        lambda: _X + _SPARSE,
        ParameterError,
        "a has 32 slots and b 8.*same slots=",
    ),
    "sparse times full": (
        lambda: _SPARSE * _X,
        ParameterError,
        "32 slots and b 8|8 slots and b 32",
    ),
    "plaintext of other slots": (
        lambda: _SPARSE * ckks.Plaintext(_CONTEXT, [1]),
        ParameterError,
        "make b with slots=8",
    ),
    "slots and coefficients": (
        lambda: _X + _COEFFICIENTS,
        ParameterError,
        "slots.*coefficients",
    ),
    "array to coefficients": (
        lambda: _COEFFICIENTS + np.ones(1),
        ParameterError,
        r"Plaintext\(context, b, encoding='coefficients'\)",
    ),
    "constant to coefficients": (
        lambda: _COEFFICIENTS + 1,
        ParameterError,
        "stands for every slot",
    ),
    "plaintext of coefficients": (
        lambda: _X * ckks.Plaintext(_CONTEXT, [1], encoding="coefficients"),
        ParameterError,
        "a is encoded as slots, and b as coefficients",
    ),
    "other context": (lambda: _X + _FOREIGN.encrypt([1]), ContextError, "b belongs to .*n = 128"),
    "plaintext of another": (
        lambda: _X * ckks.Plaintext(_OTHER, [1]),
        ContextError,
        "b belongs to",
    ),
    "other scheme": (
        lambda: ckks.Plaintext(bfv.Context(bfv.Parameters.preset(4096)), [1]),
        ParameterError,
        "need one of CKKS",
    ),
    "context of nothing": (
        lambda: ckks.Plaintext(None, [1]),  # type: ignore[arg-type]
        ArgumentTypeError,
        "context is a NoneType: need a Context",
    ),
    "parameters of BFV": (
        lambda: ckks.Context(bfv.Parameters.preset(4096)),  # type: ignore[arg-type]
        ArgumentTypeError,
        "nttforge.bfv.Parameters: need one of CKKS",
    ),
    "text as operand": (lambda: _X * "2", ArgumentTypeError, "b is a str: need a Ciphertext"),
    "bool as operand": (lambda: _X * True, ArgumentTypeError, "b is a bool"),
    "batches of two sizes": (lambda: _BATCH + _BATCH[:2], SizeError, "3.*2"),
    "batch of an array": (lambda: _BATCH * np.ones((2, 4)), SizeError, "3.*2"),
    "times 0": (lambda: _X * 0, ParameterError, "b = 0: a product with 0 is 0"),
    "integer of 64 bits": (lambda: _X * 2**64, ParameterError, "b = 18446744073709551616"),
    "below the resolution": (
        lambda: _X * 1e-14,
        ParameterError,
        r"below the resolution 2\^-4\d.*multiply in two steps",
    ),
    "by 0": (lambda: _X / 0, ParameterError, "b = 0: a division by 0"),
    "by a ciphertext": (lambda: _X / _X, ArgumentTypeError, "functions.inverse"),
    "comparison": (lambda: _X < _X, ArgumentTypeError, "functions.compare"),
    "power 0": (lambda: _X**0, ParameterError, "exponent = 0 is not in"),
    "power 0.5": (lambda: _X**0.5, ArgumentTypeError, "exponent = 0.5: need an integer"),  # type: ignore[operator]
    "power without keys": (lambda: _X**3, MissingKeyError, r"x.power\(3, keys\)"),
    "wrong within": (lambda: _X.within(2), ParameterError, r"bound = 2 is not in \[.*1\]"),
    "wrong error": (lambda: _X.within(1, error=2), ParameterError, r"error = 2 is not in \[.*1\]"),
    # Levels.
    "levels": (_deep, ParameterError, "a product needs 1 level, 0 left.*more levels"),
    "constant at level 1": (lambda: _LOW * 0.5, ParameterError, "needs 1 level, 0 left"),
    "array at level 1": (
        lambda: _LOW * [0.5],
        ParameterError,
        r"a product needs 1 level, 0 left: take a set with 1 more .*preset\(2\*\*14\) has 7",
    ),
    "matrix at level 1": (
        lambda: _LOW.matmul([[1.0]], _KEYS),
        ParameterError,
        "a linear map needs 1 level, 0 left",
    ),
    "polynomial too deep": (
        lambda: _X.polynomial([0] * 8 + [1], _KEYS),
        ParameterError,
        "a polynomial of degree 8 needs 4 levels, 2 left: take a set with 2 more",
    ),
    "power too deep": (
        lambda: _X.power(5, _KEYS),
        ParameterError,
        "the power 5 needs 3 levels, 2 left",
    ),
    "mod_switch at level 1": (_LOW.mod_switch, ParameterError, "needs 1 level, 0 left"),
    "mod_switch up": (lambda: _LOW.mod_switch(2), ParameterError, "levels only go down"),
    "grows over the modulus": (
        lambda: _LOW * (1 << 40),
        PrecisionError,
        "at scale .* need .* bits, and level 1 has .*levels are exhausted",
    ),
    "no bit left": (
        lambda: _KEYS.decrypt(_KEYS.encrypt([2.0**-40], bound=2.0**-40)),
        PrecisionError,
        "no bit is left; use a larger scale, a bound nearer to the numbers",
    ),
    # Keys.
    "no relinearization key": (
        lambda: (_X * _X).relinearize(_NONE),
        MissingKeyError,
        r"generate_keys\(relinearization=True\)",
    ),
    "no rotation keys": (
        lambda: _X.rotate_rows(1, _NONE),
        MissingKeyError,
        r"generate_keys\(rotations=\[...\]\)",
    ),
    "another step": (lambda: _X.rotate_rows(3, _KEYS), MissingKeyError, r"step 3.*1, 4"),
    "not even composed": (
        lambda: _X.rotate_rows(3, _CONTEXT.generate_keys(rotations=[4]), compose=True),
        MissingKeyError,
        "3",
    ),
    "no conjugation": (
        lambda: (_X * 1j).conjugate(_KEYS),
        MissingKeyError,
        r"generate_keys\(conjugation=True\)",
    ),
    "inner sum": (lambda: _X.inner_sum(8, _KEYS), MissingKeyError, "steps: 2; make them with"),
    "inner sum beyond": (
        lambda: _SPARSE.inner_sum(16, _KEYS),
        ParameterError,
        r"span = 16 .*\[1, 8\]",
    ),
    "matrix without keys": (
        lambda: _X.matmul(np.ones((4, 4)), _KEYS),
        MissingKeyError,
        "the linear map",
    ),
    "matrix of a row": (
        lambda: _X.matmul([1.0, 2.0], _KEYS),
        SizeError,
        r"matrix has shape \(2,\)",
    ),
    "matrix too large": (
        lambda: ckks.LinearMap(np.ones((2, 40)), _CONTEXT),
        SizeError,
        r"shape \(2, 40\)",
    ),
    "matrix below its level": (
        lambda: _LOW.matmul(ckks.LinearMap(np.ones((2, 2)), _CONTEXT), _KEYS),
        ParameterError,
        "a is at level 1, and the map is for level 3",
    ),
    "matrix of other slots": (
        lambda: _SPARSE.matmul(ckks.LinearMap(np.ones((2, 2)), _CONTEXT), _KEYS),
        ParameterError,
        "a has 8 slots and the matrix is for 32: encode with slots=32",
    ),
    "three parts rotate": (
        lambda: (_X * _X).rotate_rows(1, _KEYS),
        ParameterError,
        "a has 3 parts, a rotation needs 2: relinearize it first",
    ),
    "coefficients rotate": (lambda: _COEFFICIENTS.rotate_rows(1, _KEYS), ParameterError, "slots"),
    "no special prime": (
        lambda: _BARE.generate_keys(rotations=[1]),
        UnsupportedError,
        "special prime",
    ),
    "keys of another": (
        lambda: (_X * _X).relinearize(_FOREIGN),
        ContextError,
        "key belongs to",
    ),
    "secret of another": (lambda: _FOREIGN.decrypt(_X), ContextError, "ciphertext belongs to"),
    "not a ciphertext": (
        lambda: _KEYS.decrypt([1]),  # type: ignore[arg-type]
        ArgumentTypeError,
        "ciphertext is a list: need a Ciphertext",
    ),
    # Polynomials.
    "interval of powers": (
        lambda: _X.polynomial([0, 1], _KEYS, interval=(0, 1)),
        ParameterError,
        "goes with basis = 'chebyshev'",
    ),
    "empty interval": (
        lambda: _X.polynomial([0, 1], _KEYS, basis="chebyshev", interval=(1, 1)),
        ParameterError,
        "low must be below high",
    ),
    "coefficients of nothing": (
        lambda: _X.polynomial([1, 1e-20], _KEYS),
        ParameterError,
        "coefficients are below the resolution .*e-12 of a constant",
    ),
    "constant polynomial": (
        lambda: _X.polynomial([1, 0], _KEYS),
        ParameterError,
        "need one of degree 1 or more",
    ),
    "basis": (
        lambda: _X.polynomial([0, 1], _KEYS, basis="legendre"),  # type: ignore[arg-type]
        ParameterError,
        "'power', 'chebyshev'",
    ),
    # Parameters.
    "n of a preset": (lambda: Parameters.preset(2**11), ParameterError, "n = 2048.*2\\^12"),
    "scale of a small preset": (
        lambda: Parameters.preset(2**12),
        ParameterError,
        "scale_bits = 40 leaves no level at n = 4096",
    ),
    "scale of a preset": (lambda: Parameters.preset(2**14, 60), ParameterError, r"\[30, 55\]"),
    "levels of a preset": (
        lambda: Parameters.preset(2**14, levels=8),
        ParameterError,
        r"levels = 8 is out of range \[1, 7\]; use a larger n or a smaller scale",
    ),
    "precision that no set gives": (
        lambda: Parameters.preset(2**13, 55, "classical256"),
        ParameterError,
        r"scale_bits = 55 .*n = 8192",
    ),
    "32 bits": (
        lambda: Parameters.preset(2**14, 45, word_bits=32),
        ParameterError,
        "presets have scale_bits = 40",
    ),
    "scale beyond the modulus": (
        lambda: Parameters.custom(
            64, 2.0**70, _CONTEXT.parameters.q, security="insecure_by_request"
        ),
        ParameterError,
        r"scale = 2\^70.* at level",
    ),
    "no window": (
        lambda: Parameters.custom(
            64,
            2.0**40,
            _CONTEXT.parameters.q,
            levels=[(0, 1, 2)],
            security="insecure_by_request",  # type: ignore[list-item]
        ),
        ArgumentTypeError,
        r"levels\[0\] = \(0, 1, 2\)",
    ),
    "windows that do not end": (
        lambda: Parameters.custom(
            64,
            2.0**40,
            _CONTEXT.parameters.q,
            levels=[(0, 1), (0, 2)],
            security="insecure_by_request",
        ),
        ParameterError,
        "level",
    ),
    "insecure": (
        lambda: Parameters.custom(64, 2.0**40, _CONTEXT.parameters.q),
        ParameterError,
        "insecure_by_request",
    ),
    "insecure bytes": (
        lambda: Parameters.from_bytes(bytes(_CONTEXT.parameters)),
        ParameterError,
        "insecure",
    ),
    # Hostile bytes.
    "short bytes": (lambda: _read(_X.to_bytes()[:-1]), FormatError, "bytes"),
    "flipped bit": (lambda: _read(_altered(0, b"")[:-1] + b"\0"), FormatError, "checksum"),
    "bytes of parameters": (lambda: _read(bytes(_CONTEXT.parameters)), FormatError, "parameters"),
    "level 0": (lambda: _read(_altered(2, b"\0\0")), FormatError, "limbs = 0 is out of range"),
    "level 4": (lambda: _read(_altered(2, b"\4\0")), FormatError, "limbs = 4 is out of range"),
    "infinite scale": (
        lambda: _read(_altered(24, struct.pack("<d", np.inf))),
        FormatError,
        "scale = inf is not allowed",
    ),
    "negative scale": (lambda: _read(_altered(24, struct.pack("<d", -1.0))), FormatError, "scale"),
    "second part of the scale": (
        lambda: _read(_altered(32, struct.pack("<d", 1e30))),
        FormatError,
        "lower part",
    ),
    "stored NaN": (
        lambda: _read(_altered(40, struct.pack("<d", np.nan))),
        FormatError,
        "bound",
    ),
    "slots 3": (
        lambda: _read(_altered(48, b"\3")),
        FormatError,
        "slots = 3 must be a power of two",
    ),
    "real 2": (lambda: _read(_altered(52, b"\2")), FormatError, "real = 2 must be 0 or 1"),
    "padding": (lambda: _read(_altered(53, b"\1")), FormatError, "zero = 1"),
}


@pytest.mark.parametrize("name", _CASES)
def test_errors_say_what_to_do(name: str) -> None:
    call, kind, message = _CASES[name]
    with pytest.raises(kind, match=f"(?s){message}"):
        call()


def test_operands_are_as_they_were_after_errors() -> None:
    before = _X.to_bytes()
    for name in ("sparse and full", "below the resolution", "levels", "grows over the modulus"):
        with pytest.raises(NttforgeError):
            _CASES[name][0]()
    assert _X.to_bytes() == before
