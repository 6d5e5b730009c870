# SPDX-License-Identifier: Apache-2.0
"""``--scale``: of all inputs, and of single ones by their names."""

from __future__ import annotations

import argparse
from collections.abc import Collection

from nttforge.console.arguments import number
from nttforge.errors import ParameterError

__all__ = ["add_scale", "scales_of"]


def add_scale(parser: argparse.ArgumentParser, text: str) -> None:
    """The option, which may be given several times."""
    parser.add_argument(
        "--scale",
        action="append",
        default=[],
        metavar="[NAME=]SCALE",
        help=f"{text}; with a name, of that one (several times)",
    )


def scales_of(options: argparse.Namespace, names: Collection[str]) -> dict[str, int | float]:
    """The scale of each name, 1 unless said.

    Raises
    ------
    ParameterError
        A text is no scale, a name is unknown, or one is said twice.
    """
    said: dict[str, int | float] = {}
    for text in options.scale:
        name, equals, rest = text.rpartition("=")
        try:
            value = number(rest)
        except argparse.ArgumentTypeError as error:
            raise ParameterError(f"--scale {text!r}: {error}") from None
        if equals and name not in names:
            raise ParameterError(
                f"--scale {text!r}: need SCALE or NAME=SCALE, of one of {', '.join(names)}"
            )
        if name in said:
            raise ParameterError(f"--scale {text!r}: {name or 'the scale of all'} is said twice")
        said[name] = int(value) if value == int(value) else value
    return {name: said.get(name, said.get("", 1)) for name in names}
