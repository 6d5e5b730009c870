# SPDX-License-Identifier: Apache-2.0
"""What a shell needs to complete nttforge's commands, options and their values with the Tab key.

examples:
  nttforge completion bash > ~/.local/share/bash-completion/completions/nttforge
  nttforge completion zsh > ~/.zfunc/_nttforge
  nttforge completion fish > ~/.config/fish/completions/nttforge.fish

Zsh reads ~/.zfunc where ~/.zshrc has "fpath+=~/.zfunc; autoload -Uz compinit; compinit". The text
is that of the installed version: write it again after an update.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path

from .._extras import install_command
from ..console.arguments import add_command
from ..errors import UnsupportedError

SHELLS = {
    "bash": "for a folder that bash-completion reads, or source",
    "zsh": "for a file _nttforge in a folder of fpath",
    "fish": "for a file nttforge.fish in fish's folder of completions",
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_command(parser, "shell", SHELLS)


def run(options: argparse.Namespace) -> int:
    try:
        import shtab
    except ImportError:
        raise UnsupportedError(
            f"completion needs one more package: {install_command('completion')}"
        ) from None
    from . import build_parser

    parser = build_parser()
    for action in _actions(parser):
        if takes_path(action):
            action.complete = shtab.FILE  # type: ignore[attr-defined]  # read by shtab
    print(shtab.complete(parser, shell=options.shell))
    return 0


def takes_path(action: argparse.Action) -> bool:
    """Whether the values of an argument are files or folders."""
    if action.choices or action.nargs == 0:
        return False
    return action.type is Path or action.metavar == "FILE" or action.dest in ("out", "folder")


def _actions(parser: argparse.ArgumentParser) -> Iterator[argparse.Action]:
    """Every argument of a parser and of its subcommands."""
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for inner in action.choices.values():
                yield from _actions(inner)
        else:
            yield action
