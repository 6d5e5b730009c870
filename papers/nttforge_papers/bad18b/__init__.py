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

from nttforge.console.output import require_writable, whole_file

from .._gpu import load, plot_results
from .measure import DEVICES, measure, merge
from .page import page, report
from .plots import plot


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
    from nttforge_bench import documents

    if options.out is not None:
        require_writable(options.out)
    if options.seal is not None:
        documents.load_merged(options.seal)  # what is wrong with it is said before the work
    folder = options.merge
    if options.device is not None:
        folder = (options.out or Path("out/bad18b")) / "raw"
        more = ["--small", "1", "--check", "1"] if options.small else []
        measure(folder, options.device, options.programs, options.peers, more)
    if folder is not None:
        results = merge(folder, options.seal)
    else:
        results = load("bad18b", options.results, "--from", "with --device cpu or --device cuda")
    if options.out is not None:
        lists = [name for name, value in results.items() if isinstance(value, list)]
        with whole_file(options.out / "bad18b.json") as file:
            file.write(documents.dump(results, lists))
        with whole_file(options.out / "bad18b.md") as file:
            file.write(page(results))
        plot_results(results, options.out / "bad18b.png", plot)
    print(json.dumps(results, indent=1) if options.json else report(results))
    return 0
