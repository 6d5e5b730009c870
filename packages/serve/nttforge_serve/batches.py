# SPDX-License-Identifier: Apache-2.0
"""Arrays that stand for all requests of a batch: made of what was read, and written as answers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from nttforge.encrypted import EncryptedArray
from nttforge.encrypted.bytes import header_of
from nttforge.rlwe import stack

from .hands import Hands
from .wire import announced

__all__ = ["Widened", "answers", "columns", "tells"]


class Widened(Exception):
    """An array of a batch got several ciphertexts, or lost its batch."""


class _Watched(EncryptedArray):
    """An array of one ciphertext that stands for a batch of such arrays."""

    def __post_init__(self) -> None:
        self._require_batch()

    def _changed(self, **changes: Any) -> _Watched:
        new = super()._changed(**changes)
        new._require_batch()
        return new

    def _require_batch(self) -> None:
        if self.layout.ciphertexts != 1 or self.text.batch < 2:
            raise Widened


def columns(slices: Sequence[Sequence[EncryptedArray]]) -> list[EncryptedArray]:
    """The arguments of a circuit for all requests at once, from those of slices of them."""
    found: list[EncryptedArray] = []
    for parts in zip(*slices, strict=True):
        x, texts = parts[0], [part.text for part in parts]
        text = stack(texts) if len(texts) > 1 else x.text
        found.append(_Watched(text, x.layout, x.keys, x.t, x.scale, x.low, x.high))
    return found


def answers(results: Sequence[EncryptedArray], count: int, hands: Hands) -> list[bytes]:
    """The elements of the results of ``count`` requests, each with two parts, as bodies.

    Raises
    ------
    Widened
        A result is none of a batch.
    """
    if any(not isinstance(x, _Watched) or x.text.batch != count for x in results):
        raise Widened
    told = tells(results[0])
    texts = [x.text._core for x in results]
    before = [
        announced(header_of(x), text.element_bytes(told))
        for x, text in zip(results, texts, strict=True)
    ]

    def written(first: int, number: int) -> list[bytes]:
        found: list[bytes] = texts[0].elements_to_bytes(texts, before, first, number, told)
        return found

    return [answer for part in hands.slices(written, count) for answer in part]


def tells(x: EncryptedArray) -> bool:
    """Whether an answer's bytes tell of the noise: those of integers do not."""
    return bool(x.layout.real)
