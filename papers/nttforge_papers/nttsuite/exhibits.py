# SPDX-License-Identifier: Apache-2.0
"""[Din24] for the report: Fig. 1 as partitions of memories, Table I, Fig. 2."""

from __future__ import annotations

from .._exhibits import Chart, Documents, Exhibit, Headline, Series, chart, headline, printed
from .._sections import Row, Section, key, method, number, ours, paper, said, statement, whole
from .._traced import of_paper
from .._verdicts import Claim
from . import tables
from .cpu import against_fpga, among_algorithms
from .figures import EMPTY, Figures
from .gpu_statements import statements as about_gpus
from .hardware import NAMES, SIZES, TABLE_1, fpga_us

_NOT = "not computed"


def exhibits(documents: Documents) -> list[Exhibit]:
    """Fig. 1, Table I and Fig. 2."""
    hardware = documents.get("nttsuite-hardware", {"table_1": [], "partitions": []})
    return [_fig_1(hardware), _table_i(hardware), _fig_2(documents)]


def _fig_1(hardware: Row) -> Exhibit:
    rows = hardware["partitions"]
    body = [
        [str(r["dataflow"]), str(r["partition"]), whole(r["reads"]), whole(r["writes"])]
        for r in rows
    ]
    groups = [key("dataflow", "partition"), method("most in a cycle", "reads", "writes")]
    most = {(str(r["dataflow"]), str(r["partition"])): max(r["reads"], r["writes"]) for r in rows}
    judged = []
    if most:
        pease, parity = most["pease_nc", "interleave 4"], most["dit", "parity 8"]
        judged = [
            statement(
                "Fig. 1",
                "with interleave = 4 dual-port memories feed 4 butterflies of Pease_nc a cycle",
                f"at most {pease} accesses of one memory in a cycle",
                Claim("at most", [2], [pease]),
            ),
            statement(
                "Fig. 1",
                "DIT and DIF cannot be pipelined and unrolled with a partition of their memories",
                f"8 banks chosen by the parity of the address: at most {parity} access of one bank",
                Claim("at least", [3], [parity]),
                because="a word's bank may depend on the parity of several bits of its address, "
                "which HLS "
                "pragmas cannot say but RTL can",
            ),
        ]
    line = headline(
        "Pease_nc: 2 accesses of a memory a cycle",
        f"{most['pease_nc', 'interleave 4']}, DIT {most['dit', 'interleave 4']}" if most else _NOT,
        f"{most['dit', 'parity 8']} for every dataflow, by parity" if most else _NOT,
    )
    return Exhibit(
        "nttsuite",
        "Fig. 1",
        "Which words the butterflies of a stage read and write, as accesses of memory partitions.",
        line,
        [Section("n = 64, 4 butterflies a cycle: accesses of the busiest memory", groups, body)],
        statements=judged,
        missing=("The figure is a drawing; what it argues is counted here.",),
    )


def _table_i(hardware: Row) -> Exhibit:
    found = {(str(r["dataflow"]), int(r["n"])): r for r in hardware["table_1"]}
    body = []
    for name, (units, mhz, figures) in TABLE_1.items():
        for n, (us, luts, ffs, dsps, brams) in zip((*SIZES, 65536), figures, strict=False):
            r = found.get((name, n), {})
            body.append(
                [
                    f"{name}", str(n), str(units), said(us, 2), said(mhz),
                    *(said(v) for v in (luts, ffs, dsps, brams)),
                    number(of_paper(us) * of_paper(mhz), 0),
                    whole(r.get("our_cycles")), whole(r.get("simulated_cycles")),
                    number(r.get("our_us_at_paper_clock"), 2),
                    *(whole(r.get(f"synthesised_{k}")) for k in ("luts", "ffs", "dsps", "bram36")),
                ]
            )  # fmt: skip
    kinds = ("LUTs", "FFs", "DSPs", "BRAMs")
    groups = [
        key("dataflow", "n", "our units"),
        paper("paper", "µs", "MHz", *kinds, "cycles = µs · MHz"),
        method("here", "cycles", "simulated, in and out", "µs at the paper's clock"),
        method("synthesised", *kinds),
    ]
    section = Section("Table I", groups, body)
    rows = [i for i, row in enumerate(body) if row[1] == "4096"]
    best = found.get(("pease_nc 16", 4096), {})
    return Exhibit(
        "nttsuite",
        "Table I",
        "Every algorithm as hardware: time, clock and resources by size.",
        headline(
            f"{of_paper(8.6):.2f} µs (Pease_nc, 16 cores, 4096 points)",
            f"{best['our_us_at_paper_clock']} µs at its {of_paper(196)} MHz" if best else _NOT,
            f"the same design: {best['our_cycles']} cycles" if best else _NOT,
        ),
        [section, printed([("HEAX, 4096 points", 11, "µs"), ("its clock", 275, "MHz"),
                           ("its DSPs", 1185, ""), ("its BRAMs", 1731, ""),
                           ("power of the FPGA", 1.752, "W")])],
        charts=[
            chart(
                "4096 points",
                section,
                0,
                [(9, "paper: cycles"), (10, "cycles, here")],
                ("dataflow", "cycles"),
                "y",
                rows,
            )
        ],
        statements=_about_table_i(found),
        missing=(
            "No Xilinx clock and no power are ours: those need Vivado and the device. Microseconds "
            "are our cycles at the paper's clock.",
            "The paper does not say the width of its words; ours are 32 bits.",
        ),
    )  # fmt: skip


