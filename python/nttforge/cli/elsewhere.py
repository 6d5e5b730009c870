# SPDX-License-Identifier: Apache-2.0
"""Commands that the package does not bring: the repository has them as distributions of their own.

Each registers a module with ``add_arguments(parser)`` and ``run(options)`` in the group of entry
points ``nttforge.commands``. Where it is not installed, the command says how to get it.
"""

from __future__ import annotations

import argparse
import importlib
from importlib.metadata import entry_points
from typing import Any

from ..errors import UnsupportedError

GROUP = "nttforge.commands"
#: Command -> one line of help, and what installs it in a clone of the repository.
ELSEWHERE = {
    "paper": ("reproduce a published table or figure", "pip install ./bench ./papers"),
    "bench": (
        "measure this machine, beside other libraries and its own ceilings",
        "pip install ./bench",
    ),
}


def installed(name: str, remedy: str) -> Any:
    """The module of a command, or what stands for it where it is missing or cannot be imported."""
    for entry in entry_points(group=GROUP, name=name):
        try:
            return importlib.import_module(entry.module)
        except ImportError as error:
            return Missing(f"nttforge {name} cannot be loaded ({error}): {remedy} in a clone")
    return Missing(
        f"nttforge {name} is not in the package but in its repository: there, run {remedy}, or "
        "use the environment of make build (https://github.com/nttforge/nttforge)"
    )


class Missing:
    """In the place of a command's module: takes every word, and raises what ``reason`` says."""

    def __init__(self, reason: str) -> None:
        self._reason = reason
        self.__doc__ = reason

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        parser.prefix_chars = "\0"  # options of the missing command are words like others
        parser.add_argument("words", nargs="*")

    def run(self, options: argparse.Namespace) -> int:
        raise UnsupportedError(self._reason)
