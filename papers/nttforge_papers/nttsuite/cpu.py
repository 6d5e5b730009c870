# SPDX-License-Identifier: Apache-2.0
"""[Din24] on CPUs: every algorithm and the engine checked, timed on one core, and judged."""

from __future__ import annotations

import statistics
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nttforge.console.output import progress, table, whole_file
from nttforge.errors import NttforgeError
from nttforge_bench.console import can_plot

from .._sections import as_data, statement, statements_text
from .._verdicts import Claim
from .hardware import NAMES, SIZES, fpga_us

if TYPE_CHECKING:
    from nttforge.ntt.plan import NttPlan
    from nttforge.typing import Order, Ring

ENGINE = "engine"
#: [Din24] Table I, microseconds on the FPGA by size; Pease_nc with 16 cores.
FPGA_US: dict[str, tuple[float, ...]] = {
    name: tuple(fpga_us(name, n) for n in SIZES) for name in sorted(NAMES)
}


def measure(bits: int, rounds: int, sizes: tuple[int, ...] = SIZES) -> dict[str, Any]:
    """Checks, then times, every algorithm at every size; microseconds per forward transform."""
    from nttforge import __version__, _core, active_target, describe_cpu, ntt_primes

    q = ntt_primes(max(sizes), bits, 1)[0]
    rows: list[dict[str, Any]] = []
    for n in progress(sizes, "nttsuite", lambda n: f"{n} points"):
        plans = _plans(n, q)
        _require_correct(plans, n, q)
        rows += _time(plans, n, q, rounds)
    cpu = describe_cpu()
    results: dict[str, Any] = {
        "paper": "[Din24] NTTSuite, Fig. 2, CPU half",
        "transform": "forward, cyclic, natural -> natural order, 64-bit words, one core",
        "method": f"minimum and median of {rounds} interleaved rounds; a round transforms rows of "
        "2^14 words in all, in place; outputs equal the oracle's word for word",
        "q": q,
        "cpu": cpu.brand,
        "target": active_target(),
        "version": __version__,
        "compiler": f"{_core.compiler}, {_core.build_type}",
        "engine_recipe": rows[-1]["recipe"],
        "rows": [{k: v for k, v in row.items() if k != "recipe"} for row in rows],
    }
    results["statements"] = as_data(statements(results))
    return results


def _plans(n: int, q: int) -> dict[str, NttPlan]:
    from nttforge.ntt.algorithms import algorithms
    from nttforge.ntt.plan import NttPlan

    order: tuple[Ring, Order, Order] = ("cyclic", "natural", "natural")
    plans: dict[str, NttPlan] = {}
    for a in algorithms():
        for radix in a.radices:
            name = a.name if len(a.radices) == 1 else f"{a.name} {radix}"
            plans[name] = NttPlan(n, q, *order, algorithm=a.name, radix=radix, threads=1)
    plans[ENGINE] = NttPlan(n, q, *order, threads=1)
    return plans


def _require_correct(plans: dict[str, NttPlan], n: int, q: int) -> None:
    import numpy as np

    from nttforge_oracle.fast import forward_fast

    a = np.random.default_rng(n).integers(0, q, n, dtype=np.uint64)
    expected = forward_fast(a.tolist(), q, "cyclic", "natural")
    for name, plan in plans.items():
        x = plan.forward(a)
        if x.tolist() != expected or not np.array_equal(plan.inverse(x), a):
            raise NttforgeError(f"{name} is wrong at n = {n}, q = {q}: nothing was timed")