def _about_table_i(found: dict[tuple[str, int], Row]) -> list[Row]:
    at = {name: figures[1] for name, (_, _, figures) in TABLE_1.items()}
    growth = {name: of_paper(f[2][0]) / of_paper(f[0][0]) for name, (_, _, f) in TABLE_1.items()}
    heax = of_paper(11) / of_paper(8.6)
    judged = []
    mine = {
        name: found[name, 4096]["our_us_at_paper_clock"] for name in at if (name, 4096) in found
    }
    if mine:
        first = min(mine, key=lambda name: mine[name])
        second = min((n for n in mine if n != first), key=lambda name: mine[name])
        judged.append(
            statement(
                "Table I",
                "Pease_nc is by far the fastest algorithm on the FPGA",
                f"at the paper's clocks {first} would take {mine[first]} µs, {second} "
                f"{mine[second]} µs (4096 points)",
                Claim("order", [], [mine[second] / mine[first]], "times", much=True),
                unlike="our designs have cycles and no clock: the paper's, one for each algorithm, "
                "are of other circuits",
            )
        )
    own, six = TABLE_1["pease_nc 16"][2][2], TABLE_1["six_step"][2][2]
    most = [own[1] / six[1], own[3] / six[3], own[4] / TABLE_1["pease"][2][2][4]]
    return [
        *judged,
        statement(
            "Table I",
            "Pease_nc also consumes the most hardware",
            f"by the paper's own table Six-step takes {of_paper(six[1])} LUTs at 16384 points, "
            f"Pease_nc {of_paper(own[1])}",
            Claim("order", [], most, own=True),
            because=f"Six-step has {of_paper(163)} DSPs and Pease {of_paper(320)} BRAMs, Pease_nc "
            f"{of_paper(16)} and {of_paper(160)}: only its flip-flops are the most",
        ),
        statement(
            "Table I",
            "Pease_nc is 30 % faster than HEAX at 4096 points",
            f"{of_paper(11)} µs / {of_paper(8.6):.2f} µs is {100 * (heax - 1):.1f} % faster, which "
            "rounds to 30 %",
            Claim("equal", [30], [100 * (heax - 1)], step=10, own=True),
        ),
        statement(
            "Table I",
            "latency increases proportionally to the vector's size",
            "from 1024 to 16384 points, 16 times the size: "
            + ", ".join(f"{name} {g:.1f}" for name, g in growth.items()),
            Claim("alike", [16], list(growth.values()), own=True),
            because="a transform has n/2 log2 n butterflies, 22.4 times as many; the paper's own "
            f"columns grow {min(growth.values()):.1f} to {max(growth.values()):.1f} times",
        ),
    ]


def _fig_2(documents: Documents) -> Exhibit:
    """All bars are over one CPU: the one beside the GPU, or without a GPU the one that is there."""
    cpu = documents.get("nttsuite-cpu", {"rows": []})
    f = Figures(documents.get("nttsuite-gpu", EMPTY))
    missing = ["The paper prints none of the bars' values and no CPU or GPU time."]
    over = tables.beside(f) if f.there else cpu
    if f.there:
        bars = tables.speed_ups(f)
        sections = [bars, tables.times(f, documents.get("nttsuite-hardware", {})), _cpu_times(cpu)]
        charts = _charts(f, bars)
        sections += tables.all_sizes(f)
        missing.append(
            "All bars stand over the CPU beside the GPU. The table of one core's times may be of "
            "another CPU, whose algorithms are compared with each other only."
        )
    else:
        bars = _over_this_cpu(cpu)
        sections, charts = [bars], _fpga_chart(bars) if cpu["rows"] else []
        missing.append("No results of the GPU's kernels were found: nttforge paper nttsuite.")
    judged = [*(against_fpga(over) if over["rows"] else [])]
    judged += among_algorithms(cpu) if cpu["rows"] else []
    return Exhibit(
        "nttsuite",
        "Fig. 2",
        "Speed of the algorithms on the FPGA and the GPU over that on a CPU, at three sizes.",
        _fig_2_headline(f, cpu),
        sections,
        charts=charts,
        statements=[*judged, *about_gpus(f)],
        missing=missing,
    )


