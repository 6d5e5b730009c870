# SPDX-License-Identifier: Apache-2.0
"""Comparisons and quotients of what is encrypted, which are refused with what to do instead."""

from __future__ import annotations

from typing import Any, ClassVar, NoReturn

from ..errors import ArgumentTypeError


class Incomparable:
    """What is encrypted has no ``==``, ``<``, ``in`` and truth value, hence no hash, and no ``/``.

    Python would take any answer to a comparison for a true one.
    """

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

    def _refuse_to_divide(self, other: Any) -> Any:
        raise ArgumentTypeError(
            f"/: {type(self).__name__} is encrypted, and what is encrypted is not divided: "
            "multiply a real number by the inverse, x * (1 / c), divide integers when they are "
            "decrypted, or approximate 1 / y with nttforge.ckks.functions.inverse"
        )

    __truediv__ = __rtruediv__ = __floordiv__ = __rfloordiv__ = __mod__ = __rmod__ = (
        _refuse_to_divide
    )
