# SPDX-License-Identifier: Apache-2.0
"""What the commands ``bench`` and ``paper`` share: they run alone, and plot if they can."""

from __future__ import annotations

import argparse
import sys
from typing import Any, NoReturn

from nttforge._extras import install_command
from nttforge.console.arguments import Parser, number
from nttforge.errors import NttforgeError


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


def can_plot() -> bool:
    """Whether matplotlib is here; if not, a line on stderr says how to get it."""
    try:
        import matplotlib  # noqa: F401
    except ImportError:
        print(f"no plots: matplotlib is missing: {install_command('plot')}", file=sys.stderr)
        return False
    return True


def percentage(text: str) -> float:
    """A share in per cent, with or without the sign.

    >>> percentage("3%"), percentage("2.5")
    (0.03, 0.025)
    """
    return number(text.removesuffix("%")) / 100