def _times_of(cpu: Row) -> dict[tuple[str, int], float]:
    return {(str(r["algorithm"]), int(r["n"])): r["us"] for r in cpu["rows"]}


def _over_this_cpu(cpu: Row) -> Section:
    """The FPGA's bars over the CPU of the report."""
    us = _times_of(cpu)
    body = []
    for name in NAMES:
        for n in SIZES:
            mine = us.get((name, n))
            ratio = mine / of_paper(fpga_us(name, n)) if mine is not None else None
            cells = [said(fpga_us(name, n), 2), number(mine, 2), number(us.get(("engine", n)), 2)]
            body.append([name, str(n), *cells, number(ratio, 2)])
    groups = [
        key("algorithm", "n"),
        paper("FPGA, Table I", "µs"),
        method("CPU", "µs"),
        ours("CPU", "our engine, µs"),
        method("", "FPGA's speed-up over this CPU"),
    ]
    return Section("Fig. 2, the FPGA's bars over this CPU", groups, body)


def _cpu_times(cpu: Row) -> Section:
    """One core's times where Fig. 2 stands over another CPU: compared among themselves only."""
    us = _times_of(cpu)
    body = [
        [name, str(n), number(us.get((name, n)), 2), number(us.get(("engine", n)), 2)]
        for name in NAMES
        for n in SIZES
        if us
    ]
    groups = [key("algorithm", "n"), method("one core", "µs"), ours("one core", "our engine, µs")]
    return Section(f"One core of {cpu.get('cpu', 'a CPU')}, µs", groups, body)


def _fpga_chart(section: Section) -> list[Chart]:
    rows = range(len(section.body))
    by_size = [[i for i in rows if section.body[i][1] == str(n)] for n in SIZES]
    bars: list[Series] = []
    for n, mine in zip(SIZES, by_size, strict=True):
        one = chart("", section, 0, [(5, f"{n} points")], ("", ""), rows=mine)
        bars += list(one.series)
    return [Chart("FPGA's speed-up over this CPU", "algorithm", "times", bars, "y")]


def _charts(f: Figures, speed_ups: Section) -> list[Chart]:
    """The paper's three plots with the GPU's bars, and time by size."""
    found = []
    for n in SIZES:
        rows = [i for i, row in enumerate(speed_ups.body) if row[1] == str(n)]
        columns = [(2, "the paper's FPGA"), (4, "its method, GPU"), (6, "tuned, GPU")]
        labels = ("algorithm", "times as fast as one core")
        found.append(chart(f"{n} points", speed_ups, 0, columns, labels, "y", rows))
    section = tables.sizes(f, 64, 1)
    at = 1 + len(NAMES)
    columns = [(1 + NAMES.index(name), f"{name}, paper's") for name in ("dit", "flat", "six_step")]
    columns += [(at + NAMES.index(name), f"{name}, tuned") for name in ("dit", "pease_nc")]
    columns += [(at + len(NAMES) + 1, "engine, bit-reversed")]
    labels = ("log2 n", "µs")
    return [*found, chart("One polynomial, 64-bit words", section, 0, columns, labels, "y")]


def _fig_2_headline(f: Figures, cpu: Row) -> Headline:
    if f.there:
        name, us = f.best(14) or ("", 0.0)
        return headline(
            "speed-ups over an Intel E5 (a plot, no figures)",
            f"Six-step {f.gpu('paper', 'six_step', 14):.1f} µs at 16384 points, GPU",
            f"{us:.1f} µs ({name}, tuned), {f.engine(14):.1f} µs, our engine",
        )
    us_of = {str(r["algorithm"]): r["us"] for r in cpu["rows"] if r["n"] == SIZES[-1]}
    six, engine = us_of.get("six_step"), us_of.get("engine")
    return headline(
        "speed-ups over an Intel E5 (a plot, no figures)",
        "not measured" if six is None else f"Six-step {six:.1f} µs at 16384 points, CPU",
        "not measured" if engine is None else f"{engine:.1f} µs, our engine, CPU",
    )
