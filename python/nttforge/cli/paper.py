"""Reproduce a published table or figure: the paper's statement beside ours.

examples:
  nttforge paper                        the papers
  nttforge paper nttsuite --out out/nttsuite
"""

from __future__ import annotations

import argparse
import importlib

from ..papers import PAPERS
from .output import table


def add_arguments(parser: argparse.ArgumentParser) -> None:
    papers = parser.add_subparsers(dest="paper", metavar="PAPER")
    for key, text in PAPERS.items():
        module = importlib.import_module(f"nttforge.papers.{key}")
        sub = papers.add_parser(
            key,
            help=text,
            description=module.__doc__,
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        module.add_arguments(sub)
        sub.set_defaults(reproduce=module.run)


def run(options: argparse.Namespace) -> int:
    if options.paper is None:
        print(table(["paper", "what"], PAPERS.items()))
        return 0
    return int(options.reproduce(options))
