# SPDX-License-Identifier: Apache-2.0
"""Exceptions of nttforge. Messages name the field, its value, what is allowed and what to do."""

from __future__ import annotations

__all__ = [
    "ArgumentTypeError",
    "ClusterError",
    "ContextError",
    "FormatError",
    "MissingKeyError",
    "NoiseError",
    "NttforgeError",
    "ParameterError",
    "PrecisionError",
    "SizeError",
    "UnsupportedError",
]


_MOST_CHARACTERS = 1000


def shortened(text: str, most: int = _MOST_CHARACTERS) -> str:
    """A text of at most about ``most`` characters: of a longer one the beginning and the end.

    >>> shortened("7" * 200, 20)
    '77777777777... (180 characters) ...777777777'
    """
    left_out = len(text) - most
    if left_out <= 0:
        return text
    tail = 9 * most // 20
    return f"{text[: most - tail]}... ({left_out} characters) ...{text[len(text) - tail :]}"


class NttforgeError(Exception):
    """Root of what this package raises on purpose. After an error every argument is as it was.

    Messages that repeat a long value are shortened in the middle.
    """

    def __init__(self, *arguments: object) -> None:
        super().__init__(*(shortened(a) if isinstance(a, str) else a for a in arguments))


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


class PrecisionError(NttforgeError, ArithmeticError):
    """No bit of an approximate number can be relied on, or numbers do not fit below the modulus."""


class ClusterError(NttforgeError, RuntimeError):
    """Work on several processes or machines has not ended; the message names what, where and why.

    What was written stays and is whole: the same call goes on with what is missing.
    """


class FormatError(NttforgeError, ValueError):
    """Bytes or text that do not parse: truncated, altered, of another kind or version."""


def __dir__() -> list[str]:
    return sorted(__all__)
