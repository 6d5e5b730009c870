# SPDX-License-Identifier: Apache-2.0
"""[Bad18b]: FV homomorphic encryption on GPUs; Tables 1, 2, 5, 6 and 7, Figs. 2 and 4.

Every kernel of the paper beside ours, on the CPU and on a card: reductions, Garner's reconstruction
and two classic ones, the DGT, conversions between bases, samplers, the scheme by residues and by
the textbook, power while it runs. Each is checked before it is timed.

examples:
  nttforge paper bad18b                               kept results of this clone
  nttforge paper bad18b --device cpu --out out/bad18b    this machine's CPU
  nttforge paper bad18b --device cuda --out out/bad18b   its CPU and its card
  nttforge paper bad18b --from out/bad18b/bad18b.json
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from ...console.output import require_writable, whole_file
from .._gpu import Results, load, plot_results, statements_text
from .figures import Figures
from .measure import DEVICES, measure, merge
from .plots import plot
from .statements import statements
from .tables import figure_2, figure_4, table_1, table_2, table_5, tables_6_7


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--out", metavar="FOLDER", type=Path, help="write results and plot there")
    parser.add_argument(
        "--device", choices=DEVICES, help="measure here: the CPU, or the CPU and its card"
    )
    parser.add_argument(
        "--from",
        dest="results",
        metavar="RESULTS",
        type=Path,
        help="kept results (default: this clone's newest)",
    )
    parser.add_argument(
        "--merge", type=Path, metavar="FOLDER", help="documents of bad18b_bench, measured before"
    )
    parser.add_argument("--programs", type=Path, help="folder of our benchmark programs")
    parser.add_argument(
        "--peers",
        type=Path,
        metavar="FOLDER",
        help="install prefix of SEAL, to measure beside ours",
    )
    parser.add_argument(
        "--seal",
        type=Path,
        metavar="FILE",
        help="SEAL's figures from a document of 'nttforge bench cpu'",
    )
    parser.add_argument(
        "--small", action="store_true", help="two small sets in place of the paper's, for tests"
    )
    parser.add_argument("--json", action="store_true", help="results as JSON on standard output")


def run(options: argparse.Namespace) -> int:
    from ...bench import documents

    if options.out is not None:
        require_writable(options.out)
    folder = options.merge
    if options.device is not None:
        folder = (options.out or Path("out/bad18b")) / "raw"
        more = ["--small", "1", "--check", "1"] if options.small else []
        measure(folder, options.device, options.programs, options.peers, more)
    results = load("bad18b", options.results) if folder is None else merge(folder, options.seal)
    if options.out is not None:
        lists = [name for name, value in results.items() if isinstance(value, list)]
        with whole_file(options.out / "bad18b.json") as file:
            file.write(documents.dump(results, lists))
        plot_results(results, options.out / "bad18b.png", plot)
    print(json.dumps(results, indent=1) if options.json else report(results))
    return 0


def report(results: Results) -> str:
    """Every table, then the statements and what could not be measured."""
    f = Figures(results)
    parts = [_heading(results), ""]
    parts += [table_1(f), table_2(f), table_5(f), tables_6_7(f), figure_2(f), figure_4(f)]
    parts += [statements_text(statements(f), "here"), *_missing(f)]
    return "\n".join(part for part in parts if part is not None)


def _heading(results: Results) -> str:
    card = (results.get("gpu") or {}).get("name", "no card")
    text = f"CPU: {results.get('cpu', 'unknown')}; card: {card}; CPU minima, card medians"
    text += "; the card's in graphs, but for what samples or waits"
    peers = results.get("peers_cpu")
    if peers is not None and peers != results.get("cpu"):
        text += f"\nSEAL was measured on another machine: {peers}, one core"
    elif peers is not None:
        text += "\nSEAL: one core of the same machine"
    return text


def _missing(f: Figures) -> list[str]:
    lines = []
    if f.results.get("host_run"):
        lines.append(f"host run: {f.results['host_run']}")
    if not f.has_card:
        lines.append(
            "the columns 'card' and Fig. 4 need a card: nttforge paper bad18b --device cuda"
        )
    if not f.results.get("peers"):
        lines.append("the columns of SEAL need it: --peers PREFIX, or --seal with kept figures")
    return lines
