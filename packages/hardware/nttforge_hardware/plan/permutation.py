# SPDX-License-Identifier: Apache-2.0
"""Stand-alone streaming permutations: any permutation of n words, dp of them a cycle."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from nttforge.errors import ParameterError
from nttforge.spec.transform import bit_reverse

from .memories import BLOCK_DEPTH
from .parameters import check_power_of_two
from .pipeline import PipelineField
from .routing import benes_settings, colour_edges

MAX_N, MAX_DP, MAX_DATA_BITS = 1 << 16, 256, 256


def stride(n: int, step: int) -> list[int]:
    """Sources of a stride permutation: every ``step``-th word first, then from the next on.

    Examples
    --------
    >>> stride(8, 4)
    [0, 4, 1, 5, 2, 6, 3, 7]
    """
    check_power_of_two("stride", step, 1, n, " (n)")
    return [j * step % n + j * step // n for j in range(n)]


def transpose(n: int, rows: int) -> list[int]:
    """Sources of the transpose of a matrix of so many rows, row by row."""
    check_power_of_two("rows", rows, 1, n, " (n)")
    return stride(n, n // rows)


def bit_reversal(n: int) -> list[int]:
    """Sources of the bit reversal."""
    return [bit_reverse(j, n.bit_length() - 1) for j in range(n)]


def named(n: int, name: str) -> list[int]:
    """``bit-reversal``, ``stride:S`` or ``transpose:ROWS``.

    Raises
    ------
    ParameterError
        If it is none of them.
    """
    check_power_of_two("n", n, 4, MAX_N, "")
    kind, _, argument = name.partition(":")
    if kind == "bit-reversal" and not argument:
        return bit_reversal(n)
    if kind in ("stride", "transpose") and argument.isdigit():
        return (stride if kind == "stride" else transpose)(n, int(argument))
    raise ParameterError(f"permutation = {name!r} must be bit-reversal, stride:S or transpose:ROWS")


@dataclass(frozen=True)
class PermutationParameters:
    """A streaming permutation.

    Parameters
    ----------
    n : int
        Words of a frame, a power of two in 4 ... 65536.
    dp : int
        Words per cycle, a power of two in 2 ... min(256, n / 2).
    bits : int
        Of a word, 1 ... 256.
    sources : tuple of tuple of int
        One or more permutations, chosen at run time for each frame: output j is input source[j].
    pipeline : Pipeline or {"small", "balanced", "fast"}
        Of its registers only the enable's (``enable_regs``, buffers at both ports) are there.

    Raises
    ------
    ParameterError
        Naming the field, its value and what is allowed.

    Examples
    --------
    >>> p = PermutationParameters(16, 4, 30, (tuple(bit_reversal(16)),))
    >>> PermutationDesign(p).latency_cycles
    15
    """

    n: int
    dp: int
    bits: int
    sources: tuple[tuple[int, ...], ...]
    pipeline: PipelineField = PipelineField()  # noqa: RUF009 - a descriptor

    def __post_init__(self) -> None:
        object.__setattr__(self, "sources", tuple(tuple(s) for s in self.sources))
        check_power_of_two("n", self.n, 4, MAX_N, "")
        check_power_of_two("dp", self.dp, 2, min(MAX_DP, self.n // 2), " (n / 2, at most 256)")
        if isinstance(self.bits, bool) or not isinstance(self.bits, int):
            raise ParameterError(f"bits = {self.bits!r} must be an integer")
        if not 1 <= self.bits <= MAX_DATA_BITS:
            raise ParameterError(f"bits = {self.bits} must be in 1 ... {MAX_DATA_BITS}")
        if not self.sources:
            raise ParameterError("sources is empty: give one permutation or more")
        for source in self.sources:
            if sorted(source) != list(range(self.n)):
                raise ParameterError(f"sources: not a permutation of 0 ... {self.n - 1}")

    @property
    def words(self) -> int:
        return self.n // self.dp


@dataclass(frozen=True)
class Route:
    """Tables of one permutation: a row for each input word, and for each output word."""

    settings_in: list[list[list[bool]]]
    addresses: list[list[int]]
    settings_out: list[list[list[bool]]]
    delay: int


@dataclass(frozen=True)
class PermutationDesign:
    """Parameters with the routes that follow from them."""

    parameters: PermutationParameters

    @cached_property
    def routes(self) -> list[Route]:
        p = self.parameters
        return [_route(source, p.dp) for source in p.sources]

    @property
    def delay(self) -> int:
        """Cycles from the first word's arrival to the first read of the memories."""
        return 3 + max(r.delay for r in self.routes)

    @property
    def latency_cycles(self) -> int:
        """Cycles from the first word accepted to the last word offered, both counted."""
        p = self.parameters
        return self.delay + 2 + p.words + p.pipeline.port_cycles

    @property
    def memories(self) -> dict[str, tuple[int, int, int]]:
        """Number, width and words of the frames' memories and of the three images."""
        p = self.parameters
        log_dp, rows = p.dp.bit_length() - 1, p.words * len(p.sources)
        return {
            "frames": (p.dp, p.bits, 2 * p.words),
            "settings": (2, (2 * log_dp - 1) * p.dp // 2, rows),
            "addresses": (1, p.dp * max(1, (p.words - 1).bit_length()), rows),
        }

    @property
    def block_memories(self) -> int:
        """How many memories are block memories, of any number of RAMB18 each."""
        return sum(n for n, _, words in self.memories.values() if words >= BLOCK_DEPTH)

    def compute(self, data: Sequence[int], which: int = 0) -> list[int]:
        """The permuted words."""
        return [data[i] for i in self.parameters.sources[which]]


def _route(source: Sequence[int], dp: int) -> Route:
    """Every word a memory so that each input word and each output word meets all dp of them."""
    words = len(source) // dp
    edges = [(i // dp, j // dp) for j, i in enumerate(source)]
    bank_of_output = colour_edges(edges, dp)
    settings_in, addresses, settings_out = [], [[0] * dp for _ in range(words)], []
    lane_of_bank = [[0] * dp for _ in range(words)]
    for j, i in enumerate(source):
        bank = bank_of_output[j]
        lane_of_bank[i // dp][bank] = i % dp
        addresses[j // dp][bank] = i // dp
    for t in range(words):
        settings_in.append(benes_settings(lane_of_bank[t]))
        settings_out.append(benes_settings(bank_of_output[t * dp : (t + 1) * dp]))
    return Route(settings_in, addresses, settings_out, max(0, *(a - b for a, b in edges)))


def table_image(rows: Sequence[Sequence[int]], width: int) -> str:
    """Text for $readmemh of rows of fields ``width`` bits wide, the first lowest."""
    digits = -(-len(rows[0]) * width // 4)
    lines = []
    for row in rows:
        word = sum(v << (i * width) for i, v in enumerate(row))
        lines.append(f"{word:0{digits}x}\n")
    return "".join(lines)


def test_frames(p: PermutationParameters, frames: int, seed: int) -> list[list[int]]:
    """Frames of words; the first ones hold each word's number, so that a wrong place shows."""
    source = random.Random(seed)
    tags = [[j % 2**p.bits for j in range(p.n)] for _ in p.sources]
    more = range(max(0, frames - len(tags)))
    return tags + [[source.getrandbits(p.bits) for _ in range(p.n)] for _ in more]
