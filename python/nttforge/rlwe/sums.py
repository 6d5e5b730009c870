# SPDX-License-Identifier: Apache-2.0
"""Operations on several ciphertexts at once."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, TypeVar

from ..errors import SizeError
from ._require import require
from .ciphertext import Ciphertext
from .objects import require_context

Text = TypeVar("Text", bound=Ciphertext)


def sum_of_products(a: Sequence[Text] | Text, b: Sequence[Text] | Text) -> Text:
    """``sum(x * y for x, y in zip(a, b))``, three parts: one relinearization for the whole sum.

    Parameters
    ----------
    a, b : sequence of Ciphertext
        As many of each, at least one; a batch is taken as the sequence of its ciphertexts.

    Raises
    ------
    SizeError, ArgumentTypeError, ContextError, ParameterError
        They are none, of other numbers or kinds, or do not go together.
    """
    first, left, right = factors_of(a, b, Ciphertext)
    return first._wrap(first._context, first._context._evaluator.dot_product(left, right))


def terms_of(texts: Iterable[Any]) -> list[Any]:
    """Those of a sequence; the ciphertexts of a batch where they are, to be read."""
    if not isinstance(texts, Ciphertext):
        return list(texts)
    return [texts._wrap(texts._context, core) for core in texts._core.views()]


def factors_of(
    a: Iterable[Text] | Text, b: Iterable[Any], kind: type
) -> tuple[Text, list[Any], list[Any]]:
    """The first ciphertext, and the core's objects of ciphertexts and of as many of a kind."""
    left, right = terms_of(a), terms_of(b)
    if not left or len(left) != len(right):
        raise SizeError(
            f"a has {len(left)} entries and b {len(right)}: need the same number, at least 1"
        )
    for i, (x, y) in enumerate(zip(left, right, strict=True)):
        require(x, Ciphertext, f"a[{i}]")
        require(y, kind, f"b[{i}]")
    for field, row in (("a", left), ("b", right)):
        require_context(left[0]._context, *((f"{field}[{i}]", x) for i, x in enumerate(row)))
    return left[0], [x._core for x in left], [y._core for y in right]
