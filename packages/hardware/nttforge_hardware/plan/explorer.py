# SPDX-License-Identifier: Apache-2.0
"""Enumerates designs for a transform, predicts them, keeps those worth building.

Cycles are exact, DSPs and memories as synthesis counts them; LUTs and flip-flops are estimates
(cost.py).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Any

from nttforge.errors import ParameterError

from .._parallel import run_parallel
from .cores import KINDS
from .cost import estimate
from .design import Design, plan_design
from .devices import DEVICES, device_pipeline
from .dgt import plan_dgt_parameters
from .parameters import HardwareParameters, check_choice
from .product import ProductDesign, ProductParameters, plan_product
from .traffic import Traffic

DEFAULT_FREQUENCY_MHZ = 250.0  # [Yan22] section 6.2: an assumption, no result of any tool
MAX_DP = 256


@dataclass(frozen=True)
class Constraints:
    """Upper limits; None leaves one out.

    Parameters
    ----------
    latency_us : float, optional
        First word in to last word out, at ``frequency_mhz``, with the stalls of ``memory_gb_s``.
    dsps : int, optional
    memory_kbits : float, optional
        Permutation and twiddle memories, in units of 1024 bits.
    frequency_mhz : float
        Assumed clock.
    ramb18 : int, optional
        Block memories in units of 18 kbit: a RAMB36 is two.
    uram : int, optional
        UltraRAM blocks.
    luts, ffs : int, optional
        Estimates are compared with these.
    peak_gb_s : float, optional
        Most that both ports move in one cycle when transforms come back to back, 10^9 bytes a
        second: what a memory has to move where nothing between waits.
    interval_gb_s : float, optional
        What both ports move when transforms come back to back, on the average of an interval:
        enough for a memory behind buffers of a transform at both ends.
    memory_gb_s : float, optional
        No limit: the memory that words come from and go to, in both directions together, without
        buffers. Its stalls are part of the latency and of the interval.
    """

    latency_us: float | None = None
    dsps: int | None = None
    memory_kbits: float | None = None
    frequency_mhz: float = DEFAULT_FREQUENCY_MHZ
    ramb18: int | None = None
    uram: int | None = None
    luts: int | None = None
    ffs: int | None = None
    peak_gb_s: float | None = None
    interval_gb_s: float | None = None
    memory_gb_s: float | None = None

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            if value is not None and not 0 < value < float("inf"):
                raise ParameterError(f"{field.name} = {value} must be positive and finite")

    def within(self, device: str) -> Constraints:
        """These limits and those of a device; the lower of two holds. A family adds none.

        Words come from and go to the memory of a device that has one.

        Raises
        ------
        ParameterError
            If no device has this name.
        """
        device_pipeline(device)
        if device not in DEVICES:
            return self
        has = DEVICES[device]
        both: dict[str, Any] = {}
        names = {name: name for name in ("dsps", "ramb18", "uram", "luts", "ffs")}
        for name, theirs in (names | {"memory_gb_s": "bandwidth_gb_s"}).items():
            limits = [v for v in (getattr(self, name), getattr(has, theirs)) if v]
            both[name] = min(limits, default=None)
        return replace(self, **both)


@dataclass(frozen=True)
class Candidate:
    """One design and what is predicted of it.

    ``latency_cycles``, ``interval_cycles``: from port to port; ``stall_cycles``,
    ``interval_stall_cycles``: how many more from and to the memory of the limits; ``latency_us``
    has them. ``luts`` and ``ffs`` are None where they are not predicted.
    """

    parameters: HardwareParameters
    latency_cycles: int
    stall_cycles: int
    latency_us: float
    dsps: int
    memory_bits: int
    interval_cycles: int
    interval_stall_cycles: int
    ramb18: int
    luts: int | None
    ffs: int | None
    peak_gb_s: float
    interval_gb_s: float
    uram: int = 0

    @cached_property
    def design(self) -> Design | ProductDesign:
        return _plan(self.parameters)

    def excess(self, limits: Constraints) -> dict[str, tuple[float, float]]:
        """The limits it does not keep: figure and limit by name."""
        wanted = {
            "latency_us": self.latency_us,
            "dsps": self.dsps,
            "memory_kbits": self.memory_bits / 1024,
            "ramb18": self.ramb18,
            "uram": self.uram,
            "luts": self.luts,
            "ffs": self.ffs,
            "peak_gb_s": self.peak_gb_s,
            "interval_gb_s": self.interval_gb_s,
        }
        return {
            name: (value, limit)
            for name, value in wanted.items()
            if (limit := getattr(limits, name)) is not None and value is not None and value > limit
        }

    def broken(self, limits: Constraints) -> str:
        """The broken limits as text; empty where a design keeps them all."""
        found = self.excess(limits).items()
        return " and ".join(f"{name} {value:.4g} > {limit:g}" for name, (value, limit) in found)

    def meets(self, limits: Constraints) -> bool:
        return not self.excess(limits)

    @property
    def figures(self) -> dict[str, int]:
        """What objectives and dominance compare: cycles with stalls, and resources."""
        return {
            "latency": self.latency_cycles + self.stall_cycles,
            "interval": self.interval_cycles + self.interval_stall_cycles,
            "dsps": self.dsps,
            "ramb18": self.ramb18,
            "luts": self.luts or 0,
        }

    def dominates(self, other: Candidate) -> bool:
        """Whether no worse in latency, interval, DSPs, memories and LUTs, and better in one."""
        mine, theirs = self.figures.values(), other.figures.values()
        pairs = list(zip(mine, theirs, strict=True))
        return all(a <= b for a, b in pairs) and any(a < b for a, b in pairs)


#: What is wanted least first, by objective.
OBJECTIVES: Mapping[str, tuple[str, ...]] = {
    "latency": ("latency", "dsps", "ramb18", "luts", "interval"),
    "throughput": ("interval", "dsps", "ramb18", "latency", "luts"),
    "area": ("dsps", "ramb18", "latency", "luts", "interval"),
}


def _order(objective: str) -> Callable[[Candidate], tuple[int, ...]]:
    check_choice("objective", objective, tuple(OBJECTIVES))
    return lambda c: tuple(c.figures[name] for name in OBJECTIVES[objective])


def _plan(parameters: HardwareParameters) -> Design | ProductDesign:
    if isinstance(parameters, ProductParameters):
        return plan_product(parameters)
    return (plan_dgt_parameters if parameters.parts == 2 else plan_design)(parameters)


def predict(
    parameters: HardwareParameters, frequency_mhz: float, memory_gb_s: float | None = None
) -> Candidate:
    """What is known of a design before it is written, at an assumed clock.

    ``memory_gb_s``: the memory that words come from and go to; without, no word is late.
    """
    p, design = parameters, _plan(parameters)
    word = p.bp * p.dp * p.bits / 8
    if isinstance(design, ProductDesign):
        latencies, in_bytes = [design.latency_cycles], 2 * word
        luts, ffs = None, None
    else:
        latencies, in_bytes = [design.latency_cycles(d) for d in p.directions], word
        luts, ffs = estimate(design) or (None, None)
    latency, interval = max(latencies), design.interval_cycles
    traffic = Traffic(in_bytes, word, p.words, latency, interval, p.buffers == "frame")
    stalled, stalled_interval = latency, interval
    if memory_gb_s is not None:
        moved = memory_gb_s * 1000 / frequency_mhz
        stalled = traffic.latency_from_memory(moved)
        stalled_interval = math.ceil(traffic.interval_from_memory(moved))
    return Candidate(
        parameters=p,
        latency_cycles=latency,
        stall_cycles=stalled - latency,
        latency_us=stalled / frequency_mhz,
        dsps=design.dsps,
        memory_bits=sum(design.memory_bits.values()),
        interval_cycles=interval,
        interval_stall_cycles=stalled_interval - interval,
        ramb18=design.ramb18,
        luts=luts,
        ffs=ffs,
        peak_gb_s=traffic.peak_bytes * frequency_mhz / 1000,
        interval_gb_s=traffic.interval_bytes * frequency_mhz / 1000,
        uram=design.uram,
    )


_Item = tuple[HardwareParameters, float, float | None]


def _try(item: _Item) -> Candidate | None:
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
    memory_gb_s: float | None = None,
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
    memory_gb_s : float, optional
        As ``predict`` takes it.
    """
    kinds = KINDS if base.core == "auto" else (base.core,)
    shapes = [
        (replace(base, dp=1 << k, pp=pp, core=kind, twiddles=recipe), frequency_mhz, memory_gb_s)
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


def _shape_name(item: _Item) -> str:
    p = item[0]
    return f"dp {p.dp}, pp {p.pp}, {p.core}, {p.twiddles}"


def pareto(found: Iterable[Candidate], objective: str = "latency") -> list[Candidate]:
    """The candidates that no other one dominates, the best for the objective first."""
    found, order = list(found), _order(objective)
    return sorted((c for c in found if not any(o.dominates(c) for o in found)), key=order)


def explore(
    base: HardwareParameters,
    limits: Constraints,
    jobs: int = 1,
    title: str = "",
    twiddles: Sequence[str] = (),
    objective: str = "latency",
) -> list[Candidate]:
    """The designs that keep the limits and that no other such design dominates.

    Parameters
    ----------
    base, jobs, title, twiddles
        As in ``candidates``.
    limits : Constraints
    objective : {"latency", "throughput", "area"}
        Which design comes first: the one with the lowest latency, the one with the shortest
        interval, or the one with the fewest DSPs (then block memories).

    Examples
    --------
    >>> base = HardwareParameters(n=1024, moduli=(2**28 - 2**16 + 1,))
    >>> found = explore(base, Constraints(latency_us=1.0, dsps=640))
    >>> [(c.parameters.dp, c.parameters.pp, c.parameters.core, c.latency_cycles) for c in found][:1]
    [(256, 1, 'solinas', 122)]
    """
    _order(objective)  # checks it
    everything = _within(base, limits, jobs, title, twiddles)
    return pareto((c for c in everything if c.meets(limits)), objective)


def _within(
    base: HardwareParameters, limits: Constraints, jobs: int, title: str, twiddles: Sequence[str]
) -> list[Candidate]:
    return candidates(base, limits.frequency_mhz, jobs, title, twiddles, limits.memory_gb_s)


def choose(
    base: HardwareParameters,
    limits: Constraints,
    jobs: int = 1,
    title: str = "",
    twiddles: Sequence[str] = (),
    objective: str = "latency",
) -> Candidate:
    """The best design for the objective that keeps the limits; arguments as those of ``explore``.

    Raises
    ------
    ParameterError
        If there is none, saying how near the nearest come.
    """
    order = _order(objective)
    everything = _within(base, limits, jobs, title, twiddles)
    found = [c for c in everything if c.meets(limits)]
    if found:
        return min(found, key=order)
    fastest = min(everything, key=_order("latency"))
    nearest = min(
        everything, key=lambda c: max(v / limit for v, limit in c.excess(limits).values())
    )
    raise ParameterError(
        f"no design keeps the limits: the nearest (dp = {nearest.parameters.dp}, "
        f"pp = {nearest.parameters.pp}) has {nearest.broken(limits)}, the fastest "
        f"takes {fastest.latency_us:.2f} us with {fastest.dsps} DSPs; relax a limit"
    )
