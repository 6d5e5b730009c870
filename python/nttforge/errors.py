# SPDX-License-Identifier: Apache-2.0
"""Exceptions of nttforge. Messages name the field, its value, what is allowed and what to do."""

from __future__ import annotations

__all__ = [
    "ArgumentTypeError",
    "ContextError",
    "FormatError",
    "MissingKeyError",
    "NoiseError",
    "NttforgeError",
    "ParameterError",
    "SizeError",
    "UnsupportedError",
]


class NttforgeError(Exception):
    """Root of what this package raises on purpose. After an error every argument is as it was."""


class ParameterError(NttforgeError, ValueError):
    """A value is mathematically invalid or outside its range."""


class SizeError(NttforgeError, ValueError):
    """An array has the wrong shape, memory layout or overlap."""


class ArgumentTypeError(NttforgeError, TypeError):
    """An argument has the wrong type, an array the wrong dtype."""


class UnsupportedError(NttforgeError, RuntimeError):
    """The request makes sense, but this build or machine cannot do it."""


class ContextError(NttforgeError, ValueError):
    """Objects of different contexts were mixed."""


class MissingKeyError(NttforgeError, KeyError):
    """An evaluation key that the operation needs is not there; the message names it."""

    def __str__(self) -> str:  # KeyError would print the repr of its argument.
        return Exception.__str__(self)


class NoiseError(NttforgeError, ArithmeticError):
    """A ciphertext has, or may have, too much noise to decrypt to what was computed."""


class FormatError(NttforgeError, ValueError):
    """Bytes or text that do not parse: truncated, altered, of another kind or version."""


def __dir__() -> list[str]:
    return sorted(__all__)
