# SPDX-License-Identifier: Apache-2.0
"""Write requirements-*.txt from requirements-*.in: every package with its version and its digests.

python packaging/lock_requirements.py [--upgrade] [--upgrade-package NAME] [NAME ...]

Each file holds for every Python from 3.10 on and every system what is installed there, so that pip
takes nothing that was not seen here (pip install --require-hashes). Versions that a file has stay
unless --upgrade asks for newer ones. It needs uv, which is no part of what it writes: a
"pip install uv" in an environment of its own puts it on PATH.
"""

from __future__ import annotations

import argparse
import pathlib
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
#: In this order, because others keep to the versions of the first two; the oldest Python of each.
OLDEST = {
    "build": "3.10",
    "dev": "3.10",
    "cuda": "3.10",
    "zig": "3.10",
    "web": "3.10",
    "wheels": "3.10",
    "recipes": "3.10",
    "board": "3.10",
    "docs": "3.11",
    "cibuildwheel": "3.12",
}


def command(name: str, more: list[str]) -> list[str]:
    """What writes one file; uv repeats it in the file's first lines, without ``more``."""
    asked = ["uv", "pip", "compile", "--universal", "--generate-hashes", "--no-annotate"]
    files = [f"requirements-{name}.in", "--output-file", f"requirements-{name}.txt"]
    return [*asked, "--python-version", OLDEST[name], *more, *files]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(OLDEST)}: all")
    parser.add_argument("--upgrade", action="store_true", help="newer versions where .in allows")
    parser.add_argument("--upgrade-package", action="append", default=[], metavar="NAME")
    options = parser.parse_args()
    unknown = sorted(set(options.names) - set(OLDEST))
    if unknown:
        parser.error(f"{', '.join(unknown)} must be among {', '.join(OLDEST)}")
    if shutil.which("uv") is None:
        sys.exit("uv is not on PATH: pip install uv in an environment of its own")
    more = ["--upgrade"] if options.upgrade else []
    more += [word for name in options.upgrade_package for word in ("--upgrade-package", name)]
    for name in OLDEST:
        if name in options.names or not options.names:
            subprocess.run([*command(name, more), "--quiet"], cwd=ROOT, check=True)
            print(f"requirements-{name}.txt")
    return 0


if __name__ == "__main__":
    sys.exit(main())