def _time(plans: dict[str, NttPlan], n: int, q: int, rounds: int) -> list[dict[str, Any]]:
    """All plans in turn, round by round, so that a slow moment of the machine hits all alike."""
    import numpy as np

    batch = max(1, 2**14 // n)
    x = np.random.default_rng(1).integers(0, q, (batch, n), dtype=np.uint64)
    times: dict[str, list[float]] = {name: [] for name in plans}
    for _ in range(rounds + 1):
        for name, plan in plans.items():
            start = time.perf_counter_ns()
            plan.forward(x, out=x, check=False)
            times[name].append((time.perf_counter_ns() - start) / batch / 1000)
    rows = []
    for name, plan in plans.items():
        kept = times[name][1:]  # the first round warms up
        rows.append(
            {
                "n": n,
                "algorithm": name,
                "us": round(min(kept), 3),
                "median_us": round(statistics.median(kept), 3),
                "recipe": plan.recipe,
            }
        )
    return rows


def _us(results: dict[str, Any]) -> dict[str, list[float]]:
    out: dict[str, list[float]] = {}
    for row in results["rows"]:
        out.setdefault(row["algorithm"], []).append(row["us"])
    return out


def statements(results: dict[str, Any]) -> list[dict[str, Any]]:
    """What [Din24] says about CPUs, what this machine says, and whether they agree."""
    return against_fpga(results) + among_algorithms(results)


def against_fpga(results: dict[str, Any]) -> list[dict[str, Any]]:
    """The paper's FPGA beside a CPU: two machines, shown and not judged."""
    t = _us(results)

    def ratios(*names: str) -> dict[str, list[float]]:
        return {a: [round(c / f, 2) for c, f in zip(t[a], FPGA_US[a], strict=True)] for a in names}

    two_machines = "the paper's FPGA is compared with a CPU, which is another one here"
    slow = ratios("dit", "dif")
    boosts = ratios("flat", "pease", "pease_nc", "six_step", "stockham")
    no_boost = [a for a, values in boosts.items() if min(values) <= 1]
    return [
        statement(
            "IV.B",
            "DIT and DIF run slower on the FPGA than on the CPU",
            f"our CPU time / Table I: {_by_name(slow)}",
            Claim(
                "order",
                [],
                [f / c for a in slow for c, f in zip(t[a], FPGA_US[a], strict=True)],
                "times",
            ),
            unlike=two_machines,
        ),
        statement(
            "IV.B",
            "Flat, Pease, Pease_nc, Six-step and Stockham get a huge boost from the FPGA",
            f"our CPU time / Table I: {_by_name(boosts)}; no boost over this core: "
            f"{', '.join(no_boost) or 'none'}",
            Claim("order", [], [v for values in boosts.values() for v in values], "times", True),
            unlike=two_machines,
        ),
    ]


def among_algorithms(results: dict[str, Any]) -> list[dict[str, Any]]:
    """The algorithms beside each other on one core."""
    t = _us(results)

    def over(a: str, b: str) -> list[float]:
        return [x / y for x, y in zip(t[a], t[b], strict=True)]

    def ratios(a: str, b: str) -> list[float]:
        return [round(ratio, 2) for ratio in over(a, b)]

    return [
        statement(
            "II, Six-step",
            "blocks that fit into a cache are beneficial to the CPU at 16384 points",
            f"six_step / dit {_row(ratios('six_step', 'dit'))}, / stockham "
            f"{_row(ratios('six_step', 'stockham'))} at 1024, 4096, 16384",
            Claim(
                "order", [], [t[a][-1] / t["six_step"][-1] for a in ("dit", "stockham")], "times"
            ),
            because="16384 words of 8 bytes are 128 KiB, which a second-level cache of today holds "
            "without blocks",
        ),
        statement(
            "II, Six-step",
            "Six-step introduces more computational overhead",
            f"six_step / stockham at 1024: {ratios('six_step', 'stockham')[0]}",
            Claim("order", [], over("six_step", "stockham")[:1], "times"),
        ),
        statement(
            "II, Stockham",
            "two arrays avoid the bit reversal and its memory accesses: faster",
            f"stockham / dit {_row(ratios('stockham', 'dit'))}, "
            f"/ dif {_row(ratios('stockham', 'dif'))}",
            Claim("order", [], over("dit", "stockham") + over("dif", "stockham"), "times"),
        ),
        statement(
            "III.B",
            "Pease_nc saves the time of Pease's copies",
            f"pease_nc / pease {_row(ratios('pease_nc', 'pease'))}",
            Claim("order", [], over("pease", "pease_nc"), "times"),
        ),
    ]


def _row(values: list[float]) -> str:
    return ", ".join(f"{v:.2f}" for v in values)


def _by_name(ratios: dict[str, list[float]]) -> str:
    return "; ".join(f"{name} {_row(values)}" for name, values in ratios.items())


def report(results: dict[str, Any]) -> str:
    """The results for a person."""
    t = _us(results)
    rows = []
    for name, us in t.items():
        fpga = FPGA_US.get(name, ("-",) * len(us))
        rows.append([name, *(f"{v:.2f}" for v in us), *fpga])
    header = ["algorithm", *(f"µs, {n}" for n in SIZES), *(f"FPGA {n}" for n in SIZES)]
    lines = [
        f"{results['cpu']}, one core, q = {results['q']}",
        f"{results['transform']}; FPGA: Table I",
        "",
        table(header, rows),
        "",
    ]
    lines.append(statements_text(statements(results), "here"))
    return "\n".join(lines)


def plot(results: dict[str, Any], path: Path) -> bool:
    """Fig. 2's FPGA bars over this CPU, and the CPU's times; False without matplotlib."""
    if not can_plot():
        return False
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot as plt

    t = _us(results)
    figure, (left, right) = plt.subplots(1, 2, figsize=(11, 4.2), layout="constrained")
    names = list(t)
    for i, n in enumerate(SIZES):
        at = [k + (i - 1) * 0.27 for k in range(len(names))]
        butterflies = n / 2 * (n.bit_length() - 1)
        values = [t[name][i] * 1000 / butterflies for name in names]
        left.bar(at, values, 0.26, label=f"{n} points")
    left.set_xticks(range(len(names)), names, rotation=60, ha="right")
    left.set_ylabel("ns per butterfly")
    left.set_title("one core of this CPU", fontsize=10)
    left.margins(y=0.18)
    left.legend(fontsize=8, ncols=3, loc="upper center")
    names = list(FPGA_US)
    for i, n in enumerate(SIZES):
        at = [k + (i - 1) * 0.27 for k in range(len(names))]
        # A ratio on a logarithmic axis stands on 1: longer up is faster, down slower.
        ratios = [t[a][i] / FPGA_US[a][i] for a in names]
        right.bar(at, [r - 1 for r in ratios], 0.26, bottom=1, label=f"{n} points")
    right.axhline(1, color="black", linewidth=0.8)
    right.set_yscale("log")
    right.set_xticks(range(len(names)), names, rotation=60, ha="right")
    right.set_ylabel("speedup of the paper's FPGA over this CPU")
    right.set_title("Fig. 2, FPGA bars (Table I / this CPU, same algorithm)", fontsize=10)
    figure.suptitle(results["cpu"], fontsize=10)
    path.parent.mkdir(parents=True, exist_ok=True)
    with whole_file(path, "wb") as file:
        figure.savefig(file, format="png", dpi=90)
    plt.close(figure)
    return True
