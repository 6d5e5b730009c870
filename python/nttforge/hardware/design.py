"""A planned design: everything known about it before a file is written."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from ..errors import ParameterError, SizeError
from ..spec.fast import forward_fast
from .cores import CoreDesign, choose_cores
from .parameters import HardwareParameters
from .schedule import Layout, Schedule, make_schedule, port_layout
from .twiddles import TwiddlePlan, plan_twiddles, twiddle_depths


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

    @property
    def core_latency(self) -> int:
        return self.cores[0].latency(len(self.parameters.directions))

    def latency_cycles(self, direction: str) -> int:
        """Cycles from the first word accepted to the last word offered, both counted."""
        return self._schedule(direction).latency + self.parameters.pipeline.port_cycles

    @property
    def interval_cycles(self) -> int:
        """Cycles between the first words of two transforms of one direction."""
        return max(s.interval for s in self.schedules.values())

    @property
    def dsps(self) -> int:
        p = self.parameters
        return sum(core.dsps for core in self.cores) * p.pp * p.dp // 2

    @property
    def memory_bits(self) -> dict[str, int]:
        """Bits of the permutation and of the twiddle memories."""
        p = self.parameters
        spn = sum(self.has_memory(i) for i in range(p.pp)) * p.n * p.bits * p.bp
        twiddle = sum(twiddle_depths(p, self.schedules)) * p.dp // 2 * p.bits * p.bp
        return {"permutation": spn, "twiddle": twiddle}

    @property
    def ramb18(self) -> int:
        """Block memories of Xilinx devices, in units of 18 kbit."""
        p = self.parameters
        depths = twiddle_depths(p, self.schedules)
        twiddles = sum(block_memories(p.dp // 2 * p.bits, depth) for depth in depths)
        return (twiddles + self.permutation_ramb18) * p.bp

    @property
    def permutation_ramb18(self) -> int:
        """Those of one limb's permutations."""
        p = self.parameters
        total = 0
        for place in range(p.pp):
            groups = 1 << self.exchanges(place)
            if self.has_memory(place):
                total += groups * block_memories(p.dp // groups * p.bits, p.words)
        return total

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
                    w = stored[groups + (low >> (b + 1))]
                    words[low], words[high] = core.butterfly(words[low], words[high], w, inverse)
        return words

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


#: Words from which the modules ask for block memory (BLOCK_DEPTH).
BLOCK_DEPTH = 64
_RAMB18_SHAPES = ((36, 512), (18, 1024), (9, 2048), (4, 4096), (2, 8192), (1, 16384))


def block_memories(width: int, depth: int) -> int:
    """RAMB18 for ``depth`` words of ``width`` bits with one read and one write port.

    Examples
    --------
    >>> block_memories(120, 1024), block_memories(60, 512), block_memories(60, 32)
    (7, 2, 0)
    """
    if depth < BLOCK_DEPTH:
        return 0
    return min(-(-width // w) * -(-depth // d) for w, d in _RAMB18_SHAPES)


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
    return {d: make_schedule(parameters, d, latency) for d in parameters.directions}
