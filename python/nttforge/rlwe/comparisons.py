# SPDX-License-Identifier: Apache-2.0
"""Comparisons of what is encrypted: refused, since Python would take any answer for a true one."""

from __future__ import annotations

from typing import ClassVar, NoReturn

from ..errors import ArgumentTypeError

__all__ = ["Incomparable"]


class Incomparable:
    """What is encrypted has no ``==``, ``<``, ``in`` and truth value, hence no hash either."""

    __slots__ = ()
    __hash__ = None  # type: ignore[assignment]
    _instead_of_comparing: ClassVar[str]

    def _refuse_to_compare(self, what: str) -> NoReturn:
        raise ArgumentTypeError(
            f"{what}: {type(self).__name__} is encrypted, so nobody without the secret key can "
            f"tell: {self._instead_of_comparing}"
        )

    def __eq__(self, other: object) -> NoReturn:
        self._refuse_to_compare("==")

    def __ne__(self, other: object) -> NoReturn:
        self._refuse_to_compare("!=")

    def __lt__(self, other: object) -> NoReturn:
        self._refuse_to_compare("<")

    def __le__(self, other: object) -> NoReturn:
        self._refuse_to_compare("<=")

    def __gt__(self, other: object) -> NoReturn:
        self._refuse_to_compare(">")

    def __ge__(self, other: object) -> NoReturn:
        self._refuse_to_compare(">=")

    def __contains__(self, value: object) -> NoReturn:
        self._refuse_to_compare("in")

    def __bool__(self) -> NoReturn:
        self._refuse_to_compare("bool()")
