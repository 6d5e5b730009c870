# SPDX-License-Identifier: Apache-2.0
"""A planned design: everything known about it before a file is written."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from nttforge.errors import ParameterError, SizeError
from nttforge_oracle.fast import forward_fast

from .cores import CoreDesign, choose_cores
from .memories import BLOCK_DEPTH, ULTRA_DEPTH, block_memories, ultra_memories
from .parameters import HardwareParameters
from .schedule import (
    Layout,
    Schedule,
    StageSlot,
    interval_between,
    make_schedule,
    port_layout,
)
from .twiddles import (
    TwiddlePlan,
    plan_splits,
    plan_twiddles,
    twiddle_memory,
)


@dataclass(frozen=True)
class Design:
    """Parameters with the cores and schedules that follow from them."""

    parameters: HardwareParameters
    cores: tuple[CoreDesign, ...]
    schedules: dict[str, Schedule]

    @cached_property
    def twiddles(self) -> tuple[TwiddlePlan, ...]:
        """One memory per super pipeline."""
        return tuple(plan_twiddles(self.parameters, self.schedules))

    @cached_property
    def on_the_fly(self) -> tuple[bool, ...]:
        """Whether the twiddles of each super pipeline are products."""
        return tuple(split.bits > 0 for split in plan_splits(self.parameters, self.schedules))

    @property
    def core_latency(self) -> int:
        """Cycles of a butterfly."""
        return self.cores[0].latency(len(self.parameters.directions))

    def latency_cycles(self, direction: str) -> int:
        """Cycles from the first word accepted to the last word offered, both counted."""
        return self._schedule(direction).latency + self.parameters.port_cycles

    @property
    def interval_cycles(self) -> int:
        """Cycles between the first words of two transforms of one direction."""
        return max(s.interval for s in self.schedules.values())

    @property
    def change_cycles(self) -> tuple[int, int] | None:
        """Cycles from a forward transform's first word to an inverse one's, and the other way."""
        if len(self.schedules) == 1:
            return None
        p, (forward, inverse) = self.parameters, self.schedules.values()
        return interval_between(p, forward, inverse), interval_between(p, inverse, forward)

    @property
    def dsps(self) -> int:
        """Multiplier blocks, as synthesis counts them."""
        p = self.parameters
        multiplying = p.pp + sum(self.on_the_fly)  # a product as large as a core's
        return sum(core.constant_dsps for core in self.cores) * multiplying * p.dp // 2

    @property
    def memory_bits(self) -> dict[str, int]:
        """Bits of the permutation and of the twiddle memories, and of buffers where there are."""
        p = self.parameters
        spn = sum(self.has_memory(i) for i in range(p.pp)) * p.n * p.bits * p.bp
        buffers = {"buffers": sum(self._buffer_widths) * p.words} if self._buffer_widths else {}
        return {
            "permutation": spn,
            "twiddle": twiddle_memory(p, self.schedules)[1] * p.bp,
            **buffers,
        }

    @property
    def _buffer_widths(self) -> tuple[int, ...]:
        """Bits of a word in the buffers at both ports: with the direction, and with m_last."""
        p = self.parameters
        word = p.bp * p.dp * p.bits
        both = p.direction == "both"
        return () if p.buffers == "none" else (word + both, word + 1)

    @property
    def ramb18(self) -> int:
        """Block memories in units of 18 kbit, as synthesis counts them for the design's family."""
        p = self.parameters
        each = twiddle_memory(p, self.schedules)[0] + self.permutation_ramb18
        return each * p.bp + self.buffer_ramb18

    @property
    def buffer_ramb18(self) -> int:
        """Block memories of the buffers at both ports, which all limbs share."""
        words, block = self.parameters.words, self.parameters.pipeline.block
        return sum(block_memories(width, words, block) for width in self._buffer_widths)

    @property
    def permutation_ramb18(self) -> int:
        """RAMB18 blocks of one limb's permutations."""
        block = self.parameters.pipeline.block
        if self.in_ultra_ram:
            return 0
        return sum(n * block_memories(w, d, block) for n, w, d in self.permutation_memories())

    @property
    def in_ultra_ram(self) -> bool:
        """Whether permutations keep their words in UltraRAM."""
        p = self.parameters
        return p.memories == "ultra" and p.words >= ULTRA_DEPTH

    @property
    def uram(self) -> int:
        """UltraRAM blocks of 288 kbit."""
        if not self.in_ultra_ram:
            return 0
        each = sum(n * ultra_memories(w, d) for n, w, d in self.permutation_memories())
        return each * self.parameters.bp

    def permutation_memories(self) -> list[tuple[int, int, int]]:
        """Memories of one limb's permutations: how many of a width and depth."""
        p = self.parameters
        groups = [1 << self.exchanges(i) for i in range(p.pp) if self.has_memory(i)]
        return [(n, p.dp // n * p.bits, p.words) for n in groups]

    @property
    def block_memories(self) -> int:
        """How many memories are block memories, of any number of RAMB18 each."""
        p = self.parameters
        splits = plan_splits(p, self.schedules)
        depths = [depth for split in splits for depth in (split.depth, split.fine_depth)]
        twiddles = sum(depth >= BLOCK_DEPTH for depth in depths)
        if p.words < BLOCK_DEPTH:
            return twiddles * p.bp
        places = [] if self.in_ultra_ram else self.permutation_memories()
        groups = sum(n for n, _, _ in places)
        return (twiddles + groups) * p.bp + len(self._buffer_widths)

    def exchanges(self, super_pipeline: int) -> int:
        """Layers of switches of a super pipeline's permutation."""
        used = [
            len(s.exchange)
            for schedule in self.schedules.values()
            for s in schedule.stages
            if s.super_pipeline == super_pipeline
        ]
        return max(1, *used)

    def has_memory(self, super_pipeline: int) -> bool:
        """Whether any stage of a super pipeline waits."""
        return any(
            s.delay
            for schedule in self.schedules.values()
            for s in schedule.stages
            if s.super_pipeline == super_pipeline
        )

    def compute(self, limb: int, data: Sequence[int], direction: str = "forward") -> list[int]:
        """The transform by the design's own steps: its words, permutations, twiddles and cores.

        Parameters
        ----------
        limb : int
        data : sequence of int
            n residues: coefficients in natural order (forward) or values in bit-reversed order.
        direction : {"forward", "inverse"}

        Returns
        -------
        list of int
            The same as ``spec.transform.forward`` and ``inverse``.
        """
        p, core, schedule = self.parameters, self.cores[limb], self._schedule(direction)
        if len(data) != p.n:
            raise SizeError(f"data has {len(data)} coefficients, n = {p.n} are needed")
        stored = core.tables(p.n, p.ring)[direction]
        inverse = direction == "inverse"
        words = list(data)
        for stage in schedule.stages:
            b = stage.index_bit
            groups = p.n >> (b + 1)
            for slot in range(p.words):
                for butterfly in range(p.dp // 2):
                    low = stage.layout.index(2 * butterfly, slot)
                    high = stage.layout.index(2 * butterfly + 1, slot)
                    w = self._twiddle(core, stored, stage, groups + (low >> (b + 1)))
                    words[low], words[high] = core.butterfly(words[low], words[high], w, inverse)
        return words

    def _twiddle(
        self, core: CoreDesign, stored: Sequence[int], stage: StageSlot, group: int
    ) -> int:
        """The twiddle that a butterfly gets: a table entry, or the stage's first times a ratio."""
        if not self.on_the_fly[stage.super_pipeline]:
            return stored[group]
        first = stored[1 << (group.bit_length() - 1)]
        return core.multiply(first, core.ratio(stored[group], first))

    def oracle(self, limb: int, coefficients: Sequence[int]) -> list[int]:
        """The values of the coefficients by the definition's fast form, bit-reversed."""
        return forward_fast(coefficients, self.cores[limb].q, self.parameters.ring)

    def port_words(self, data: Sequence[int], direction: str, port: str) -> list[list[int]]:
        """n residues as the words (slot by slot, lane by lane) of the port ``in`` or ``out``."""
        layout: Layout = port_layout(self.parameters, direction, port)
        return [
            [data[layout.index(lane, slot)] for lane in range(self.parameters.dp)]
            for slot in range(self.parameters.words)
        ]

    def _schedule(self, direction: str) -> Schedule:
        if direction not in self.schedules:
            raise ParameterError(
                f"direction = {direction!r}: this design has {', '.join(self.schedules)}"
            )
        return self.schedules[direction]


def plan_design(parameters: HardwareParameters) -> Design:
    """Chooses cores and computes schedules; writes nothing.

    Raises
    ------
    ParameterError
        If the chosen core cannot serve a modulus.
    """
    cores = choose_cores(parameters.core, parameters.moduli, parameters.pipeline)
    return Design(parameters, tuple(cores), plan_schedules(parameters, cores[0]))


def plan_schedules(parameters: HardwareParameters, core: CoreDesign) -> dict[str, Schedule]:
    """The schedule of every direction."""
    latency = core.latency(len(parameters.directions))
    plain = {d: make_schedule(parameters, d, latency) for d in parameters.directions}
    if parameters.twiddles == "table":
        return plain
    waits = [core.product_latency if s.bits else 0 for s in plan_splits(parameters, plain)]
    return {d: make_schedule(parameters, d, latency, waits) for d in parameters.directions}
