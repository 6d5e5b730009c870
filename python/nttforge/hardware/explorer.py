"""Enumerates designs for a transform, predicts them exactly, keeps those worth building."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from ..errors import ParameterError
from .design import Design, plan_design
from .parameters import HardwareParameters

DEFAULT_FREQUENCY_MHZ = 250.0  # [Yan22] section 6.2: an assumption, no result of any tool
MAX_DP = 256


@dataclass(frozen=True)
class Constraints:
    """Upper limits; None leaves one out.

    Parameters
    ----------
    latency_us : float, optional
        First word in to last word out, at ``frequency_mhz``.
    dsps : int, optional
    memory_kbits : float, optional
        Permutation and twiddle memories, in units of 1024 bits.
    frequency_mhz : float
        Assumed clock.
    """

    latency_us: float | None = None
    dsps: int | None = None
    memory_kbits: float | None = None
    frequency_mhz: float = DEFAULT_FREQUENCY_MHZ

    def __post_init__(self) -> None:
        for name in ("latency_us", "dsps", "memory_kbits", "frequency_mhz"):
            value = getattr(self, name)
            if value is not None and not 0 < value < float("inf"):
                raise ParameterError(f"{name} = {value} must be positive and finite")


@dataclass(frozen=True)
class Candidate:
    """One design and what is predicted of it."""

    design: Design
    latency_cycles: int
    latency_us: float
    dsps: int
    memory_bits: int

    def meets(self, limits: Constraints) -> bool:
        return (
            (limits.latency_us is None or self.latency_us <= limits.latency_us)
            and (limits.dsps is None or self.dsps <= limits.dsps)
            and (limits.memory_kbits is None or self.memory_bits <= limits.memory_kbits * 1024)
        )

    @property
    def _figures(self) -> tuple[int, int, int, int]:
        interval = self.design.interval_cycles
        return self.latency_cycles, interval, self.dsps, self.memory_bits

    def dominates(self, other: Candidate) -> bool:
        """No worse in anything, better in something."""
        mine, theirs = self._figures, other._figures
        return mine != theirs and all(a <= b for a, b in zip(mine, theirs, strict=True))


def candidates(base: HardwareParameters, frequency_mhz: float) -> Iterator[Candidate]:
    """All dp (2 ... 256) and pp for the transform of ``base``, whose dp and pp are not used."""
    dp = 2
    while dp <= min(MAX_DP, base.n // 2):
        for pp in range(1, base.log_n + 1):
            design = plan_design(replace(base, dp=dp, pp=pp))
            cycles = max(design.latency_cycles(d) for d in base.directions)
            memory = sum(design.memory_bits.values())
            yield Candidate(design, cycles, cycles / frequency_mhz, design.dsps, memory)
        dp *= 2


def explore(base: HardwareParameters, limits: Constraints) -> list[Candidate]:
    """The designs that keep the limits and that no other such design dominates, fastest first.

    Examples
    --------
    >>> base = HardwareParameters(n=1024, moduli=(2**28 - 2**16 + 1,))
    >>> found = explore(base, Constraints(latency_us=1.0, dsps=640))
    >>> [(c.design.parameters.dp, c.design.parameters.pp, c.latency_cycles) for c in found][:1]
    [(256, 1, 109)]
    """
    kept = [c for c in candidates(base, limits.frequency_mhz) if c.meets(limits)]
    best = [c for c in kept if not any(o.dominates(c) for o in kept)]
    return sorted(best, key=lambda c: (c.latency_cycles, c.dsps, c.memory_bits))


def choose(base: HardwareParameters, limits: Constraints) -> Candidate:
    """The design with the fewest DSPs (then memory bits, then cycles) that keeps the limits.

    Raises
    ------
    ParameterError
        If there is none, saying how near the nearest limits come.
    """
    found = explore(base, limits)
    if not found:
        everything = list(candidates(base, limits.frequency_mhz))
        fastest = min(everything, key=lambda c: c.latency_cycles)
        smallest = min(everything, key=lambda c: c.dsps)
        raise ParameterError(
            f"no design keeps the limits: the fastest takes {fastest.latency_us:.2f} us with "
            f"{fastest.dsps} DSPs, the smallest {smallest.dsps} DSPs and "
            f"{smallest.latency_us:.2f} us; relax a limit"
        )
    return min(found, key=lambda c: (c.dsps, c.memory_bits, c.latency_cycles))
