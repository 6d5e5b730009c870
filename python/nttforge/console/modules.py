# SPDX-License-Identifier: Apache-2.0
"""Subcommands that are modules with ``add_arguments(parser)`` and ``run(options)``."""

from __future__ import annotations

import argparse
import importlib
import sys
from collections.abc import Mapping
from typing import Any, NoReturn

from ..errors import NttforgeError
from .arguments import Parser


def add_modules(commands: Any, texts: Mapping[str, str], package: str, action: str) -> None:
    """Adds one subcommand per module.

    Parameters
    ----------
    commands
        What ``ArgumentParser.add_subparsers`` returned.
    texts
        Module of ``package`` -> one line of help. Its docstring becomes the description.
    action
        The attribute of the parsed options that will hold the module's ``run``.
    """
    for name, text in texts.items():
        add_module(commands, name, text, importlib.import_module(f".{name}", package), action)


def add_module(commands: Any, name: str, text: str, module: Any, action: str) -> None:
    """Adds one subcommand; the parameters are those of :func:`add_modules`."""
    parser = commands.add_parser(
        name,
        help=text,
        description=module.__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    module.add_arguments(parser)
    parser.set_defaults(**{action: module.run})


def run_alone(module: Any, program: str) -> NoReturn:
    """Runs one subcommand's module as a program of its own: where the core is not built."""
    parser = Parser(
        prog=program,
        description=module.__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    module.add_arguments(parser)
    try:
        sys.exit(module.run(parser.parse_args()))
    except KeyboardInterrupt:
        print("nttforge: interrupted", file=sys.stderr)
        sys.exit(130)
    except (NttforgeError, OSError) as error:
        print(f"nttforge: error: {error}", file=sys.stderr)
        sys.exit(2)
