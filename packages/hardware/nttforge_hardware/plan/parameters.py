# SPDX-License-Identifier: Apache-2.0
"""What a design is asked to be: one validated, immutable object."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from nttforge.errors import ParameterError
from nttforge.spec.number_theory import is_prime
from nttforge.spec.transform import Ring
from nttforge_oracle.number_theory import two_adic_valuation

from .cores import KINDS
from .pipeline import BLOCKS, PipelineField

DIRECTIONS = ("forward", "inverse", "both")
RINGS = ("negacyclic", "cyclic")
TWIDDLES = ("table", "on_the_fly")
BUFFERS = ("none", "word", "frame")
MEMORIES = ("block", "ultra")
MAX_LOG_N = 16
BUFFER_CYCLES = 3  # of a word in an empty nttf_frame_buffer
MIN_BITS, MAX_BITS = 4, 62


@dataclass(frozen=True)
class HardwareParameters:
    """Parameters of a streaming design, in the words of [Yan22].

    Parameters
    ----------
    n : int
        Transform size, a power of two in 8 ... 65536.
    moduli : tuple of int
        One prime per limb; every limb has its own instance (bp = number of limbs).
    direction : {"forward", "inverse", "both"}
        ``both`` chooses at run time, per transform.
    ring : {"negacyclic", "cyclic"}
    dp : int
        Coefficients per cycle and limb, a power of two in 2 ... n / 2.
    pp : int
        Stages in hardware (super pipelines), 1 ... log2 n.
    core : {"auto", "montgomery", "barrett", "solinas"}
        ``auto``: solinas where every modulus is 2^i +- 2^j +- 1 and the core takes it, else
        montgomery.
    twiddles : {"table", "on_the_fly"}
        ``on_the_fly``: where that saves block memories, a twiddle is the product of an entry of a
        smaller table and one of a second, narrow table; a multiplier more for each core.
    memories : {"block", "ultra"}
        ``ultra``: permutations of 1024 words and more keep them in UltraRAM (UltraScale+, Versal).
    pipeline : Pipeline or {"small", "balanced", "fast"}
        Registers and multiplier blocks; a name stands for ``Pipeline.named(name)``. By default
        ``balanced``: no path leads from a handshake into the design.
    buffers : {"none", "word", "frame"}
        ``word`` and ``frame``: a buffer of a transform at both ports, so that the next one comes in
        and the last one leaves while one is computed, at any pace. ``frame``: a transform begins
        when all of its words are there, and a slow sender never stops the design.
    degree : int
        Of incomplete transforms: each modulus stands ``degree`` times in a row in ``moduli``, and
        limb c of it has coefficients ``degree`` j + c. See ``incomplete``.

    Raises
    ------
    ParameterError
        Naming the field, its value, what is allowed and what to do.

    Examples
    --------
    >>> HardwareParameters(n=16, moduli=(97,), dp=3)
    Traceback (most recent call last):
    ...
    nttforge.errors.ParameterError: dp = 3 must be a power of two in 2 ... 8 (n / 2)
    """

    n: int
    moduli: tuple[int, ...]
    direction: str = "forward"
    ring: Ring = "negacyclic"
    dp: int = 2
    pp: int = 1
    core: str = "auto"
    pipeline: PipelineField = PipelineField()  # noqa: RUF009 - a descriptor
    twiddles: str = "table"
    buffers: str = "none"
    memories: str = "block"
    degree: int = 1

    @classmethod
    def incomplete(
        cls, n: int, moduli: Iterable[int], layers: int, **chosen: Any
    ) -> HardwareParameters:
        """A transform of n coefficients that stops after ``layers`` of its log2 n layers.

        It leaves remainders modulo factors X^d - gamma, d = n / 2^layers, and is d transforms of
        2^layers points side by side: limb c has the coefficients d j + c and gives coefficient c
        of every remainder. With n = 256, q = 3329 and 7 layers these are the values of ML-KEM.

        Parameters
        ----------
        n : int
            A power of two.
        moduli : iterable of int
        layers : int
            3 ... log2 n.
        **chosen
            The other parameters; ``dp`` counts coefficients of one limb.

        Raises
        ------
        ParameterError
            Naming the field, its value and what is allowed.

        Examples
        --------
        >>> p = HardwareParameters.incomplete(256, [3329], 7, dp=4, pp=7)
        >>> p.n, p.moduli, p.degree
        (128, (3329, 3329), 2)
        """
        check_power_of_two("n", n, 8, 1 << MAX_LOG_N, "")
        _check_integer("layers", layers)
        if not 3 <= layers < n.bit_length():
            raise ParameterError(f"layers = {layers} must be in 3 ... {n.bit_length() - 1}")
        degree = n >> layers
        repeated = tuple(q for q in moduli for _ in range(degree))
        return cls(1 << layers, repeated, degree=degree, **chosen)

    def __post_init__(self) -> None:
        if isinstance(self.moduli, (str, bytes)) or not isinstance(self.moduli, Iterable):
            raise ParameterError(f"moduli = {self.moduli!r} must be a list of primes, one per limb")
        object.__setattr__(self, "moduli", tuple(self.moduli))
        check_power_of_two("n", self.n, 8, 1 << MAX_LOG_N, "")
        check_choice("direction", self.direction, DIRECTIONS)
        check_choice("ring", self.ring, RINGS)
        # Where a transform stops early, n is that of its limbs, which nobody asked for.
        whole = self.degree == 1
        check_power_of_two("dp", self.dp, 2, self.n // 2, " (n / 2)" if whole else "")
        _check_integer("pp", self.pp)
        if not 1 <= self.pp <= self.log_n:
            of = "log2 n" if whole else "layers"
            raise ParameterError(f"pp = {self.pp} must be in 1 ... {self.log_n} ({of})")
        check_choice("core", self.core, ("auto", *KINDS))
        check_choice("twiddles", self.twiddles, TWIDDLES)
        check_choice("buffers", self.buffers, BUFFERS)
        check_choice("memories", self.memories, MEMORIES)
        if self.memories == "ultra" and not self.pipeline.tile.ultra:
            having = ", ".join(name for name, tile in BLOCKS.items() if tile.ultra)
            raise ParameterError(
                f"memories = 'ultra' needs a family with UltraRAM: pipeline.block = "
                f"{self.pipeline.block!r} must be one of {having}"
            )
        if not self.moduli:
            raise ParameterError("moduli = [] is empty: give one prime per limb")
        for q in self.moduli:
            self._check_modulus(q)
        _check_integer("degree", self.degree)
        if self.degree < 1 or len(self.moduli) % self.degree:
            raise ParameterError(
                f"degree = {self.degree} must divide the {len(self.moduli)} limbs of moduli"
            )
        each = self.moduli[:: self.degree]
        if self.moduli != tuple(q for q in each for _ in range(self.degree)):
            raise ParameterError(
                f"moduli = {list(self.moduli)} must have each modulus {self.degree} times in a row"
            )
        if len(set(each)) != len(each):
            raise ParameterError(
                f"moduli = {list(self.moduli)} must be distinct: leave the repeated ones out"
            )

    def _check_modulus(self, q: int) -> None:
        check_prime(q)
        order = self.root_order
        if (q - 1) % order:
            largest = 2 ** two_adic_valuation(q - 1) * self.n // order
            raise ParameterError(
                f"moduli: q = {q} does not support n = {self.n}: need q = 1 (mod {order}), and "
                f"{q} = {q % order}; its largest {self.ring} n is {largest}, and nttforge rtl "
                "primes lists primes that fit"
            )

    @property
    def log_n(self) -> int:
        """log2 of n."""
        return self.n.bit_length() - 1

    @property
    def log_dp(self) -> int:
        """log2 of dp."""
        return self.dp.bit_length() - 1

    @property
    def bp(self) -> int:
        """Instances, one per limb."""
        return len(self.moduli)

    @property
    def words(self) -> int:
        """Words of dp coefficients in a transform: n / dp."""
        return self.n // self.dp

    @property
    def port_cycles(self) -> int:
        """Cycles of a word between the ports and the super pipelines, both ways."""
        each = BUFFER_CYCLES
        held = {"none": 0, "word": 2 * each, "frame": max(each, self.words) + each}
        return self.pipeline.port_cycles + held[self.buffers]

    @property
    def passes(self) -> int:
        """Times a transform goes through the super pipelines."""
        return -(-self.log_n // self.pp)

    @property
    def entry(self) -> int:
        """Super pipeline of the first stage: the last stage always falls on the last one."""
        return -self.log_n % self.pp

    @property
    def root_order(self) -> int:
        """Order of the root of unity: 2 n, or n in the cyclic ring."""
        return 2 * self.n if self.ring == "negacyclic" else self.n

    @property
    def bits(self) -> int:
        """Bits of a coefficient: those of the largest modulus."""
        return max(self.moduli).bit_length()

    @property
    def parts(self) -> int:
        """Residues in a lane's word."""
        return 1

    @property
    def directions(self) -> tuple[str, ...]:
        """The directions that the design computes."""
        return ("forward", "inverse") if self.direction == "both" else (self.direction,)


