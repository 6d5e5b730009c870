# SPDX-License-Identifier: Apache-2.0
"""The dataflows of [Din24] on P butterfly units at initiation interval 1: exact cycles and traces.

An algorithm is a list of stages, a stage a list of rows, a row up to P operations that happen in
one cycle. Elements live in 2 P memories with one read and one write port:

    bank(i) = low log2 P bits of i, and above them the parity of i's other bits

For every algorithm here, butterfly r of a row differs from its neighbours in low bits of r, and its
two legs in one higher bit: no two elements of a row share a bank (checked when a design is made).
Contiguous blocks and plain interleaving, which [Din24] analyses, are conflict-free for some of them
only: ``partition_accesses``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from nttforge.errors import ParameterError
from nttforge.spec.number_theory import smallest_root_of_unity
from nttforge.spec.transform import bit_reverse, powers
from nttforge_oracle.algorithms import ALGORITHMS

from .cores import CoreDesign, choose_cores
from .dataflow_stages import NAMES, OUT_OF_PLACE, Operation, dataflow_stages
from .memories import BLOCK_DEPTH
from .parameters import HardwareParameters, check_power_of_two
from .pipeline import PipelineField

#: Cycles from a row's issue to the first issue that sees what it wrote, beside the core's latency.
ROW_CYCLES = 4
_LOAD_CYCLES = 2


@dataclass(frozen=True)
class DataflowParameters:
    """A dataflow of [Din24] as hardware: cyclic ring, natural order in and out.

    Parameters
    ----------
    n : int
        A power of two in 8 ... 65536.
    q : int
        A prime with n | q - 1.
    algorithm : {"dit", "dif", "flat", "pease", "pease_nc", "six_step", "stockham"}
    units : int
        Butterflies per cycle, a power of two in 1 ... n / 4.
    core, pipeline
        As in ``HardwareParameters``; the memories have no registers of ``memory_regs``.
    stages : int, optional
        Run so many stages only and give the array as it is then (for traces).

    Raises
    ------
    ParameterError
        Naming the field, its value and what is allowed.
    """

    n: int
    q: int
    algorithm: str
    units: int = 4
    core: str = "auto"
    pipeline: PipelineField = PipelineField()  # noqa: RUF009 - a descriptor
    stages: int | None = None

    def __post_init__(self) -> None:
        if self.algorithm not in NAMES:
            raise ParameterError(
                f"algorithm = {self.algorithm!r} must be one of {', '.join(NAMES)}"
            )
        HardwareParameters(self.n, (self.q,), ring="cyclic", core=self.core)
        check_power_of_two("units", self.units, 1, self.n // 4, " (n / 4)")
        count = len(dataflow_stages(self.n, self.algorithm))
        if self.stages is not None and not 1 <= self.stages <= count:
            raise ParameterError(f"stages = {self.stages} must be in 1 ... {count}")

    @property
    def banks(self) -> int:
        return 2 * self.units

    @property
    def words(self) -> int:
        return self.n // self.banks

    @property
    def bits(self) -> int:
        return self.q.bit_length()

    @property
    def arrays(self) -> int:
        return 2 if self.algorithm in OUT_OF_PLACE else 1


@dataclass(frozen=True)
class DataflowDesign:
    """Parameters with core, rows and exact schedule."""

    parameters: DataflowParameters

    @cached_property
    def core(self) -> CoreDesign:
        p = self.parameters
        return choose_cores(p.core, (p.q,), p.pipeline)[0]

    @property
    def gentleman_sande(self) -> bool:
        """Whether the product comes behind the subtraction."""
        return self.parameters.algorithm in ("dif", "stockham", "six_step")

    @cached_property
    def stages(self) -> list[list[Operation]]:
        p = self.parameters
        every = dataflow_stages(p.n, p.algorithm)
        return every if p.stages is None else every[: p.stages]

    @cached_property
    def rows(self) -> list[list[list[Operation]]]:
        """The rows of each stage, of at most ``units`` operations."""
        units = self.parameters.units
        return [[s[i : i + units] for i in range(0, len(s), units)] for s in self.stages]

    @cached_property
    def table(self) -> list[int]:
        p = self.parameters
        return powers(smallest_root_of_unity(p.n, p.q), p.n, p.q)

    # The place in memory of an element of the ports.

    def placed(self, index: int) -> int:
        """Array index of input ``index``."""
        p = self.parameters
        if p.algorithm == "six_step":
            return index
        reverse = ALGORITHMS[p.algorithm].input_order == "bit_reversed"
        return bit_reverse(index, p.n.bit_length() - 1) if reverse else index

    def found(self, index: int) -> tuple[int, int]:
        """Array and index of output ``index``: natural, or the array's own with ``stages``."""
        p = self.parameters
        last = next(w for w in self.stages[-1][0].write if w is not None)[0]
        if p.stages is not None:
            return last, index
        reversed_ = p.algorithm in ("dif", "six_step")
        return last, bit_reverse(index, p.n.bit_length() - 1) if reversed_ else index

    def port_index(self, port: str, lane: int, slot: int) -> int:
        """Number of the element in a lane of a word: contiguous, or lane l from l n / banks on."""
        p = self.parameters
        log = p.n.bit_length() - 1
        first = self.placed(1) if port == "in" else self.found(1)[1]
        return lane * p.words + slot if first == 1 << (log - 1) else slot * p.banks + lane

    def bank(self, place: tuple[int, int]) -> int:
        low = self.parameters.units.bit_length() - 1
        index = place[1]
        return index % (1 << low) | ((index >> low).bit_count() & 1) << low

    def address(self, place: tuple[int, int]) -> int:
        p = self.parameters
        return place[0] * p.words + place[1] // p.banks

    @cached_property
    def schedule(self) -> tuple[list[int], int]:
        """Cycle of the first row of each stage and of the result, after the first word came in."""
        p = self.parameters
        ready: dict[tuple[int, int], int] = {}
        for slot in range(p.words):
            for lane in range(p.banks):
                ready[0, self.placed(self.port_index("in", lane, slot))] = slot + _LOAD_CYCLES
        through = self.core.latency() + ROW_CYCLES
        starts, free = [], p.words + _LOAD_CYCLES - through  # loading has the write ports first
        for stage in self.rows:
            start = max(free, 1)
            for t, row in enumerate(stage):
                for op in row:
                    start = max(start, *(ready[place] - t for place in op.read))
            starts.append(start)
            for t, row in enumerate(stage):
                for op in row:
                    ready.update(
                        {place: start + t + through for place in op.write if place is not None}
                    )
            free = start + len(stage)
        give = free
        for slot in range(p.words):
            for lane in range(p.banks):
                place = self.found(self.port_index("out", lane, slot))
                give = max(give, ready[place] - slot)
        return starts, give

    @property
    def compute_cycles(self) -> int:
        """Cycles from the first operands to the last result in memory, as [Din24] counts."""
        starts, _ = self.schedule
        return starts[-1] + len(self.rows[-1]) - starts[0] + self.core.latency() + ROW_CYCLES - 1

    @property
    def latency_cycles(self) -> int:
        """Cycles from the first word accepted to the last word offered, both counted."""
        p = self.parameters
        return self.schedule[1] + p.words + 3 + p.pipeline.port_cycles

    @property
    def interval_cycles(self) -> int:
        """Cycles between transforms: one at a time."""
        return self.schedule[1] + self.parameters.words + self.core.latency() + ROW_CYCLES

    @property
    def dsps(self) -> int:
        return self.core.constant_dsps * self.parameters.units

    @property
    def memories(self) -> dict[str, tuple[int, int, int]]:
        """Number, width and words of the banks and of the images of reads and of writes."""
        p = self.parameters
        starts, give = self.schedule
        address = (p.words * p.arrays - 1).bit_length()
        settings = (2 * (p.banks.bit_length() - 1) - 1) * p.units
        rows = give - starts[0] + p.words
        return {
            "banks": (p.banks, p.bits, p.words * p.arrays),
            "reads": (1, p.banks * address + settings + 1 + p.units * p.bits, rows),
            "writes": (1, p.banks * address + settings + p.banks, rows),
        }

    @property
    def block_memories(self) -> int:
        """How many memories are block memories, of any number of RAMB18 each."""
        return sum(n for n, _, words in self.memories.values() if words >= BLOCK_DEPTH)

    def compute(self, data: Sequence[int]) -> list[int]:
        """What the engine gives, by its own operations, memories and core."""
        p, core = self.parameters, self.core
        memory = [[0] * (p.words * p.arrays) for _ in range(p.banks)]

        def store(place: tuple[int, int], value: int) -> None:
            memory[self.bank(place)][self.address(place)] = value

        def load(place: tuple[int, int]) -> int:
            return memory[self.bank(place)][self.address(place)]

        for i, value in enumerate(data):
            store((0, self.placed(i)), value)
        for stage in self.stages:
            written = []
            for op in stage:
                w = self.stored(op)
                a, b = load(op.read[0]), 0 if op.bypass else load(op.read[1])
                if self.gentleman_sande:
                    out = ((a + b) % p.q, core.multiply((a - b) % p.q, w))
                else:
                    out = core.butterfly(a, b, w)
                written += [(place, v) for place, v in zip(op.write, out, strict=True) if place]
            for place, value in written:
                store(place, value)
        return [load(self.found(i)) for i in range(p.n)]

    def stored(self, op: Operation) -> int:
        """The twiddle of an operation as the core wants it."""
        return self.table[op.exponent] * self.core.twiddle_factor % self.parameters.q
