# SPDX-License-Identifier: Apache-2.0
"""[Yan22] for the report: Figs. 3 and 7 to 10."""

from __future__ import annotations

from .._exhibits import Chart, Exhibit, Make, Series, chart, printed
from .._sections import Row, Section, key, method, number, other, ours, whole
from .._traced import of_paper

CLOCK = (
    "No Xilinx clock is ours: that needs Vivado and the device. Microseconds are our cycles at the "
    "paper's clock, as the columns say."
)
_PLOT = "The paper plots this figure; its text prints no more of it than is shown."


def fig_3(results: Row, exhibit: Make) -> Exhibit:
    counts = {(r["bits"], r["operands"]): r["primes"] for r in results["fig_3"]}
    body = [
        [str(bits), *(whole(counts.get((bits, k), 0)) for k in range(4, 10))]
        for bits in sorted({int(b) for b, _ in counts})
    ]
    names = [f"{k} operands" for k in range(4, 10)]
    section = Section("Primes 2^i ± 2^j ± 1", [key("bits"), method("here", *names)], body)
    found = counts.get((20, 4))
    return exhibit(
        "Fig. 3",
        "Number of generalised Mersenne primes by width and operands of their reduction.",
        (
            f"{of_paper(6)} primes of 20 bits with 4 operands",
            f"{found} primes" if found is not None else "not computed",
            "the same",
        ),
        sections=[printed([("primes of 20 bits, 4 operands", 6, "primes")]), section],
        charts=[
            chart("Primes by width", section, 0, list(enumerate(names, 1)), ("bits", "primes"))
        ],
        missing=(_PLOT,),
    )


def fig_7(results: Row, exhibit: Make) -> Exhibit:
    body = [
        [
            f"{r['n']}, {r['core']}",
            *(whole(r[k]) for k in ("percent_of_xcu200", "designs_within", "dp", "pp", "cycles")),
            number(r["us_at_assumed_250_mhz"], 2),
            whole(r["dsps"]),
            whole(r["bram36"]),
        ]
        for r in results["fig_7"]
    ]
    names = ("% of the XCU200", "designs within")
    groups = [
        key("n, core"),
        method("", *names),
        ours("fastest", "dp", "pp", "cycles", "µs at 250 MHz", "DSPs", "BRAMs"),
    ]
    section = Section("Fig. 7, four limbs of 30 bits", groups, body)
    labels = list(dict.fromkeys(row[0] for row in body))
    series = [
        Series(label, "method", [(float(r[1]), r[6]) for r in body if r[0] == label])
        for label in labels
    ]
    within = {
        str(r["core"]): r["designs_within"]
        for r in results["fig_7"]
        if r["n"] == 8192 and r["percent_of_xcu200"] == 100
    }
    return exhibit(
        "Fig. 7",
        "Designs within a share of the XCU200 and their latency, for two sizes and two cores.",
        (
            "fewer designs with general cores (a plot, no figures)",
            f"n = 8192: {within.get('montgomery')} general, {within.get('solinas')} low latency",
            f"{results['fig_7'][-1]['us_at_assumed_250_mhz']} µs at an assumed 250 MHz",
        ),
        sections=[section],
        charts=[Chart("Fastest design", "% of the XCU200", "µs at 250 MHz", series)],
        missing=(
            _PLOT,
            "The paper's points are placed designs; ours are predicted cycles, which simulations "
            "confirm, at the 250 MHz that the paper assumes.",
        ),
    )


def fig_8(results: Row, exhibit: Make) -> Exhibit:
    found = results["fig_8"]
    body = [
        [str(int(r["n"])), str(r["varied"]), whole(r["dp"]), whole(r["pp"]), whole(r["cycles"]),
         number(r["us_at_assumed_250_mhz"], 2)]
        for r in found
    ]  # fmt: skip
    groups = [key("n", "varied"), method("", "dp", "pp", "cycles", "µs at 250 MHz")]
    section = Section("Fig. 8, four limbs of 30 bits", groups, body)
    low, high = (
        next(r["cycles"] for r in found if (r["n"], r["dp"], r["varied"]) == (16384, dp, "dp"))
        for dp in (2, 64)
    )
    return exhibit(
        "Fig. 8",
        "Latency by dp at pp = 2, and by pp at dp = 16, for five sizes.",
        (
            "close to linear in 1 / dp (a plot, no figures)",
            f"n = 16384: {low} cycles at dp = 2, {high} at dp = 64",
            "the same designs",
        ),
        sections=[section],
        charts=[
            _by_n(section, found, varied, column, 5, "µs at 250 MHz")
            for varied, column in (("dp", 2), ("pp", 3))
        ],
        missing=(_PLOT, CLOCK),
    )


def _by_n(section: Section, rows: list[Row], varied: str, x: int, y: int, label: str) -> Chart:
    series = []
    for n in sorted({int(r["n"]) for r in rows}):
        mine = [i for i, r in enumerate(rows) if r["n"] == n and r["varied"] == varied]
        points = chart("", section, x, [(y, f"n = {n}")], ("", ""), rows=mine).series
        series += list(points)
    return Chart(f"By {varied}", varied, label, series, "xy" if varied == "dp" else "y")


def fig_9(results: Row, exhibit: Make) -> Exhibit:
    found = results["fig_9"]
    body = [
        [str(int(r["n"])), str(r["varied"]), whole(r["dp"]), whole(r["pp"]),
         number(r["gb_per_s_four_limbs"], 2), number(r["port_gb_per_s"], 1)]
        for r in found
    ]  # fmt: skip
    groups = [
        key("n", "varied"),
        method("", "dp", "pp", "GB/s by Eq. 4"),
        other("", "GB/s at a port while it streams"),
    ]
    section = Section("Fig. 9, four limbs of 30 bits at 250 MHz", groups, body)
    most = max(r["gb_per_s_four_limbs"] for r in found)
    return exhibit(
        "Fig. 9",
        "Memory bandwidth that the designs of Fig. 8 need, by the paper's Eq. 4.",
        (f"all well within {of_paper(78)} GB/s", f"at most {most} GB/s", "the same designs"),
        sections=[printed([("external bandwidth of the XCU200, Table 2", 78, "GB/s")]), section],
        charts=[
            _by_n(section, found, varied, column, 4, "GB/s")
            for varied, column in (("dp", 2), ("pp", 3))
        ],
        missing=(_PLOT,),
    )


def fig_10(results: Row, exhibit: Make) -> Exhibit:
    found = results["fig_10"]
    body = [[str(int(r["dp"])), whole(r["stride"]), whole(r["cycles"])] for r in found]
    section = Section("Fig. 10, n = 4096", [key("dp"), method("", "stride", "cycles")], body)
    points = [(r["dp"], float(r["stride"]), c[2]) for r, c in zip(found, body, strict=True)]
    series = [
        Series(f"dp = {dp}", "method", [(x, y) for d, x, y in points if d == dp])
        for dp in (32, 64, 128)
    ]
    return exhibit(
        "Fig. 10",
        "Latency of the permutation network by the stride, for three dp.",
        (
            "grows with the stride (a plot, no figures)",
            f"dp = 32: {found[0]['cycles']} cycles at stride 32, more with each doubling",
            "the same networks",
        ),
        sections=[section],
        charts=[Chart("By stride", "stride", "cycles", series, "x")],
        missing=(_PLOT,),
    )
