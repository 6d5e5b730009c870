# SPDX-License-Identifier: Apache-2.0
"""Enumerates designs for a transform, predicts them, keeps those worth building.

Cycles, DSPs and block memories are exact; LUTs and flip-flops are estimates (cost.py).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property

from ..._parallel import run_parallel
from ...errors import ParameterError
from .cores import KINDS
from .cost import estimate
from .design import Design, plan_design
from .devices import DEVICES, device_pipeline
from .dgt import plan_dgt_parameters
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
    ramb18 : int, optional
        Block memories in units of 18 kbit: a RAMB36 is two.
    luts, ffs : int, optional
        Estimates are compared with these.
    bandwidth_gb_s : float, optional
        To load and store all limbs within the latency ([Yan22] Eq. 4), 10^9 bytes a second.
    """

    latency_us: float | None = None
    dsps: int | None = None
    memory_kbits: float | None = None
    frequency_mhz: float = DEFAULT_FREQUENCY_MHZ
    ramb18: int | None = None
    luts: int | None = None
    ffs: int | None = None
    bandwidth_gb_s: float | None = None

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            if value is not None and not 0 < value < float("inf"):
                raise ParameterError(f"{field.name} = {value} must be positive and finite")

    def within(self, device: str) -> Constraints:
        """These limits and those of a device; the lower of two holds. A family adds none.

        Raises
        ------
        ParameterError
            If no device has this name.
        """
        device_pipeline(device)
        if device not in DEVICES:
            return self
        has = DEVICES[device]
        both = {}
        for name in ("dsps", "ramb18", "luts", "ffs", "bandwidth_gb_s"):
            mine, theirs = getattr(self, name), getattr(has, name)
            both[name] = theirs if mine is None else mine if theirs is None else min(mine, theirs)
        return replace(self, **both)


@dataclass(frozen=True)
class Candidate:
    """One design and what is predicted of it."""

    parameters: HardwareParameters
    latency_cycles: int
    latency_us: float
    dsps: int
    memory_bits: int
    interval_cycles: int
    ramb18: int
    luts: int
    ffs: int
    bandwidth_gb_s: float

    @cached_property
    def design(self) -> Design:
        return _plan(self.parameters)

    def excess(self, limits: Constraints) -> dict[str, tuple[float, float]]:
        """The limits it does not keep: figure and limit by name."""
        wanted = {
            "latency_us": self.latency_us,
            "dsps": self.dsps,
            "memory_kbits": self.memory_bits / 1024,
            "ramb18": self.ramb18,
            "luts": self.luts,
            "ffs": self.ffs,
            "bandwidth_gb_s": self.bandwidth_gb_s,
        }
        return {
            name: (value, limit)
            for name, value in wanted.items()
            if (limit := getattr(limits, name)) is not None and value > limit
        }

    def broken(self, limits: Constraints) -> str:
        """The broken limits as text; empty where a design keeps them all."""
        found = self.excess(limits).items()
        return " and ".join(f"{name} {value:.4g} > {limit:g}" for name, (value, limit) in found)

    def meets(self, limits: Constraints) -> bool:
        return not self.excess(limits)

    @property
    def _figures(self) -> tuple[int, ...]:
        return self.latency_cycles, self.interval_cycles, self.dsps, self.ramb18, self.luts

    def dominates(self, other: Candidate) -> bool:
        """Whether no worse in latency, interval, DSPs, memories and LUTs, and better in one."""
        mine, theirs = self._figures, other._figures
        return mine != theirs and all(a <= b for a, b in zip(mine, theirs, strict=True))


def _plan(parameters: HardwareParameters) -> Design:
    return (plan_dgt_parameters if parameters.parts == 2 else plan_design)(parameters)


