# SPDX-License-Identifier: Apache-2.0
"""Check that folders and sources have a size in which one finds things.

A folder has at most 40 files of its own. A source has at least 8 lines that are not blank
(__init__.py and __main__.py may be shorter: Python asks for them). One of more than 400 lines is
named, and may stay where it reads best whole. The Python of nttforge's wheel has at most 25,000
lines: the rest are packages of their own (docs/decisions/packages.md). What git ignores is not
looked at.
--self-test shows that each rule can fail.
"""

from __future__ import annotations

import argparse
import pathlib
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Sequence

ROOT = pathlib.Path(__file__).resolve().parent.parent
MOST_FILES, FEWEST_LINES, MOST_LINES = 40, 8, 400
WHEEL, MOST_OF_WHEEL = "python/nttforge/", 25_000
SOURCES = (".py", ".cpp", ".hpp", ".cu", ".cuh", ".h", ".sv", ".v", ".cmake", ".html")
#: Python asks for these, however little stands in them.
MAY_BE_SHORT = ("__init__.py", "__main__.py")
#: Folders that may have too many files, or sources that are too short, until they get rooms.
KNOWN: tuple[str, ...] = ()


def check(root: pathlib.Path, names: Sequence[str], known: Sequence[str] = ()) -> list[str]:
    """What is too large or too small among the files ``names`` of ``root``."""
    problems = []
    folders = Counter(name.rpartition("/")[0] for name in names)
    for folder, count in sorted(folders.items()):
        if count > MOST_FILES and folder not in known:
            problems.append(f"{folder}: {count} files of its own, at most {MOST_FILES}")
    for name in names:
        folder, _, file = name.rpartition("/")
        if not name.endswith(SOURCES) or folder in known:
            continue
        lines = (root / name).read_text(encoding="utf-8").splitlines()
        said = sum(1 for line in lines if line.strip())
        if said < FEWEST_LINES and file not in MAY_BE_SHORT:
            problems.append(f"{name}: {said} lines that are not blank, at least {FEWEST_LINES}")
    return problems


def check_wheel(root: pathlib.Path, names: Sequence[str]) -> list[str]:
    """Whether the wheel has more Python than a user needs."""
    sources = [name for name in names if name.startswith(WHEEL) and name.endswith(".py")]
    lines = sum((root / name).read_text(encoding="utf-8").count("\n") for name in sources)
    said = f"{WHEEL}: {lines} lines of Python, at most {MOST_OF_WHEEL} (docs/decisions/packages.md)"
    return [said] if lines > MOST_OF_WHEEL else []


def long_sources(root: pathlib.Path, names: Sequence[str]) -> list[str]:
    """Sources of more lines than are looked through at once, with how many they have."""
    counts = {
        name: len((root / name).read_text(encoding="utf-8").splitlines())
        for name in names
        if name.endswith(SOURCES)
    }
    return [f"{name}: {count} lines" for name, count in counts.items() if count > MOST_LINES]


def stale(root: pathlib.Path, names: Sequence[str], known: Sequence[str]) -> list[str]:
    """The known exceptions that are none any more."""
    found = []
    for folder in known:
        own = [name for name in names if name.rpartition("/")[0] == folder]
        if not check(root, own):
            found.append(
                f"tools/check_sizes.py: {folder} keeps the sizes now: take it out of KNOWN"
            )
    return found


def self_test() -> list[str]:
    """Each rule is broken once."""
    many = [f"a/{i}.md" for i in range(41)]
    cases = [
        (many[:40], "", ""),
        (many, "", "41 files"),
        (["a/b.cpp"], "x\n" * 8, ""),
        (["a/b.cpp"], "x\n" * 7 + "\n" * 9, "7 lines that are not blank"),
        (["a/__init__.py"], "x\n", ""),
        (["a/b.sv"], "x\n" * 400, ""),
        (["a/b.sv"], "x\n" * 401, ""),
    ]
    problems = []
    for names, text, expected in cases:
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            for name in names:
                (root / name).parent.mkdir(parents=True, exist_ok=True)
                (root / name).write_text(text, encoding="utf-8")
            found = "\n".join(check(root, names))
            if bool(long_sources(root, names)) != (text.count("x") > MOST_LINES):
                problems.append(f"self-test of {names[0]}: whether it is long is wrong")
            if (expected not in found) if expected else found:
                problems.append(f"self-test of {names[0]}: {found or 'nothing was found'}")
            if expected and check(root, names, known=["a"]):
                problems.append(f"self-test of {names[0]}: a known exception was not let through")
            if not expected and not stale(root, names, ["a"]):
                problems.append(f"self-test of {names[0]}: a stale exception was not found")
    for lines in (MOST_OF_WHEEL, MOST_OF_WHEEL + 1):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, WHEEL, "a.py")
            path.parent.mkdir(parents=True)
            path.write_text("x\n" * lines, encoding="utf-8")
            if len(check_wheel(pathlib.Path(folder), [f"{WHEEL}a.py"])) != lines - MOST_OF_WHEEL:
                problems.append(f"self-test of {lines} lines in the wheel is wrong")
    return problems


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--self-test", action="store_true", help="show that each rule can fail")
    options = parser.parse_args()
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    names = [name for name in listed.stdout.splitlines() if (ROOT / name).is_file()]
    problems = check(ROOT, names, KNOWN) + stale(ROOT, names, KNOWN)
    problems += check_wheel(ROOT, names)
    problems += self_test() if options.self_test else []
    if len(names) < 100:
        problems.append(f"only {len(names)} files under {ROOT}: wrong folder?")
    print("\n".join(problems) or f"sizes hold over {len(names)} files")
    if long := long_sources(ROOT, names):
        print(f"more than {MOST_LINES} lines, for a reason? {'; '.join(long)}")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
