# SPDX-License-Identifier: Apache-2.0
"""Writes the files that are generated from the oracle, or compares them with what is committed.

``python -m nttforge_oracle vectors [--check] [--out tests/vectors]``
``python -m nttforge_oracle made-vectors [--out build/vectors]``
``python -m nttforge_oracle gaussian-tables [--check] [--out nttforge/random/gaussian_tables.hpp]``
"""

from __future__ import annotations

import argparse
import hashlib
import sys
from collections.abc import Iterator
from pathlib import Path

from .gaussian import cpp_header
from .vectors import FILES, MADE, vector_file

COMMAND = "PYTHONPATH=python:packages/oracle python -m nttforge_oracle"
DEFAULT_OUT = {
    "vectors": "tests/vectors",
    "made-vectors": "build/vectors",
    "gaussian-tables": "nttforge/random/gaussian_tables.hpp",
}


def generated_files(what: str, out: str) -> Iterator[tuple[Path, str]]:
    """Path and content of every file that the subcommand ``what`` writes.

    Examples
    --------
    >>> [(path, text)] = generated_files("gaussian-tables", "tables.hpp")
    >>> str(path), "kGaussianSigma8" in text
    ('tables.hpp', True)
    """
    if what == "gaussian-tables":
        yield Path(out), cpp_header(f"{COMMAND} {what}")
        return
    made = ((name, vector_file(name, f"{COMMAND} vectors")) for name in MADE)
    if what == "made-vectors":
        yield from ((Path(out) / name, text) for name, text in made)
        return
    for name in FILES:
        if name not in MADE:
            yield Path(out) / name, vector_file(name, f"{COMMAND} vectors")
    lines = [f"{hashlib.sha256(text.encode()).hexdigest()}  {name}\n" for name, text in made]
    yield Path(out) / "made.sha256", "".join(lines)


def main(arguments: list[str] | None = None) -> int:
    """Runs the command line; returns the exit status."""
    parser = argparse.ArgumentParser(
        prog="python -m nttforge_oracle",
        description="Write or check the files made from the oracle.",
    )
    commands = parser.add_subparsers(dest="command", required=True)
    for name, out in DEFAULT_OUT.items():
        sub = commands.add_parser(name, help=f"default place {out}, from the repository root")
        sub.add_argument("--out", default=out, help="another place")
        sub.add_argument("--check", action="store_true", help="compare only; status 1 if different")
    options = parser.parse_args(arguments)

    status = 0
    for path, content in generated_files(options.command, options.out):
        if not options.check:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(content, encoding="utf-8")
            print(f"wrote {path} ({len(content)} bytes)")
        elif not path.exists() or path.read_text(encoding="utf-8") != content:
            print(f"{path} differs from what the oracle writes: run `{COMMAND} {options.command}`")
            status = 1
    return status


if __name__ == "__main__":
    sys.exit(main())
