# SPDX-License-Identifier: Apache-2.0
"""Plaintexts and ciphertexts that hold a batch, and how batches are made and taken apart."""

from __future__ import annotations

import operator
from collections.abc import Iterable, Iterator
from typing import TypeVar, overload

from ..errors import ArgumentTypeError, SizeError
from .context import Context
from .objects import ContextObject, require_context

Text = TypeVar("Text", bound="BatchObject")


class BatchObject(ContextObject):
    """A plaintext or ciphertext: a single one, or a batch of them.

    A batch has a length, elements by index or slice (copies) and can be iterated over. A single one
    has none of these, as a NumPy scalar has none; :func:`unstack` takes both.
    """

    __slots__ = ()

    @property
    def batch(self) -> int:
        """Number of plaintexts or ciphertexts in this object; 1: a single one."""
        return int(self._core.batch)

    @property
    def _batch_shape(self) -> tuple[int, ...]:
        return () if self.batch == 1 else (self.batch,)

    def __len__(self) -> int:
        if self.batch == 1:
            raise ArgumentTypeError(
                f"a single {type(self).__name__} has no length and no elements: .batch is 1, and "
                "unstack(...) gives a list of it"
            )
        return self.batch

    def __bool__(self) -> bool:
        return True

    @overload
    def __getitem__(self: Text, index: int) -> Text: ...

    @overload
    def __getitem__(self: Text, index: slice) -> Text: ...

    def __getitem__(self: Text, index: int | slice) -> Text:
        count = len(self)
        if isinstance(index, slice):
            chosen = range(*index.indices(count))
            if chosen.step == 1 and chosen:
                return self._elements(chosen.start, len(chosen), self._context)
            return stack([self[i] for i in chosen])
        try:
            element = operator.index(index)
        except TypeError:
            raise ArgumentTypeError(
                f"index = {index!r}: need an integer or a slice of integers"
            ) from None
        if not -count <= element < count:
            raise IndexError(f"index = {element} is out of range for a batch of {count}")
        return self._element(element % count)

    def __iter__(self: Text) -> Iterator[Text]:
        return (self._element(i) for i in range(len(self)))

    def _elements(self: Text, first: int, count: int, context: Context) -> Text:
        """A copy of elements that follow one another, in a context of equal parameters."""
        return self._wrap(context, self._core.elements(first, count, context._core))

    def _element(self: Text, index: int) -> Text:
        return self._wrap(self._context, self._core.element(index))


def stack(texts: Iterable[Text]) -> Text:
    """One object of all ciphertexts, or of all plaintexts, in order; batches among them are joined.

    Parameters
    ----------
    texts : iterable of Ciphertext or of Plaintext
        Of one context and encoding; ciphertexts also of as many parts, one level and one factor. At
        least one, at most 2^20 in all.

    Returns
    -------
    Ciphertext or Plaintext
        The bound on the noise is the largest. ``to_bytes`` writes no seed: stacked ciphertexts of
        the secret key take twice the bytes of a batch that was encrypted at once.

    Raises
    ------
    SizeError
        There are none.
    ParameterError, ContextError, ArgumentTypeError
        They do not go together; the message says which.
    """
    items = list(texts)
    if not items:
        raise SizeError("texts is empty: a batch has at least one element")
    first = items[0]
    for i, item in enumerate(items):
        if not isinstance(item, BatchObject) or type(item) is not type(first):
            kind = type(first).__name__ if isinstance(first, BatchObject) else "Ciphertext"
            raise ArgumentTypeError(f"texts[{i}] is a {type(item).__name__}: need a {kind}")
    require_context(first.context, *((f"texts[{i}]", item) for i, item in enumerate(items)))
    return first._wrap(first.context, first._core_class.stack([item._core for item in items]))


def unstack(text: Text) -> list[Text]:
    """The elements of a batch, each a copy; of a single one a list of it alone."""
    if not isinstance(text, BatchObject):
        raise ArgumentTypeError(
            f"text is a {type(text).__name__}: need a Ciphertext or a Plaintext"
        )
    return [text] if text.batch == 1 else [text[i] for i in range(text.batch)]