def predict(parameters: HardwareParameters, frequency_mhz: float) -> Candidate:
    """What is known of a design before it is written, at an assumed clock."""
    p, design = parameters, _plan(parameters)
    cycles = max(design.latency_cycles(d) for d in p.directions)
    us = cycles / frequency_mhz
    luts, ffs = estimate(design)
    residue_bytes = -(-(p.bits // p.parts) // 8)
    moved = 2 * p.bp * p.n * p.parts * residue_bytes
    return Candidate(
        parameters=p,
        latency_cycles=cycles,
        latency_us=us,
        dsps=design.dsps,
        memory_bits=sum(design.memory_bits.values()),
        interval_cycles=design.interval_cycles,
        ramb18=design.ramb18,
        luts=luts,
        ffs=ffs,
        bandwidth_gb_s=moved / us / 1000,
    )


def _try(item: tuple[HardwareParameters, float]) -> Candidate | None:
    try:
        return predict(*item)
    except ParameterError:  # a core that does not serve these moduli
        return None


def candidates(
    base: HardwareParameters,
    frequency_mhz: float,
    jobs: int = 1,
    title: str = "",
    twiddles: Sequence[str] = (),
) -> list[Candidate]:
    """All dp (2 ... 256), pp, cores and memory recipes for the transform of ``base``.

    Parameters
    ----------
    base : HardwareParameters
        Its dp and pp are not used; a core other than "auto" is the only one.
    frequency_mhz : float
        Assumed clock.
    jobs : int
        Processes.
    title : str
        Of the progress on standard error, none if empty.
    twiddles : sequence of {"table", "on_the_fly"}
        Memory recipes; that of ``base`` if empty.
    """
    kinds = KINDS if base.core == "auto" else (base.core,)
    shapes = [
        (replace(base, dp=1 << k, pp=pp, core=kind, twiddles=recipe), frequency_mhz)
        for k in range(1, min(MAX_DP, base.n // 2).bit_length())
        for pp in range(1, base.log_n + 1)
        for kind in kinds
        for recipe in twiddles or (base.twiddles,)
    ]
    order = {item: i for i, item in enumerate(shapes)}
    found = [
        (order[item], candidate)
        for item, candidate in run_parallel(_try, shapes, jobs, title, _shape_name)
        if candidate is not None
    ]
    if not found:
        _plan(replace(base, dp=2, pp=1))  # says why no core serves
    distinct: dict[Candidate, Candidate] = {}
    for _, candidate in sorted(found, key=lambda pair: pair[0]):
        # on_the_fly often changes nothing: the same design again.
        plain = replace(candidate.parameters, twiddles="table")
        distinct.setdefault(replace(candidate, parameters=plain), candidate)
    return list(distinct.values())


def _shape_name(item: tuple[HardwareParameters, float]) -> str:
    p, _ = item
    return f"dp {p.dp}, pp {p.pp}, {p.core}, {p.twiddles}"


def pareto(found: Iterable[Candidate]) -> list[Candidate]:
    """The candidates that no other one dominates, fastest first."""
    found = list(found)
    best = [c for c in found if not any(o.dominates(c) for o in found)]
    return sorted(best, key=lambda c: (c.latency_cycles, c.dsps, c.ramb18, c.luts))


def explore(
    base: HardwareParameters,
    limits: Constraints,
    jobs: int = 1,
    title: str = "",
    twiddles: Sequence[str] = (),
) -> list[Candidate]:
    """The designs that keep the limits and that no other such design dominates, fastest first.

    Examples
    --------
    >>> base = HardwareParameters(n=1024, moduli=(2**28 - 2**16 + 1,))
    >>> found = explore(base, Constraints(latency_us=1.0, dsps=640))
    >>> [(c.parameters.dp, c.parameters.pp, c.parameters.core, c.latency_cycles) for c in found][:1]
    [(256, 1, 'solinas', 122)]
    """
    everything = candidates(base, limits.frequency_mhz, jobs, title, twiddles)
    return pareto(c for c in everything if c.meets(limits))


def choose(
    base: HardwareParameters,
    limits: Constraints,
    jobs: int = 1,
    title: str = "",
    twiddles: Sequence[str] = (),
) -> Candidate:
    """The design with the fewest DSPs (then block memories, then cycles) that keeps the limits.

    Raises
    ------
    ParameterError
        If there is none, saying how near the nearest come.
    """
    everything = candidates(base, limits.frequency_mhz, jobs, title, twiddles)
    found = [c for c in everything if c.meets(limits)]
    if found:
        return min(found, key=lambda c: (c.dsps, c.ramb18, c.latency_cycles))
    fastest = min(everything, key=lambda c: c.latency_cycles)
    nearest = min(
        everything, key=lambda c: max(v / limit for v, limit in c.excess(limits).values())
    )
    raise ParameterError(
        f"no design keeps the limits: the nearest (dp = {nearest.parameters.dp}, "
        f"pp = {nearest.parameters.pp}) has {nearest.broken(limits)}, the fastest "
        f"takes {fastest.latency_us:.2f} us with {fastest.dsps} DSPs; relax a limit"
    )
