# SPDX-License-Identifier: Apache-2.0
"""NTTSuite [Din24] Table I: the seven dataflows as generated hardware, beside the paper's."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from nttforge.typing import AlgorithmName
    from nttforge_hardware.plan.dataflow import DataflowDesign
    from nttforge_hardware.tools.synthesis import Netlist

    from ..hardware_tools import Run, Simulation, ToolRuns

NAMES: tuple[AlgorithmName, ...] = (
    "dit",
    "dif",
    "flat",
    "pease",
    "pease_nc",
    "six_step",
    "stockham",
)
SIZES = (1024, 4096, 16384)
#: Larger dataflows are simulated only: their images take Yosys up to hours each.
SYNTHESISED = 4096

#: [Din24] Table I: name -> units of ours, MHz, then (us, LUTs, FFs, DSPs, BRAMs) at each size.
TABLE_1 = {
    "dif": (
        1,
        100,
        ((851.57, 973, 536, 11, 0), (4009.41, 1241, 694, 12, 0), (18601.63, 1388, 680, 20, 0)),
    ),
    "dit": (
        1,
        100,
        ((1057.97, 2248, 998, 5, 0), (5048.13, 1076, 671, 11, 0), (23198.11, 1916, 776, 20, 0)),
    ),
    "flat": (
        1,
        167,
        ((98.73, 1142, 446, 11, 0), (466.88, 1254, 470, 11, 0), (2159.92, 1306, 494, 11, 0)),
    ),
    "pease": (
        16,
        200,
        (
            (5.27, 20445, 22313, 32, 320),
            (21.83, 20350, 22349, 32, 320),
            (97.19, 19203, 22364, 32, 320),
        ),
    ),
    "pease_nc 4": (
        4,
        196,
        (
            (7.18, 6005, 8592, 4, 40),
            (31.93, 6079, 6198, 4, 40),
            (146.96, 6073, 5334, 4, 40),
            (669.30, 6145, 5409, 64, 40),
        ),
    ),
    "pease_nc 16": (
        16,
        196,
        (
            (2.27, 23474, 32866, 16, 160),
            (8.60, 23696, 32976, 16, 160),
            (37.50, 23737, 27902, 16, 160),
        ),
    ),
    "six_step": (
        16,
        150,
        (
            (13.00, 28816, 8930, 82, 32),
            (38.76, 47038, 19453, 163, 64),
            (144.80, 77558, 26359, 163, 128),
        ),
    ),
    "stockham": (
        1,
        135,
        ((114.31, 1602, 1329, 10, 8), (546.92, 1659, 1351, 10, 8), (2550.22, 1741, 1373, 10, 16)),
    ),
}


def fpga_us(name: str, n: int) -> float:
    """Table I's time of an algorithm at one of SIZES; of Pease_nc the design with 16 cores."""
    row = TABLE_1["pease_nc 16" if name == "pease_nc" else name][2]
    return float(row[SIZES.index(n)][0])


def _items(sizes: tuple[int, ...], bits: int) -> list[tuple[str, int, int]]:
    """Name, size and prime of each row."""
    from nttforge_oracle.number_theory import ntt_primes

    q = {n: ntt_primes(n, bits, 1)[0] for n in (max(SIZES), 65536)}
    return [
        (name, n, q[max(n, max(SIZES))])
        for name, (_, _, figures) in TABLE_1.items()
        for n, _ in zip((*SIZES, 65536), figures, strict=False)
        if n in sizes
    ]


def table_1(
    sizes: tuple[int, ...] = (*SIZES, 65536),
    bits: int = 32,
    tools: ToolRuns | None = None,
    jobs: int = 1,
) -> list[dict[str, Any]]:
    """Cycles of computation and resources; the paper's cycles are its time times its clock.

    Parameters
    ----------
    sizes : tuple of int
        Rows of the table: 1024, 4096, 16384, and 65536, which it has for one dataflow.
    bits : int
        Of the prime.
    tools : ToolRuns, optional
        Runs of ``tool_runs``.
    jobs : int
        Processes.
    """
    from nttforge_hardware._parallel import run_parallel

    from ..hardware_tools import whole_said

    items = _items(sizes, bits)
    order = {item: i for i, item in enumerate(items)}
    rows: list[dict[str, Any]] = [{} for _ in items]
    for item, row in run_parallel(_row, items, jobs, "dataflows", _name):
        rows[order[item]] = row | (whole_said(tools, _name(item)) if tools is not None else {})
    return rows


