# SPDX-License-Identifier: Apache-2.0
"""[Yan22] for the report: Fig. 3, Table 3, Figs. 7 to 10, Tables 4 to 7, in the paper's order."""

from __future__ import annotations

from typing import Any

from .._exhibits import Documents, Exhibit, Make, about, chart, headline
from .._sections import Row, Section, key, method, number, other, ours, paper, said, whole
from .._traced import of_paper
from . import exhibits_plots as plots
from .exhibits_plots import CLOCK
from .parts import HEAX
from .statements import statements

#: Table 4, the designs compared with, by the size of the transform: name, device, limbs, bits of a
#: modulus, LUTs and flip-flops in thousands, DSPs, BRAMs, MHz, µs.
OTHERS = {
    1024: ("[41]", "Virtex-7", 1, 28, 95, 104, 640, 80, 215, 0.9),
    4096: ("[38]", "XCZU9", 6, 30, 64, 25, 200, 400, 200, 73),
    8192: ("[35] HEAX", "Stratix 10", 4, 52, 569, 1549, 1280, 2900, 300, 6.0),
}
GPU_US = 44.1


def exhibits(documents: Documents) -> list[Exhibit]:
    """All ten. The document is always there: what tools said is missing where none is kept."""
    results = documents["yan22"]
    judged = statements(results)

    def exhibit(name: str, shows: str, top: tuple[str, str, str], **more: Any) -> Exhibit:
        line = headline(*top)
        found = about(judged, name)
        return Exhibit("yan22", name, shows, line, statements=found, **more)

    return [
        plots.fig_3(results, exhibit),
        plots.fig_7(results, exhibit),
        _table_3(results, exhibit),
        plots.fig_8(results, exhibit),
        plots.fig_9(results, exhibit),
        _table_4(results, exhibit),
        _table_5(results, exhibit),
        plots.fig_10(results, exhibit),
        _table_6(results, exhibit),
        _table_7(results, exhibit),
    ]


def _table_3(results: Row, exhibit: Make) -> Exhibit:
    body = [
        [
            str(r["modulus"]),
            said(r["paper_depth"]),
            whole(r["our_depth"]),
            whole(r["operands"]),
            whole(r["max_n_ntt"]) if r["max_n_ntt"] else "none",
            whole(r["max_n_dgt"]),
        ]
        for r in results["table_3"]
    ]
    here = ("tree depth", "operands", "largest n, negacyclic NTT", "largest n, DGT")
    groups = [key("modulus"), paper("paper", "tree depth"), method("here", *here)]
    without = sum(1 for r in results["table_3"] if not r["max_n_ntt"])
    return exhibit(
        "Table 3",
        "The moduli of the low latency core and the depth of their reduction trees.",
        ("eight moduli, depths 2 to 4", "the same depths", f"NTTs exist for {8 - without} of them"),
        sections=[Section("Table 3", groups, body)],
        missing=("Nothing is measured here: depths and transforms follow from the moduli.",),
    )


def _designs(results: Row, table: str) -> list[Row]:
    return [r for r in results["table_4_and_7"] if r["design"].startswith(table)]


def _design_sections(rows: list[Row]) -> list[Section]:
    cycles, parts = [], []
    for r in rows:
        name = str(r["design"])
        beside = OTHERS.get(int(r["n"]))
        compared = GPU_US if beside is None else beside[-1]
        cycles.append(
            [
                name, said(compared), said(r["paper_mhz"]), said(r["paper_us"]),
                number(of_paper(r["paper_us"]) * of_paper(r["paper_mhz"]), 0),
                *(whole(r.get(k)) for k in ("our_cycles", "simulated_cycles", "our_cycles_small")),
                number(r["our_us_at_paper_clock"], 2), whole(r["floor_cycles"]),
                number(r["transfer_floor_us"], 2), number(r["our_us_from_memory"], 2),
            ]
        )  # fmt: skip
        parts.append(
            [
                name,
                *(said(r[f"paper_{k}"]) for k in ("dsps", "bram36", "luts", "ffs")),
                *(whole(r.get(f"our_{k}")) for k in ("dsps", "bram36")),
                *(whole(r.get(f"synthesised_{k}")) for k in ("dsps", "bram36", "luts", "ffs")),
            ]
        )
    names = ("balanced", "simulated", "small registers", "µs at the paper's clock")
    groups = [
        key("design"),
        paper("paper", "compared with, µs", "MHz", "µs", "cycles = µs · MHz"),
        method("cycles here", *names),
        other("", "floor, cycles", "floor of the memory, µs", "µs from memory to memory"),
    ]
    kinds = ("DSPs", "BRAMs", "LUTs", "FFs")
    resources = [
        key("design"),
        paper("paper", *kinds),
        method("predicted", "DSPs", "BRAMs"),
        method("synthesised", *kinds),
    ]
    return [
        Section("Cycles and time", groups, cycles),
        Section("Resources", resources, parts),
    ]