def _check_integer(name: str, value: object) -> None:
    if isinstance(value, bool) or not isinstance(value, int):
        raise ParameterError(f"{name} = {value!r} must be an integer")


def check_prime(q: int) -> None:
    """Raises ParameterError unless ``q`` is a prime of a size that the cores take."""
    _check_integer("moduli", q)
    if not MIN_BITS <= q.bit_length() <= MAX_BITS:
        raise ParameterError(
            f"moduli: q = {q} has {q.bit_length()} bits, allowed are {MIN_BITS} ... {MAX_BITS}; "
            "nttforge rtl primes lists some that fit"
        )
    if not is_prime(q):
        raise ParameterError(
            f"moduli: q = {q} is not prime; nttforge rtl primes lists some that fit"
        )


def check_choice(name: str, value: str, allowed: tuple[str, ...]) -> None:
    """Raises ParameterError unless ``value`` is one of ``allowed``."""
    if value not in allowed:
        raise ParameterError(f"{name} = {value!r} must be one of {', '.join(allowed)}")


def check_power_of_two(name: str, value: int, low: int, high: int, note: str) -> None:
    """Raises ParameterError unless ``value`` is a power of two in low ... high."""
    _check_integer(name, value)
    if value & (value - 1) or not low <= value <= high:
        raise ParameterError(f"{name} = {value} must be a power of two in {low} ... {high}{note}")
