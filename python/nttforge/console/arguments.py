# SPDX-License-Identifier: Apache-2.0
"""Arguments shared by the commands: a parser whose errors are one line, integers, numbers."""

from __future__ import annotations

import argparse
import re
import sys
from typing import NoReturn

from ..errors import ParameterError, shortened

NEED_INTEGER = "need an integer (decimal, or 0x... hexadecimal)"
_MOST_DIGITS = 4000  # Python converts no more than 4300
_INTEGER = re.compile(r"[+-]?(0[xX][0-9a-fA-F]+|[0-9]+)")
_NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")


class Parser(argparse.ArgumentParser):
    """A parser whose errors are the package's: one line, with the command that says more.

    Where the command is missing, those that there are come first, one a line.
    """

    def error(self, message: str) -> NoReturn:
        commands = self._commands()
        if commands and message.startswith("the following arguments are required"):
            width = max(map(len, commands))
            for name, text in commands.items():
                print(f"  {name:{width}}  {text}", file=sys.stderr)
            message = f"{self.prog} needs one of these commands"
        raise ParameterError(f"{message}; see {self.prog} --help")

    def _commands(self) -> dict[str, str]:
        """Name and help of each subcommand, or of each value of :func:`add_command`."""
        for action in self._actions:
            if isinstance(action, argparse._SubParsersAction):
                return {a.dest: a.help or "" for a in action._choices_actions}
            if isinstance(action, _Command):
                return action.texts
        return {}


class _Command(argparse.Action):
    """A positional argument that is one of a few words."""

    texts: dict[str, str]

    def __call__(
        self, parser: object, namespace: argparse.Namespace, values: object, option: object = None
    ) -> None:
        setattr(namespace, self.dest, values)


def add_command(parser: argparse.ArgumentParser, name: str, texts: dict[str, str]) -> None:
    """A first argument that is one of these words; the help, and the parser alone, list them."""
    said = "; ".join(f"{word}: {text}" for word, text in texts.items())
    action = parser.add_argument(name, action=_Command, choices=list(texts), help=said)
    assert isinstance(action, _Command)
    action.texts = texts


def integer(text: str) -> int:
    """A number as all commands take it: ASCII digits, no separators.

    >>> integer("12289"), integer("0x3001")
    (12289, 12289)
    """
    try:
        return parse_integer(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"{shown(text)}: {error}") from None


def parse_integer(text: str) -> int:
    """As :func:`integer`; raises ValueError that says what is needed."""
    if not _INTEGER.fullmatch(text):
        raise ValueError(NEED_INTEGER)
    if len(text) > _MOST_DIGITS:
        raise ValueError(f"an integer of {len(text)} digits is too large")
    return int(text, 16 if "x" in text.lower() else 10)


def number(text: str) -> float:
    """A decimal number in ASCII digits."""
    if not _NUMBER.fullmatch(text):
        raise argparse.ArgumentTypeError(f"{shown(text)}: need a number in decimal digits")
    return float(text)


def shown(text: str) -> str:
    """A word of the command line in an error: quoted, and not longer than a line."""
    return repr(shortened(text, 60))


def integers(text: str) -> list[int]:
    """Several, with commas."""
    return [integer(part) for part in text.split(",")]