def tool_runs(sizes: tuple[int, ...] = (*SIZES, 65536), bits: int = 32) -> list[Run]:
    """Simulation of every row, and synthesis of those up to ``SYNTHESISED`` points."""
    from ..hardware_tools import Run

    runs = []
    for item in _items(sizes, bits):
        work = TABLE_1[item[0]][0] * bits * 4 + item[1] / 16
        if item[1] <= SYNTHESISED:
            runs.append(Run(f"{_name(item)}: synthesis", _netlist, item, work))
        runs.append(Run(f"{_name(item)}: simulation", _simulation, item, work / 2))
    return runs


def _name(item: tuple[str, int, int]) -> str:
    return f"{item[0]}, {item[1]}"


def _design(name: str, n: int, q: int) -> DataflowDesign:
    from nttforge_hardware.plan.dataflow import DataflowDesign, DataflowParameters

    return DataflowDesign(
        DataflowParameters(n, q, name.split()[0], TABLE_1[name][0], pipeline="small")
    )


def _netlist(name: str, n: int, q: int) -> Netlist:
    from nttforge_hardware.emit.dataflow import dataflow_files
    from nttforge_hardware.tools.synthesis import Netlist

    files = dataflow_files(_design(name, n, q), sets=1)
    read = {k: v for k, v in files.items() if k.startswith(("rtl/", "tables/"))}
    return Netlist("dataflow_top", read)


def _simulation(name: str, n: int, q: int) -> Simulation:
    from nttforge_hardware.emit.dataflow import dataflow_files

    from ..hardware_tools import Simulation

    return Simulation(dataflow_files(_design(name, n, q), sets=2))


def _row(item: tuple[str, int, int]) -> dict[str, Any]:
    from nttforge_hardware.emit.dataflow import ramb18

    name, n, _ = item
    units, mhz, figures = TABLE_1[name]
    us, luts, ffs, dsps, brams = figures[(*SIZES, 65536).index(n)]
    design = _design(*item)
    kbits = {what: k * width * words / 1024 for what, (k, width, words) in design.memories.items()}
    return {
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
        "our_bram36": ramb18(design) / 2,
        "our_bank_kbits": kbits["banks"],
        "our_rom_kbits_reads_and_twiddles": kbits["reads"],
        "our_rom_kbits_writes": kbits["writes"],
        "paper_luts": luts,
        "paper_ffs": ffs,
    }


def partitions(n: int = 64, units: int = 4) -> list[dict[str, Any]]:
    """Section III.A: most reads and writes of one memory in a cycle, by partition.

    A dual-port memory gives two; "parity" is this generator's, with one read and one write port.
    """
    from nttforge_hardware.plan.dataflow_stages import NAMES, partition_accesses

    schemes = [("block", units), ("block", 2 * units), ("interleave", units)]
    schemes += [("interleave", 2 * units), ("parity", 2 * units)]
    rows = []
    for name in NAMES:
        for scheme, banks in schemes:
            reads, writes = partition_accesses(n, name, units, banks, scheme)
            row = {"dataflow": name, "units": units, "partition": f"{scheme} {banks}"}
            rows.append({**row, "reads": reads, "writes": writes})
    return rows


def reproduce(tools: ToolRuns | None = None, jobs: int = 1) -> dict[str, Any]:
    """The rows of ``nttforge paper nttsuite --hardware``; deterministic."""
    rows = table_1(tools=tools, jobs=jobs)
    return {"paper": "[Din24] NTTSuite, Table I", "table_1": rows, "partitions": partitions()}


def plot(results: dict[str, Any], path: Any) -> None:
    """Cycles at 4096 points, paper and ours."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    rows = [r for r in results["table_1"] if r["n"] == 4096]
    figure, axis = plt.subplots(figsize=(7, 3.8))
    places = range(len(rows))
    # Points, not bars: a logarithmic axis has no zero for a bar to stand on.
    paper, ours = [r["paper_cycles"] for r in rows], [r["our_cycles"] for r in rows]
    axis.plot(places, paper, "o", markersize=9, fillstyle="none", label="paper")
    axis.plot(places, ours, "x", markersize=6, label="ours")
    axis.grid(axis="y", alpha=0.3)
    names = [f"{r['dataflow']}\n{r['units']} units" for r in rows]
    axis.set_xticks(list(places), names, fontsize=7)
    axis.set(yscale="log", ylabel="cycles", title="[Din24] Table I: 4096 points")
    axis.legend()
    figure.tight_layout()
    figure.savefig(path, dpi=110, metadata={"Software": None})
    plt.close(figure)
