# SPDX-License-Identifier: Apache-2.0
"""A planned key-switching pipeline: one engine for each prime, all in lockstep.

With l primes of Q, D digits and K primes in all, an operation is D + 3 frames through the engines:

    frame 0            inverse   the l limbs of the polynomial that is switched
    frames 1 ... D     forward   digit after digit, converted to all K primes; times its key, summed
    frames D+1, D+2    inverse   the sums of part 0 and part 1; divided by the special primes

Every frame's cycle follows from the parameters. Only what the outside owes moves them: a polynomial
that is not there yet, a result that is not taken, a key that has not come from memory.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from nttforge.errors import ParameterError

from .cores import CoreDesign
from .design import Design, plan_design
from .keyswitch_constants import SwitchConstants, constant_dsps, stored, switch_constants
from .memories import BLOCK_DEPTH, block_memories
from .parameters import HardwareParameters, check_choice, check_power_of_two
from .pipeline import PipelineField
from .primes import usable_primes
from .schedule import interval_between

CORES = ("auto", "montgomery", "barrett")
MIN_SWITCH_BITS = 8
MAX_LIMBS, MAX_SPECIAL = 32, 8
MIN_WORDS = 8  # of a frame, so that sums are written before they are read again
PARTS = 2


@dataclass(frozen=True)
class KeySwitchParameters:
    """Parameters of a key-switching pipeline.

    Parameters
    ----------
    n : int
        Coefficients, a power of two in 64 ... 65536.
    moduli : tuple of int
        Primes of Q, 1 ... 32 of them; all primes have equally many bits.
    special : tuple of int
        Special primes, 1 ... 8 of them.
    digit_primes : int
        Primes of a digit, at most as many as there are special ones.
    dp, pp : int
        Coefficients a cycle and stages in hardware, of each prime's engine; n / dp is 8 or more.
    core : {"auto", "montgomery", "barrett"}
        ``auto`` is montgomery, whose keys carry a factor: ``KeySwitchDesign.key_words``.
    key_words : int
        Words of keys that a buffer holds, a power of two in 4 ... 65536.
    pipeline : Pipeline or {"small", "balanced", "fast"}
        Registers and multiplier blocks; the enable is always registered.

    Raises
    ------
    ParameterError
        Naming the field, its value, what is allowed and what to do.

    Examples
    --------
    >>> KeySwitchParameters.of_size(4096, 4, 1, 52, dp=12)
    Traceback (most recent call last):
    ...
    nttforge.errors.ParameterError: dp = 12 must be a power of two in 2 ... 512 (n / 8)
    """

    n: int
    moduli: tuple[int, ...]
    special: tuple[int, ...]
    digit_primes: int = 1
    dp: int = 4
    pp: int = 1
    core: str = "auto"
    key_words: int = 64
    pipeline: PipelineField = PipelineField()  # noqa: RUF009 - a descriptor

    def __post_init__(self) -> None:
        for name, most in (("moduli", MAX_LIMBS), ("special", MAX_SPECIAL)):
            value = tuple(getattr(self, name))
            object.__setattr__(self, name, value)
            if not 1 <= len(value) <= most:
                raise ParameterError(f"{name}: {len(value)} primes, 1 ... {most} are possible")
        check_power_of_two("n", self.n, 64, 1 << 16, "")
        check_power_of_two("dp", self.dp, 2, self.n // MIN_WORDS, f" (n / {MIN_WORDS})")
        check_choice("core", self.core, CORES)
        check_power_of_two("key_words", self.key_words, 4, 1 << 16, "")
        most = min(len(self.special), len(self.moduli))
        if not isinstance(self.digit_primes, int) or not 1 <= self.digit_primes <= most:
            raise ParameterError(
                f"digit_primes = {self.digit_primes!r} must be in 1 ... {most}: no more than there "
                "are special primes, which have to outweigh a digit, and primes of Q"
            )
        sizes = sorted({q.bit_length() for q in (*self.moduli, *self.special)})
        if len(sizes) > 1:
            raise ParameterError(
                f"moduli and special have primes of {sizes[0]} and {sizes[-1]} bits: digits are "
                "reduced by one subtraction, so all primes must have equally many bits"
            )
        assert self.shape is not None  # checks the others

    @classmethod
    def of_size(
        cls, n: int, limbs: int, special: int, bits: int, **others: object
    ) -> KeySwitchParameters:
        """With the largest primes of so many bits; the first ``special`` of them are special."""
        for name, value, low, high in (
            ("limbs", limbs, 1, MAX_LIMBS),
            ("special", special, 1, MAX_SPECIAL),
            ("bits", bits, MIN_SWITCH_BITS, 62),
        ):
            if not low <= value <= high:
                raise ParameterError(f"{name} = {value} must be in {low} ... {high}")
        check_power_of_two("n", n, 64, 1 << 16, "")
        found = usable_primes(n, bits, limbs + special)
        return cls(n, found[special:], found[:special], **others)  # type: ignore[arg-type]

    @cached_property
    def shape(self) -> HardwareParameters:
        """The engines: one for each prime, those of Q first, for both directions."""
        kind = "montgomery" if self.core == "auto" else self.core
        everything = (*self.moduli, *self.special)
        how = (self.dp, self.pp, kind, self.pipeline)
        return HardwareParameters(self.n, everything, "both", "negacyclic", *how)

    @property
    def limbs(self) -> int:
        """Primes of Q."""
        return len(self.moduli)

    @property
    def everything(self) -> tuple[int, ...]:
        """All primes: those of Q, then the special ones."""
        return (*self.moduli, *self.special)

    @property
    def digits(self) -> int:
        return -(-self.limbs // self.digit_primes)

    @property
    def bits(self) -> int:
        return self.shape.bits

    @property
    def words(self) -> int:
        """Words of a frame: n / dp."""
        return self.shape.words


@dataclass(frozen=True)
class SwitchSchedule:
    """Enabled cycles of an operation, counted from the first word that leaves the input's buffer.

    ``launch``: when each frame's first word is read from its memory; ``enter``: when it enters the
    engines; ``leave``: when its first word leaves them. ``interval``: between two operations.
    """

    launch: tuple[int, ...]
    enter: tuple[int, ...]
    leave: tuple[int, ...]
    interval: int


@dataclass(frozen=True)
class KeySwitchDesign:
    """A pipeline with the engines, constants and cycles that follow from its parameters."""

    parameters: KeySwitchParameters
    engines: Design

    @property
    def cores(self) -> tuple[CoreDesign, ...]:
        """One for each prime."""
        return self.engines.cores

    # Latencies of the parts around the engines, in enabled cycles.

    @property
    def product_latency(self) -> int:
        return self.cores[0].product_latency

    @property
    def add_latency(self) -> int:
        """Cycles of a modular addition with the register behind it."""
        return 1 + self.parameters.pipeline.add_regs

    @property
    def scale_latency(self) -> int:
        """Cycles of the products that make terms of the residues of a digit of several primes."""
        return self.product_latency if self.parameters.digit_primes > 1 else 0

    def conversion_latency(self, sources: int, centred: bool) -> int:
        """Cycles of nttf_base_conversion."""
        if sources > 1:
            return 1 + self.product_latency + (sources - 1) * self.add_latency
        return 1 + (self.add_latency if centred else 0)

    @property
    def down_latency(self) -> int:
        """Cycles of nttf_mod_down."""
        special, product = len(self.parameters.special), self.product_latency
        several = product + self.add_latency if special > 1 else 0
        conversion = self.conversion_latency(special, special == 1)
        return several + conversion + self.add_latency + product

    @property
    def memory_latency(self) -> int:
        """Cycles of a memory of digits or sums, with the register behind it."""
        return 2 if self.parameters.pipeline.memory_regs else 1

    @property
    def digit_delay(self) -> int:
        """From a digit's memory to the engines: the memory, the conversion, a register."""
        conversion = self.conversion_latency(self.parameters.digit_primes, False)
        return self.memory_latency + conversion + 1

    @property
    def sum_delay(self) -> int:
        """From the memory of sums to the engines: the memory, a register."""
        return self.memory_latency + 1

    @cached_property
    def schedule(self) -> SwitchSchedule:
        """The earliest start of every frame."""
        p, schedules = self.parameters, self.engines.schedules
        forward, inverse = schedules["forward"], schedules["inverse"]
        digits, words = p.digits, p.words

        def gap(first: object, second: object) -> int:
            return interval_between(p.shape, first, second)  # type: ignore[arg-type]

        enter = [1]  # the register in front of the engines
        written = enter[0] + inverse.first_out + self.scale_latency
        launch = max(written + 1, enter[0] + gap(inverse, forward) - self.digit_delay, words)
        enter += [launch + self.digit_delay + i * gap(forward, forward) for i in range(digits)]
        # Sums are read when the last key product has been added: their memory has one read port.
        added = enter[-1] + forward.first_out + self.product_latency
        earlier = self.memory_latency - 1  # with a register behind the memory
        launch = max(added + words - earlier, added + p.pipeline.add_regs + 2)
        first = max(launch + self.sum_delay, enter[-1] + gap(forward, inverse))
        enter += [first, first + gap(inverse, inverse)]
        delays = [1] + [self.digit_delay] * digits + [self.sum_delay] * PARTS
        outs = [inverse.first_out] + [forward.first_out] * digits + [inverse.first_out] * 2
        return SwitchSchedule(
            tuple(e - d for e, d in zip(enter, delays, strict=True)),
            tuple(enter),
            tuple(e + out for e, out in zip(enter, outs, strict=True)),
            enter[-1] + gap(inverse, inverse) - enter[0],
        )

    @property
    def interval_cycles(self) -> int:
        """Between two operations when nothing is waited for."""
        return self.schedule.interval

    @property
    def busy(self) -> float:
        """Butterflies that an operation needs, of those that the cores could do in an interval.

        l limbs go back, each digit goes there modulo the K primes but its own, and 2 K limbs back.
        """
        p = self.parameters
        limbs, total = p.limbs, len(p.everything)
        needed = limbs + p.digits * total - limbs + PARTS * total
        each = p.n // 2 * p.shape.log_n
        return needed * each / (self.interval_cycles * total * p.pp * p.dp // 2)

    # Constants.

    @cached_property
    def constants(self) -> SwitchConstants:
        """Factors of the products with constants."""
        p = self.parameters
        return switch_constants(p.moduli, p.special, p.digit_primes, self.cores)

    def key_words(self, key: Sequence[Sequence[Sequence[Sequence[int]]]]) -> list[int]:
        """The words of the port k for a key [digit][part][limb of all K][n], values.

        Digit by digit and slot by slot; a word has part by part, limb by limb and lane by lane a
        residue times 2^(steps digit_bits) modulo its prime for Montgomery cores, and plain for
        Barrett.
        """
        bits, words = self.parameters.bits, []
        for pair in key:
            rows = [
                self.engines.port_words([stored(self.cores[j], v) for v in limb], "forward", "out")
                for part in pair
                for j, limb in enumerate(part)
            ]
            for slot in range(self.parameters.words):
                fields = [v for row in rows for v in row[slot]]
                words.append(sum(v << (i * bits) for i, v in enumerate(fields)))
        return words

    # What it costs.

    @property
    def key_bits(self) -> int:
        """Bits of a word of keys."""
        return PARTS * len(self.parameters.everything) * self.parameters.dp * self.parameters.bits

    @property
    def word_bits(self) -> int:
        """Bits of a word at the other ports."""
        p = self.parameters
        return p.limbs * p.dp * p.bits

    def bytes_moved(self) -> dict[str, int]:
        """Bytes of an operation, residues packed: key, polynomial, both parts of the result."""
        p = self.parameters
        polynomial = -(-p.limbs * p.n * p.bits // 8)
        keys = -(-PARTS * p.digits * len(p.everything) * p.n * p.bits // 8)
        return {"keys": keys, "input": polynomial, "output": PARTS * polynomial}

    @property
    def dsps(self) -> int:
        p, cores = self.parameters, self.cores
        key_products = PARTS * p.dp * sum(core.constant_dsps for core in cores)
        constant = constant_dsps(len(p.special), p.digit_primes, cores, self.constants)
        return self.engines.dsps + key_products + p.dp * constant

    def memories(self) -> list[tuple[str, int, int]]:
        """Name, width and depth of the memories around the engines."""
        p = self.parameters
        whole = len(p.everything) * p.dp * p.bits
        return [
            ("input", self.word_bits, p.words),
            ("digits", self.word_bits, p.words),
            *[("sums", whole, p.words)] * PARTS,
            ("keys", self.key_bits, p.key_words),
            ("output", self.word_bits + 1, p.words),
        ]

    @property
    def ramb18(self) -> int:
        block = self.parameters.pipeline.block
        around = sum(block_memories(width, depth, block) for _, width, depth in self.memories())
        return self.engines.ramb18 + around

    @property
    def block_memories(self) -> int:
        """How many memories are block memories, of any number of RAMB18 each."""
        around = sum(depth >= BLOCK_DEPTH for _, _, depth in self.memories())
        return self.engines.block_memories + around

    @property
    def memory_bits(self) -> dict[str, int]:
        found = dict(self.engines.memory_bits)
        for name, width, depth in self.memories():
            found[name] = found.get(name, 0) + width * depth
        return found


def plan_keyswitch(parameters: KeySwitchParameters) -> KeySwitchDesign:
    """Chooses cores and computes the schedule; writes nothing.

    Examples
    --------
    >>> p = KeySwitchParameters.of_size(4096, 4, 1, 52, dp=8, pp=1)
    >>> design = plan_keyswitch(p)
    >>> design.interval_cycles, design.bytes_moved()["keys"]
    (43041, 1064960)
    """
    return KeySwitchDesign(parameters, plan_design(parameters.shape))