def _others() -> Section:
    """The columns of Table 4 that are not the paper's own designs."""
    names = ("LUTs", "FFs", "DSPs", "BRAMs", "MHz", "µs", "cycles = µs · MHz")
    body = []
    for n, (name, device, limbs, bits, kluts, kffs, *rest) in OTHERS.items():
        counts = [said(1000 * v) for v in (kluts, kffs)] + [said(v) for v in rest]
        cycles = number(of_paper(rest[-1]) * of_paper(rest[-2]), 0)
        body.append([name, device, str(n), str(limbs), str(bits), *counts, cycles])
    groups = [key("design", "device", "n", "limbs", "bits"), paper("", *names)]
    return Section("The designs compared with, as printed", groups, body)


def _table_4(results: Row, exhibit: Make) -> Exhibit:
    rows = _designs(results, "Table 4")
    third = rows[2]
    sections = [*_design_sections(rows), _others()]
    labels = [f"n = {r['n']}, {r['core']}" for r in rows]
    cells = [[label, *c[1:]] for label, c in zip(labels, sections[0].body, strict=True)]
    bars = Section("", [key("design"), *sections[0].groups[1:]], cells)
    return exhibit(
        "Table 4",
        "Three designs beside FPGA designs of others: latency and resources.",
        (
            f"{of_paper(4.5)} µs at n = 8192, {of_paper(1920)} DSPs",
            f"{third['our_us_at_paper_clock']} µs port to port, {third['our_us_from_memory']} from "
            "memory, at the paper's clock",
            f"{third['our_cycles_small']} cycles, {third['our_dsps']} DSPs",
        ),
        sections=sections,
        charts=[
            chart(
                "Cycles",
                bars,
                0,
                [(4, "paper"), (5, "here, balanced"), (7, "here, small")],
                ("design", "cycles"),
                "y",
            )
        ],
        missing=(
            CLOCK,
            "A Stratix's DSP multiplies 27 by 27 bits and its block memory holds 20 kbit, those of "
            "the other devices 27 by 18 and 32, as the paper's footnote says.",
            "Of designs with several equal limbs the tools were given one limb, and counts are "
            "multiplied.",
        ),
    )


def _table_5(results: Row, exhibit: Make) -> Exhibit:
    body = []
    for r in results["table_5"]:
        dp = int(r["dp"])
        mine = [said(r[f"paper_{k}"]) for k in ("luts", "ffs", "bram36")]
        theirs = [said(v) for v in HEAX[dp]]
        general = [whole(r.get(f"our_general_{k}")) for k in ("luts", "ffs", "bram36")]
        body.append([str(dp), *mine, *theirs, *general,
                     *(whole(r.get(f"our_{k}")) for k in ("luts", "ffs", "bram36"))])  # fmt: skip
    kinds = ("LUTs", "FFs", "BRAMs")
    groups = [
        key("dp"),
        paper("paper, SPN", *kinds),
        paper("paper, HEAX", *kinds),
        method("any permutation, here", *kinds),
        ours("exchanges only", *kinds),
    ]
    section = Section("Table 5, n = 4096, 52 bits, pp = 1", groups, body)
    last = results["table_5"][-1]
    return exhibit(
        "Table 5",
        "The permutation network alone beside HEAX's interconnect, for three dp.",
        (
            f"{of_paper(36496)} LUTs at dp = 64, HEAX {of_paper(76188)}",
            f"{last.get('our_general_luts', 'not counted')} LUTs, any permutation",
            f"{last.get('our_luts', 'not counted')} LUTs",
        ),
        sections=[section],
        charts=[
            chart(
                "LUTs",
                section,
                0,
                [(1, "paper: SPN"), (4, "paper: HEAX"), (7, "any permutation"), (10, "ours")],
                ("dp", "LUTs"),
            )
        ],
        missing=("HEAX is not here: the paper derived its figures by subtraction.",),
    )


