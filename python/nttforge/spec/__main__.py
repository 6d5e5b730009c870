"""Writes the files that are generated from the oracle, or compares them with what is committed.

``python -m nttforge.spec gaussian-tables [--check] [--out FILE]``
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from . import gaussian

COMMAND = "PYTHONPATH=python python -m nttforge.spec"


def generated_files(what: str, out: str) -> dict[Path, str]:
    """Path and content of every file the subcommand ``what`` stands for."""
    return {Path(out): gaussian.cpp_header(f"{COMMAND} gaussian-tables")}


def main(arguments: list[str] | None = None) -> int:
    """Runs the command line; returns the exit status."""
    parser = argparse.ArgumentParser(
        prog="python -m nttforge.spec", description=__doc__.split("\n")[0]
    )
    commands = parser.add_subparsers(dest="command", required=True)
    for name, out, text in (
        (
            "gaussian-tables",
            "nttforge/random/gaussian_tables.hpp",
            "the C++ header with the error tables",
        ),
    ):
        sub = commands.add_parser(name, help=text)
        sub.add_argument(
            "--out", default=out, help=f"where (default {out}, from the repository root)"
        )
        sub.add_argument(
            "--check", action="store_true", help="compare, write nothing, status 1 on a difference"
        )
    options = parser.parse_args(arguments)

    different = 0
    for path, content in generated_files(options.command, options.out).items():
        if not options.check:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(content, encoding="utf-8")
            print(f"wrote {path} ({len(content)} bytes)")
        elif not path.exists() or path.read_text(encoding="utf-8") != content:
            print(f"{path} differs from what the oracle writes; run `{COMMAND} {options.command}`")
            different = 1
    return different


if __name__ == "__main__":
    sys.exit(main())
