# SPDX-License-Identifier: Apache-2.0
"""Subcommands that are modules with ``add_arguments(parser)`` and ``run(options)``."""

from __future__ import annotations

import argparse
from typing import Any


def add_module(commands: Any, name: str, text: str, module: Any, action: str) -> None:
    """Adds one subcommand.

    Parameters
    ----------
    commands
        What ``ArgumentParser.add_subparsers`` returned.
    name, text
        The subcommand, and one line of help.
    module
        Its docstring becomes the description.
    action
        The attribute of the parsed options that will hold the module's ``run``.
    """
    parser = commands.add_parser(
        name,
        help=text,
        description=module.__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    module.add_arguments(parser)
    parser.set_defaults(**{action: module.run})
