# SPDX-License-Identifier: Apache-2.0
"""The examples that the help of nttforge's commands shows, as blocks for tools/run_blocks.py."""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterator

from code_blocks import Block, BlockError

#: Every help, where pages are named.
PAGE = "nttforge --help"
#: Examples that are not run here: what their line has in it, and why.
NOT_RUN = {
    "nttforge bench": "measures for minutes",
    "--measure": "measures for minutes at these sizes",
    "--device cuda": "needs an NVIDIA GPU",
    "--open": "opens a window",
    "scheduler.example": "needs a cluster",
    "nttforge paper": "the report is a target of its own, make papers",
    "in.npy": "needs a file of the reader's",
    "trace.json": "needs a file of the reader's",
    "nttforge bfv": "docs/encrypted-computing.md has these commands with data, and is run",
    "nttforge cluster": "docs/cluster.md has these commands, and is run",
    "nttforge rtl explore": "minutes of search; the hardware tests run it",
    "nttforge rtl keyswitch": "minutes; the hardware tests run it",
    "nttforge rtl synthesise": "Yosys and nextpnr take minutes; the hardware tests run them",
    "nttforge rtl simulate": "Verilator takes a minute; the hardware tests run it",
    "nttforge rtl paths": "Yosys takes minutes; the hardware tests run it",
    "nttforge rtl prove": "proofs take a minute and more; make prove runs them",
}


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


def examples() -> list[Block]:
    """A block for each command's examples; raises BlockError for a reason that fits none."""
    blocks, used = [], set()
    for parser in commands(root_parser()):
        page, kept = f"{parser.prog} --help", []
        for number, line in enumerate(lines_of(parser), 1):
            reason = next((part for part in NOT_RUN if part in line), None)
            if reason is None:
                kept.append(f"$ {line}\n")
            else:
                used.add(reason)
                blocks.append(Block(page, number, "console", line, NOT_RUN[reason]))
        if kept:
            blocks.append(Block(page, 1, "console", "".join(kept), ""))
    if unused := set(NOT_RUN) - used:
        raise BlockError(f"no example of a help has {sorted(unused)}: see NOT_RUN")
    return blocks
