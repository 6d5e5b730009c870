"""NTTSuite [Din24] Table I: the seven dataflows as generated hardware, beside the paper's."""

from __future__ import annotations

from typing import Any

SIZES = (1024, 4096, 16384)

#: [Din24] Table I: name -> units of ours, MHz, then (us, DSPs, BRAMs) at each size.
TABLE_1 = {
    "dif": (4, 100, ((851.57, 11, 0), (4009.41, 12, 0), (18601.63, 20, 0))),
    "dit": (4, 100, ((1057.97, 5, 0), (5048.13, 11, 0), (23198.11, 20, 0))),
    "flat": (4, 167, ((98.73, 11, 0), (466.88, 11, 0), (2159.92, 11, 0))),
    "pease": (16, 200, ((5.27, 32, 320), (21.83, 32, 320), (97.19, 32, 320))),
    "pease_nc 4": (4, 196, ((7.18, 4, 40), (31.93, 4, 40), (146.96, 4, 40))),
    "pease_nc 16": (16, 196, ((2.27, 16, 160), (8.60, 16, 160), (37.50, 16, 160))),
    "six_step": (16, 150, ((13.00, 82, 32), (38.76, 163, 64), (144.80, 163, 128))),
    "stockham": (4, 135, ((114.31, 10, 8), (546.92, 10, 8), (2550.22, 10, 16))),
}


def table_1(sizes: tuple[int, ...] = SIZES, bits: int = 32) -> list[dict[str, Any]]:
    """Cycles of computation and DSPs; the paper's cycles are its time times its clock."""
    from ..hardware.dataflow import DataflowDesign, DataflowParameters
    from ..spec.number_theory import ntt_primes

    q = ntt_primes(max(SIZES), bits, 1)[0]
    rows = []
    for name, (units, mhz, figures) in TABLE_1.items():
        for n, (us, dsps, brams) in zip(SIZES, figures, strict=True):
            if n not in sizes:
                continue
            design = DataflowDesign(DataflowParameters(n, q, name.split()[0], units))
            rows.append(
                {
                    "dataflow": name,
                    "n": n,
                    "units": units,
                    "paper_us": us,
                    "paper_mhz": mhz,
                    "paper_cycles": round(us * mhz),
                    "our_cycles": design.compute_cycles,
                    "our_cycles_with_words_in_and_out": design.latency_cycles,
                    "our_us_at_paper_clock": round(design.compute_cycles / mhz, 2),
                    "paper_dsps": dsps,
                    "our_dsps": design.dsps,
                    "paper_bram36": brams,
                    "our_bram36": design.ramb18 / 2,
                }
            )
    return rows


def partitions(n: int = 64, units: int = 4) -> list[dict[str, Any]]:
    """Section III.A: most reads and writes of one memory in a cycle, by partition.

    A dual-port memory gives two; "parity" is this generator's, with one read and one write port.
    """
    from ..hardware.dataflow_stages import NAMES, partition_accesses

    schemes = [("block", units), ("block", 2 * units), ("interleave", units)]
    schemes += [("interleave", 2 * units), ("parity", 2 * units)]
    rows = []
    for name in NAMES:
        for scheme, banks in schemes:
            reads, writes = partition_accesses(n, name, units, banks, scheme)
            row = {"dataflow": name, "units": units, "partition": f"{scheme} {banks}"}
            rows.append({**row, "reads": reads, "writes": writes})
    return rows


def reproduce() -> dict[str, Any]:
    """The rows of ``nttforge paper nttsuite --hardware``; deterministic."""
    return {"paper": "[Din24] NTTSuite, Table I", "table_1": table_1(), "partitions": partitions()}


def plot(results: dict[str, Any], path: Any) -> None:
    """Cycles at 4096 points, paper and ours."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    rows = [r for r in results["table_1"] if r["n"] == 4096]
    figure, axis = plt.subplots(figsize=(7, 3.8))
    places = range(len(rows))
    axis.bar([p - 0.2 for p in places], [r["paper_cycles"] for r in rows], 0.4, label="paper")
    axis.bar([p + 0.2 for p in places], [r["our_cycles"] for r in rows], 0.4, label="ours")
    names = [f"{r['dataflow']}\n{r['units']} units" for r in rows]
    axis.set_xticks(list(places), names, fontsize=7)
    axis.set(yscale="log", ylabel="cycles", title="[Din24] Table I: 4096 points")
    axis.legend()
    figure.tight_layout()
    figure.savefig(path, dpi=110, metadata={"Software": None})
    plt.close(figure)
