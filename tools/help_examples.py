# SPDX-License-Identifier: Apache-2.0
"""The examples that the help of nttforge's commands shows, as blocks for tools/run_blocks.py."""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterator
from pathlib import Path

from code_blocks import Block, BlockError

#: Every help, where pages are named.
PAGE = "nttforge --help"
HELP = "--help"
#: Examples that are not run here: what their line has in it, and why.
NOT_RUN = {
    "--device cuda": "needs an NVIDIA GPU",
    "bench gpu": "needs an NVIDIA GPU",
    "scheduler.example": "needs a cluster",
    "peers": "needs other libraries, built",
    "../before": "needs an earlier build",
    "NAME": "needs a name of the reader's",
    "nttforge serve": "serves until it is ended",
}
#: Examples that are run with --long only.
LONG = {
    "nttforge bench": "measures for minutes",
    "--measure": "measures for minutes at these sizes",
    "nttforge paper": "measures for minutes",
    "nttforge rtl explore": "searches for minutes",
    "nttforge rtl keyswitch": "simulates for minutes",
    "nttforge rtl synthesise": "Yosys and nextpnr take minutes",
    "nttforge rtl simulate": "Verilator takes a minute",
    "nttforge rtl paths": "Yosys takes minutes",
    "nttforge rtl report": "needs the design's synthesis",
    "nttforge rtl prove": "proofs take a minute and more",
}


def give_files(folder: Path) -> None:
    """The files of the reader's that examples read: residues, and a table of three columns."""
    import numpy as np

    np.save(folder / "in.npy", np.arange(16, dtype=np.uint64))
    rows = [f"{i % 101},{i % 11 - 5},{i % 10}" for i in range(1000)]
    (folder / "table.csv").write_text("\n".join(["a,b,c", *rows, ""]), encoding="utf-8")


def commands(parser: argparse.ArgumentParser) -> Iterator[argparse.ArgumentParser]:
    """A parser and all below it, in their order."""
    yield parser
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for inner in dict.fromkeys(action.choices.values()):
                yield from commands(inner)


def root_parser() -> argparse.ArgumentParser:
    """The parser of ``nttforge``."""
    from nttforge.cli import build_parser

    return build_parser()


def lines_of(parser: argparse.ArgumentParser) -> list[str]:
    """The command lines among the examples of one command's help, without remarks behind them."""
    text = "\n\n".join(part for part in (parser.description, parser.epilog) if part)
    found: list[str] = []
    for block in re.findall(r"^examples:\n((?:  .*\n?)+)", text, re.MULTILINE):
        for line in re.sub(r" \\\n +", " ", block).splitlines():
            found.append(re.split(r" {2,}(?![-\d])", line.strip())[0])
    return found


def examples(long: bool = False) -> list[Block]:
    """A block for each command's examples; raises BlockError for a reason that fits none.

    long: what takes minutes is among them, in its place; otherwise it has blocks of its own.
    """
    blocks: list[Block] = []
    used: set[str | None] = set()
    for parser in commands(root_parser()):
        page, kept, minutes = f"{parser.prog} {HELP}", [], ""
        for number, line in enumerate(lines_of(parser), 1):
            never = next((part for part in NOT_RUN if part in line), None)
            later = next((part for part in LONG if part in line), None)
            used |= {never, later}
            if never is not None:
                blocks.append(Block(page, number, "console", line, NOT_RUN[never]))
            elif later is not None and not long:
                blocks.append(Block(page, number, "console", line, "", LONG[later]))
            else:
                kept.append(f"$ {line}\n")
                minutes = LONG[later] if later else minutes
        if kept:
            blocks.append(Block(page, 1, "console", "".join(kept), "", minutes))
    if unused := {*NOT_RUN, *LONG} - used:
        raise BlockError(f"no example of a help has {sorted(unused)}: see NOT_RUN and LONG")
    return blocks
