# SPDX-License-Identifier: Apache-2.0
"""Engines whose moduli and twiddles are loaded, shared by the limbs of a ring.

An engine is one limb's super pipelines. It holds ``sets`` tables, each of one modulus: q, the
constant of its reduction, and the twiddles. A frame names its engine and its set; both, and the
direction, travel with its words, so that frames of other limbs follow without a gap.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from nttforge.errors import ParameterError, SizeError
from nttforge.spec.transform import Ring
from nttforge_oracle.fast import forward_fast

from .cores import CoreDesign, choose_cores
from .design import Design, plan_schedules
from .memories import BLOCK_DEPTH, block_memories
from .parameters import HardwareParameters, check_choice, check_prime
from .pipeline import PipelineField
from .primes import usable_primes
from .schedule import interval_between
from .twiddles import twiddle_depths

MAX_ENGINES, MAX_SETS = 64, 64
MIN_ENGINE_BITS = 8
STARTS = ("word", "frame", "room")
#: Fewest words of a frame with ``start = "room"``: its last one is at hand when its turn comes.
MIN_ROOM_WORDS = 4
CORES = ("auto", "montgomery", "barrett")
#: Words of a table before its twiddles: engine, set, q, and the constant in two.
HEADER = 5


@dataclass(frozen=True)
class EngineParameters:
    """Parameters of engines with moduli that are loaded.

    Parameters
    ----------
    n : int
        Transform size, a power of two in 8 ... 65536.
    bits : int
        Of a residue, 8 ... 62: moduli are primes below 2^bits (Barrett: of exactly so many bits)
        with q = 1 modulo 2n, or n in the cyclic ring.
    engines : int
        That work side by side, 1 ... 64.
    sets : int
        Tables that an engine holds, 1 ... 64.
    direction : {"both", "forward", "inverse"}
        ``both``: each frame says which.
    ring : {"negacyclic", "cyclic"}
    dp, pp : int
        Coefficients a cycle and stages in hardware, of each engine.
    core : {"auto", "montgomery", "barrett"}
        ``auto`` is montgomery.
    start : {"word", "frame", "room"}
        When an engine begins a frame: as its words come; when all are in the buffer; or when, also,
        there is room for its result in the buffer behind. Then nothing inside ever waits, and no
        register has an enable.
    pipeline : Pipeline or {"small", "balanced", "fast"}
        Registers and multiplier blocks; the enable, where there is one, is always registered.
    layers : int, optional
        Fewest layers of a set's transform, log2 n (the default) or one less: then sets may also
        have primes with q = 1 modulo n (n / 2 in the cyclic ring), see ``EngineDesign.remainders``.

    Raises
    ------
    ParameterError
        Naming the field, its value, what is allowed and what to do.

    Examples
    --------
    >>> EngineParameters(n=1024, bits=30, engines=0)
    Traceback (most recent call last):
    ...
    nttforge.errors.ParameterError: engines = 0 must be an integer in 1 ... 64
    """

    n: int
    bits: int
    engines: int = 1
    sets: int = 1
    direction: str = "both"
    ring: Ring = "negacyclic"
    dp: int = 4
    pp: int = 1
    core: str = "auto"
    start: str = "word"
    pipeline: PipelineField = PipelineField()  # noqa: RUF009 - a descriptor
    layers: int | None = None

    def __post_init__(self) -> None:
        _check_range("engines", self.engines, 1, MAX_ENGINES)
        _check_range("sets", self.sets, 1, MAX_SETS)
        _check_range("bits", self.bits, MIN_ENGINE_BITS, 62)
        check_choice("core", self.core, CORES)
        check_choice("start", self.start, STARTS)
        log_n = self.shape.log_n  # checks the others
        if self.start == "room" and self.shape.words < MIN_ROOM_WORDS:
            raise ParameterError(
                f"start = 'room' needs frames of {MIN_ROOM_WORDS} words or more, n / dp = "
                f"{self.shape.words}: use a smaller dp or start = 'frame'"
            )
        if self.layers is not None:
            _check_range("layers", self.layers, log_n - 1, log_n)

    @property
    def early(self) -> bool:
        """Whether sets may stop a layer early."""
        return self.layers is not None and self.layers < self.shape.log_n

    @cached_property
    def shape(self) -> HardwareParameters:
        """One engine with the largest modulus that it takes."""
        kind = "montgomery" if self.core == "auto" else self.core
        moduli = usable_primes(self.n, self.bits, 1, self.ring)
        pipeline = replace(self.pipeline, enable_regs=0) if self.start == "room" else self.pipeline
        how = (self.direction, self.ring, self.dp, self.pp, kind, pipeline)
        return HardwareParameters(self.n, moduli, *how)


def _check_range(name: str, value: int, low: int, high: int) -> None:
    if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
        raise ParameterError(f"{name} = {value!r} must be an integer in {low} ... {high}")


@dataclass(frozen=True)
class EngineDesign:
    """Engines with the core and the schedules that follow from their parameters."""

    parameters: EngineParameters
    shape: Design

    @property
    def core(self) -> CoreDesign:
        return self.shape.cores[0]

    @cached_property
    def interval_cycles(self) -> int:
        """Cycles between the first words of two frames in an engine, whatever their directions."""
        p, schedules = self.shape.parameters, self.shape.schedules.values()
        return max(interval_between(p, a, b) for a in schedules for b in schedules)

    @cached_property
    def buffered_frames(self) -> tuple[int, int]:
        """Frames for which the buffers in front of an engine and behind have room.

        With ``start = "room"`` the one behind holds all that are begun before the first of them has
        left, and the one in front two if they follow one another without a gap.
        """
        if self.parameters.start != "room":
            return 1, 1
        words, interval = self.shape.parameters.words, self.interval_cycles
        longest = max(s.first_out for s in self.shape.schedules.values())
        begun = -(-(longest + words + 4 + self.buffer_regs) // interval)
        return 1 + (interval < words + 4), 1 << (begun - 1).bit_length()

    @property
    def buffer_regs(self) -> int:
        """Registers behind the memories of the buffers, as behind those of a fast pipeline."""
        return int(self.shape.parameters.pipeline.memory_regs >= 2)

    @property
    def frames_inside(self) -> int:
        """Frames that may be inside at a time, a power of two."""
        longest = max(s.latency for s in self.shape.schedules.values())
        # Two in each buffer, at most.
        each = -(-longest // self.interval_cycles) + 2 + sum(self.buffered_frames)
        return 1 << (each * self.parameters.engines - 1).bit_length()

    @property
    def dsps(self) -> int:
        p = self.parameters
        return p.engines * self.core.dsps * p.pp * p.dp // 2

    @cached_property
    def table_rows(self) -> tuple[int, ...]:
        """Rows of dp / 2 twiddles of a table, by super pipeline."""
        return tuple(twiddle_depths(self.shape.parameters, self.shape.schedules))

    @property
    def table_words(self) -> int:
        """Words of a table as it is loaded."""
        return HEADER + sum(self.table_rows)

    @property
    def tag_bits(self) -> int:
        """Bits of a frame's tag: its direction, and its set."""
        return 1 + max(1, (self.parameters.sets - 1).bit_length())

    @property
    def buffer_ramb18(self) -> int:
        """RAMB18 of the buffers at both ends of an engine."""
        p = self.shape.parameters
        block, (front, behind) = p.pipeline.block, self.buffered_frames
        taken = block_memories(p.dp * p.bits + self.tag_bits, front * p.words, block)
        return taken + block_memories(p.dp * p.bits, behind * p.words, block)

    @property
    def twiddle_ramb18(self) -> int:
        """RAMB18 of an engine's twiddles, a memory for each of dp / 2 cores and super pipeline."""
        p = self.parameters
        depths = (p.sets * rows for rows in self.table_rows)
        block = p.pipeline.block
        return sum(p.dp // 2 * block_memories(p.bits, depth, block) for depth in depths)

    @property
    def ramb18(self) -> int:
        """Block memories of Xilinx devices, in units of 18 kbit."""
        each = self.shape.permutation_ramb18 + self.twiddle_ramb18 + self.buffer_ramb18
        return each * self.parameters.engines

    @property
    def block_memories(self) -> int:
        """How many memories are block memories, of any number of RAMB18 each."""
        p, shape = self.parameters, self.shape
        deep = sum(p.sets * rows >= BLOCK_DEPTH for rows in self.table_rows)
        found = deep * p.dp // 2
        words = shape.parameters.words
        found += sum(frames * words >= BLOCK_DEPTH for frames in self.buffered_frames)
        if words >= BLOCK_DEPTH:
            places = [i for i in range(p.pp) if shape.has_memory(i)]
            found += sum(1 << shape.exchanges(i) for i in places)
        return found * p.engines

    @property
    def memory_bits(self) -> dict[str, int]:
        p, shape = self.parameters, self.shape
        word, (front, behind) = p.dp * p.bits, self.buffered_frames
        held = front * (word + self.tag_bits) + behind * word
        return {
            "permutation": shape.memory_bits["permutation"] * p.engines,
            "twiddle": p.engines * p.sets * sum(self.table_rows) * word // 2,
            "buffers": p.engines * shape.parameters.words * held,
        }

    def core_of(self, q: int) -> CoreDesign:
        """The core with the modulus ``q``.

        Raises
        ------
        ParameterError
            If these engines do not take ``q``.
        """
        p, shape = self.parameters, self.shape.parameters
        check_prime(q)
        order = shape.root_order >> p.early
        if (q - 1) % order:
            raise ParameterError(
                f"moduli: q = {q} does not support n = {p.n}: need q = 1 (mod {order})"
            )
        exact = self.core.kind == "barrett"
        if q.bit_length() > p.bits or (exact and q.bit_length() != p.bits):
            raise ParameterError(
                f"moduli: q = {q} has {q.bit_length()} bits, these engines take "
                f"{'exactly' if exact else 'at most'} {p.bits}"
            )
        layers = shape.log_n - 1 if (q - 1) % shape.root_order else None
        return replace(self.core, q=q, layers=layers)

    def table(self, q: int, engine: int = 0, number: int = 0) -> list[int]:
        """The words that load ``q`` into an engine's set: see nttf_table_loader."""
        p, core = self.parameters, self.core_of(q)
        for name, value, count in (("engine", engine, p.engines), ("set", number, p.sets)):
            _check_range(name, value, 0, count - 1)
        stored, mask = core.tables(p.n, p.ring), (1 << p.bits) - 1
        words = [engine, number, q, core.constant & mask, core.constant >> p.bits]
        for plan in self.shape.twiddles:
            for entries in plan.entries:
                values = [stored[e[0]][e[1]] if e else 0 for e in entries]
                words.append(sum(v << (bank * p.bits) for bank, v in enumerate(values)))
        return words

    def place(self, limb: int) -> tuple[int, int]:
        """Engine and set of a limb when limbs are dealt out in turn."""
        return limb % self.parameters.engines, limb // self.parameters.engines

    def compute(self, q: int, data: Sequence[int], direction: str = "forward") -> list[int]:
        """The transform modulo ``q`` by the steps of the hardware."""
        return replace(self.shape, cores=(self.core_of(q),)).compute(0, data, direction)

    def oracle(self, q: int, coefficients: Sequence[int]) -> list[int]:
        """The values of the coefficients by the definition's fast form, bit-reversed."""
        p = self.parameters
        if len(coefficients) != p.n:
            raise SizeError(f"{len(coefficients)} coefficients: need n = {p.n}")
        if self.core_of(q).layers is None:
            return forward_fast(coefficients, q, p.ring)
        even, odd = (forward_fast(coefficients[c::2], q, p.ring) for c in range(2))
        pairs = zip(even, odd, strict=True)
        return [value % q for e, o in pairs for value in (e + o, e - o)]

    def remainders(self, q: int, values: Sequence[int]) -> list[int]:
        """The remainders e + o X modulo X^2 - gamma of a transform that stops a layer early.

        The engine goes through its last layer all the same, with twiddles of 1: of each remainder
        it gives e + o and e - o, which are taken apart here. ``sums`` is the way back, to what an
        inverse transform takes. Values of other sets stay what they are.
        """
        if self.core_of(q).layers is None:
            return [*values]
        half, pairs = (q + 1) // 2, zip(values[::2], values[1::2], strict=True)
        return [v * half % q for x, y in pairs for v in (x + y, x - y)]

    def sums(self, q: int, remainders: Sequence[int]) -> list[int]:
        """What an inverse transform takes for remainders e + o X: see ``remainders``."""
        if self.core_of(q).layers is None:
            return [*remainders]
        pairs = zip(remainders[::2], remainders[1::2], strict=True)
        return [v % q for e, o in pairs for v in (e + o, e - o)]


def plan_engines(parameters: EngineParameters) -> EngineDesign:
    """Chooses the core and computes schedules; writes nothing.

    Examples
    --------
    >>> p = EngineParameters(n=4096, bits=30, dp=4, pp=2)
    >>> plan_engines(p).interval_cycles
    6144
    """
    shape = parameters.shape
    adicity = shape.root_order.bit_length() - 1 - parameters.early  # what all moduli have
    (core,) = choose_cores(shape.core, shape.moduli, shape.pipeline)
    core = replace(core, two_adicity=adicity, moving=True)
    return EngineDesign(parameters, Design(shape, (core,), plan_schedules(shape, core)))
