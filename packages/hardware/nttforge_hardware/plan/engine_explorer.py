# SPDX-License-Identifier: Apache-2.0
"""Engines with loaded moduli: enumerated, predicted, those kept that are worth building."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from nttforge.errors import ParameterError

from .._parallel import run_parallel
from .cost import estimate
from .engine import EngineParameters, plan_engines
from .engine_timing import predict_batch
from .explorer import MAX_DP, Constraints

KINDS = ("montgomery", "barrett")


@dataclass(frozen=True)
class EngineCandidate:
    """Engines and what is predicted of them; cycles are those of all limbs, exact.

    ``interval``: between batches of all limbs; ``busy``: the share of the cores' cycles used then.
    """

    parameters: EngineParameters
    core: str
    cycles: int
    interval: int
    busy: float
    dsps: int
    ramb18: int
    luts: int | None = None
    ffs: int | None = None

    def broken(self, limits: Constraints) -> str:
        """The broken limits as text; empty where all are kept."""
        us = self.cycles / limits.frequency_mhz
        figures = {"latency_us": us, "dsps": self.dsps, "ramb18": self.ramb18}
        figures |= {"luts": self.luts or 0, "ffs": self.ffs or 0}  # 0: no tool counts them
        found = [(k, v, getattr(limits, k)) for k, v in figures.items()]
        return " and ".join(
            f"{name} {value:.6g} > {limit:g}"
            for name, value, limit in found
            if limit is not None and value > limit
        )

    @property
    def _figures(self) -> tuple[int, ...]:
        return self.cycles, self.interval, self.dsps, self.ramb18, self.luts or 0

    def dominates(self, other: EngineCandidate) -> bool:
        """Whether no worse in cycles, interval, DSPs, memories and LUTs, and better in one."""
        mine, theirs = self._figures, other._figures
        return mine != theirs and all(a <= b for a, b in zip(mine, theirs, strict=True))


def predict_engines(parameters: EngineParameters, limbs: int) -> EngineCandidate:
    """What is known of engines before they are written."""
    design = plan_engines(parameters)
    batch = predict_batch(design, limbs, next(iter(design.shape.schedules)))
    luts, ffs = estimate(design) or (None, None)
    return EngineCandidate(
        parameters=parameters,
        core=design.core.kind,
        cycles=batch.cycles,
        interval=batch.interval,
        busy=batch.busy,
        dsps=design.dsps,
        ramb18=design.ramb18,
        luts=luts,
        ffs=ffs,
    )


def _try(item: tuple[EngineParameters, int]) -> EngineCandidate | None:
    try:
        return predict_engines(*item)
    except ParameterError:  # results would leave too slowly, or the core does not serve
        return None


def explore_engines(
    bases: Sequence[EngineParameters],
    limbs: int,
    limits: Constraints,
    jobs: int = 1,
    title: str = "",
) -> list[EngineCandidate]:
    """The engines that keep the limits and that no other ones dominate, fastest first.

    Parameters
    ----------
    bases : sequence of EngineParameters
        One for each number of engines; dp and pp are not used, a core other than "auto" is the
        only one.
    limbs : int
        Of a batch.
    limits : Constraints
        ``latency_us``, ``dsps``, ``ramb18``, ``luts`` and ``ffs``.
    jobs, title
        As those of ``explore``.
    """
    kept: dict[EngineParameters, None] = {}
    for base in bases:
        log_n = base.n.bit_length() - 1
        for kind in KINDS if base.core == "auto" else (base.core,):
            for k in range(1, min(MAX_DP, base.n // 2).bit_length()):
                for pp in range(1, log_n + 1):
                    shape = replace(base, dp=1 << k, pp=pp, core=kind)
                    if limits.dsps is None or plan_engines(shape).dsps <= limits.dsps:
                        kept[shape] = None
    items = [(shape, limbs) for shape in kept]
    order = {item: i for i, item in enumerate(items)}
    found = [
        (order[item], candidate)
        for item, candidate in run_parallel(_try, items, jobs, title, _name)
        if candidate is not None and not candidate.broken(limits)
    ]
    return _pareto(candidate for _, candidate in sorted(found, key=lambda pair: pair[0]))


def _name(item: tuple[EngineParameters, int]) -> str:
    p, _ = item
    return f"{p.engines} engines, dp {p.dp}, pp {p.pp}, {p.core}"


def _pareto(found: Iterable[EngineCandidate]) -> list[EngineCandidate]:
    found = list(found)
    best = [c for c in found if not any(o.dominates(c) for o in found)]
    return sorted(best, key=lambda c: (c.cycles, c.dsps, c.ramb18))
