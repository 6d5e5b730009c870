# SPDX-License-Identifier: Apache-2.0
"""[Din24]: Table I and Fig. 2 beside ours, and every size on the GPU."""

from __future__ import annotations

from typing import Any

from .._sections import Section, key, method, number, other, ours, paper, said
from .._traced import of_paper
from .figures import KINDS, PAPER_SIZES, SIZES, Figures, quotient
from .hardware import NAMES, fpga_us


def paper_us(name: str, log_n: int) -> Any:
    """The paper's FPGA, Table I; of Pease_nc the design with 16 cores."""
    return of_paper(fpga_us(name, 1 << log_n))


def hardware_us(hardware: dict[str, Any], name: str, log_n: int) -> float | None:
    """Our generated hardware of as many butterfly units, simulated, at the paper's clock."""
    wanted = ("pease_nc 16" if name == "pease_nc" else name, 1 << log_n)
    for row in hardware.get("table_1", ()):
        if (row["dataflow"], row["n"]) == wanted:
            us: float = row["our_us_at_paper_clock"]
            return us
    return None


def times(f: Figures, hardware: dict[str, Any]) -> Section:
    """The paper's FPGA, its methods on everything that there is here, and the best there is."""
    body = []
    for name in NAMES:
        for log_n in PAPER_SIZES:
            cells = [said(fpga_us(name, 1 << log_n), 2)]
            cells += [number(hardware_us(hardware, name, log_n), 2)]
            cells += [number(f.gpu("paper", name, log_n), 2), number(f.cpu(name, log_n), 2)]
            cells += [number(f.gpu("tuned", name, log_n), 2)]
            cells += [number(f.engine(log_n, order="natural"), 2), number(f.engine(log_n), 2)]
            body.append([name, str(1 << log_n), *cells, number(f.cpu("engine", log_n), 2)])
    groups = [
        key("algorithm", "n"),
        paper("Table I", "FPGA"),
        method("here", "hardware at the paper's clock", "GPU", "one core there"),
        ours("GPU", "tuned", "engine, natural order", "engine, bit-reversed order"),
        ours("CPU", "engine, one core"),
    ]
    return Section("Times, µs (GPU and CPU: 64-bit words, one polynomial)", groups, body)


def speed_ups(f: Figures) -> Section:
    """Fig. 2: speed over one core, by the same algorithm and by our engine."""
    body = []
    for name in NAMES:
        for log_n in PAPER_SIZES:
            all_us = [paper_us(name, log_n)]
            all_us += [f.gpu(kind, name, log_n) for kind in ("paper", "tuned")]
            cells = [
                number(quotient(f.cpu(base, log_n), us), 2)
                for us in all_us
                for base in (name, "engine")
            ]
            body.append([name, str(1 << log_n), *cells])
    over = ("over the algorithm", "over our engine")
    groups = [
        key("algorithm", "n"),
        paper("its FPGA", *over),
        method("its method on this GPU", *over),
        ours("tuned on this GPU", *over),
    ]
    return Section("Fig. 2: times as fast as one core, 64-bit words", groups, body)


def beside(f: Figures) -> dict[str, Any]:
    """Times of one core of the CPU beside the GPU, in the shape of ``cpu.measure``."""
    rows = [
        {"algorithm": name, "n": 1 << log_n, "us": f.cpu(name, log_n)}
        for name in (*NAMES, "engine")
        for log_n in PAPER_SIZES
    ]
    return {"cpu": f.results.get("cpu"), "rows": rows}


def sizes(f: Figures, bits: int, batch: int) -> Section:
    """Both kinds of kernels at every size, the best and the engine's own."""
    body = []
    for log_n in SIZES:
        here = (log_n, batch, bits)
        cells = [number(f.gpu(kind, name, *here)) for kind in ("paper", "tuned") for name in NAMES]
        cells += [number(f.engine(*here, order="natural")), number(f.engine(*here))]
        best = f.best(*here)
        ratios = [f.over_engine(*here, order=order) for order in ("natural", "bit_reversed")]
        ratios.append(quotient((f.best(*here, kind="paper") or ("", None))[1], best and best[1]))
        body.append([str(log_n), *cells, best[0] if best else "-", *(number(r, 2) for r in ratios)])
    groups = [
        key("log2 n"),
        method("the paper's method", *NAMES),
        ours("tuned", *NAMES),
        ours("engine", "natural order", "bit-reversed order"),
        other(
            "best tuned", "which", "over engine, natural", "over engine", "the paper's best over"
        ),
    ]
    many = "one polynomial" if batch == 1 else f"{batch} polynomials"
    return Section(f"GPU, {many}, {bits}-bit words, µs", groups, body)


def all_sizes(f: Figures) -> list[Section]:
    """Every batch and word size that was measured."""
    measured = {(bits, batch) for _, batch, bits in f.cells}
    return [sizes(f, *kind) for kind in KINDS if kind in measured]