def _table_6(results: Row, exhibit: Make) -> Exhibit:
    body = [
        [
            str(r["core"]), str(r["ours"]), said(r["paper_luts"]), said(r["paper_ffs"]),
            said(r["paper_dsps"]), said(r["paper_cycles"]), said(400),
            *(whole(r.get(k)) for k in ("our_luts", "our_ffs", "our_dsps", "our_cycles")),
        ]
        for r in results["table_6"]
    ]  # fmt: skip
    kinds = ("LUTs", "FFs", "DSPs", "cycles")
    groups = [key("core", "ours"), paper("paper", *kinds, "MHz"), method("here", *kinds)]
    sections = [Section("Table 6", groups, body)]
    if "clocks" in results:
        rows = [
            [
                str(r["core"]), str(r["registers"]), said(r["paper_mhz"]), whole(r["our_cycles"]),
                number(r["our_worst_path_ns"], 2), number(r["our_mhz_of_cells_alone"], 1),
            ]
            for r in results["clocks"]
        ]  # fmt: skip
        shown = ("cycles", "slowest path of cells, ns", "its inverse, MHz: no clock")
        places = [key("core", "registers"), paper("paper, placed", "MHz"), method("here", *shown)]
        sections.append(Section("Slowest paths on 7-series, without routing", places, rows))
    first, general = results["table_6"][0], results["table_6"][1]
    return exhibit(
        "Table 6",
        "The two kinds of cores alone: resources, cycles and clock.",
        (
            f"30 bits: {of_paper(4)} DSPs, {of_paper(9)} cycles; general {of_paper(12)}, "
            f"{of_paper(14)}",
            f"{first['our_dsps']} DSPs, {first['our_cycles']} cycles",
            f"general: {general['our_dsps']} DSPs, {general['our_cycles']} cycles "
            f"({general['ours']})",
        ),
        sections=sections,
        missing=(
            "400 MHz needs Vivado and the device. The slowest path of cells by Yosys leaves out "
            "routing and is an upper limit of a clock.",
        ),
    )


def _table_7(results: Row, exhibit: Make) -> Exhibit:
    rows = _designs(results, "Table 7")
    r = rows[0]
    body = [
        [
            "XCU280", said(180), said(460), said(39.6), said(67.3), said(1.58),
            number(r["our_us_at_paper_clock"], 2), number(r["our_us_from_memory"], 2),
            number(r["our_core_cycles_used_percent"], 1),
            number(r["our_transforms_per_bandwidth"], 2),
        ],
        ["Titan V, [22]", said(1200), said(653), said(44.1), said(35.5), said(1), *["-"] * 4],
    ]  # fmt: skip
    names = ("MHz", "GB/s", "µs", "compute efficiency, %", "NTTs per bandwidth")
    here = ("µs, port to port", "µs from memory", "cores busy, %", "NTTs per bandwidth")
    groups = [key("device"), paper("paper", *names), method("at the paper's clock", *here)]
    return exhibit(
        "Table 7",
        "A design of n = 16384 with 21 moduli beside the GPU of [Kim20].",
        (
            f"{of_paper(39.6)} µs, GPU {of_paper(44.1)} µs",
            f"{r['our_us_at_paper_clock']} µs, {r['our_us_from_memory']} from memory to memory",
            f"{r['our_cycles_small']} cycles; [Kim20] Table II has our GPU",
        ),
        sections=[Section("Table 7", groups, body), *_design_sections(rows)],
        missing=(CLOCK,),
    )
