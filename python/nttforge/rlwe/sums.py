# SPDX-License-Identifier: Apache-2.0
"""Operations on several ciphertexts at once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from ..errors import SizeError
from ._require import require
from .ciphertext import Ciphertext
from .objects import require_context

__all__ = ["sum_of_products"]

Text = TypeVar("Text", bound=Ciphertext)


def sum_of_products(a: Sequence[Text], b: Sequence[Text]) -> Text:
    """``sum(x * y for x, y in zip(a, b))``, three parts: one relinearization for the whole sum.

    Parameters
    ----------
    a : sequence of Ciphertext
        At least one.
    b : sequence of Ciphertext
        As many.

    Raises
    ------
    SizeError, ArgumentTypeError, ContextError, ParameterError
        They are none, of other numbers or kinds, or do not go together.
    """
    left, right = list(a), list(b)
    if not left or len(left) != len(right):
        raise SizeError(
            f"a has {len(left)} entries and b {len(right)}: need the same number, at least 1"
        )
    for i, (x, y) in enumerate(zip(left, right, strict=True)):
        require(x, Ciphertext, f"a[{i}]")
        require(y, Ciphertext, f"b[{i}]")
    context = left[0]._context
    require_context(context, *((f"a[{i}]", x) for i, x in enumerate(left)))
    require_context(context, *((f"b[{i}]", y) for i, y in enumerate(right)))
    compute = context._evaluator.dot_product
    return left[0]._wrap(context, compute([x._core for x in left], [y._core for y in right]))
