# SPDX-License-Identifier: Apache-2.0
"""Reproduce a published table or figure: the paper's statement beside ours.

examples:
  nttforge paper                        the papers
  nttforge paper nttsuite --out out/nttsuite
"""

from __future__ import annotations

import argparse
import importlib

from nttforge.console.modules import add_module
from nttforge.console.output import table

from . import PAPERS


def add_arguments(parser: argparse.ArgumentParser) -> None:
    papers = parser.add_subparsers(dest="paper", metavar="PAPER")
    for name, text in PAPERS.items():
        module = importlib.import_module(f".{name}", __package__)
        add_module(papers, name, text, module, "reproduce")


def run(options: argparse.Namespace) -> int:
    if options.paper is None:
        print(table(["paper", "what"], PAPERS.items()))
        return 0
    return int(options.reproduce(options))
