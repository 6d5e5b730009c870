# SPDX-License-Identifier: Apache-2.0
"""Platforms, Pythons and their wheels; the table of what ran on which: ``make platforms``.

A check calls `record`; its file in ``bench/results/platforms/`` says what was seen, with which
command, when and at which commit, and is kept in the repository, since no machine sees all of it.
This program writes the table into ``docs/platforms.md``, between two marks.
"""

from __future__ import annotations

import argparse
import datetime
import json
import pathlib
import subprocess
import sys
import textwrap

ROOT = pathlib.Path(__file__).resolve().parent.parent
RECORDS = ROOT / "bench" / "results" / "platforms"
PAGE = ROOT / "docs" / "platforms.md"
BEGIN, END = "<!-- table: make platforms -->", "<!-- end of the table -->"
#: What can be said of a cell, the strongest first.
RESULTS = ("tests ran", "runs under emulation", "compiles", "by the workflow only")
PLATFORMS = {
    "linux-x86_64": "Linux, x86-64, glibc ≥ 2.28",
    "cuda-x86_64": "the same with nttforge-cuda, no card there",
    "h100-x86_64": "the same on a machine with two NVIDIA H100",
    "linux-aarch64": "Linux, aarch64, glibc ≥ 2.28",
    "macos-aarch64": "macOS, Apple silicon",
    "macos-x86_64": "macOS, x86-64",
    "windows-x86_64": "Windows, x86-64",
}
#: No machine of the workflow's is of these kinds.
NOT_OF_THE_WORKFLOW = ("h100-x86_64",)
#: Versions of Python by tag of the wheel that serves them; any of a row can build it.
PYTHONS = {"cp310": ("3.10",), "cp311": ("3.11",), "cp312": ("3.12", "3.13", "3.14")}
STABLE = "cp312"  # of the stable ABI, for later ones too
VERSIONS = tuple(version for row in PYTHONS.values() for version in row)


def tag_of(version: str) -> str:
    """The tag of the wheel for a Python such as "3.11"."""
    return next((tag for tag, row in PYTHONS.items() if version in row), STABLE)


def newest_wheel(
    folder: pathlib.Path, version: str, machine: str, project: str = "nttforge"
) -> pathlib.Path | None:
    """The newest of a project's wheels in a folder for this Python and machine, if there is one."""
    found = folder.glob(f"{project}-*-{tag_of(version)}-*_{machine}.whl")
    return max(found, key=lambda path: path.stat().st_mtime, default=None)


def record(platform: str, python: str, result: str, command: str, **figures: object) -> None:
    """Keep what one check has seen of a platform with a Python, "" for the C++ library alone."""
    if platform not in PLATFORMS or result not in RESULTS:
        raise ValueError(f"{platform}, {result!r}: known are {list(PLATFORMS)} and {RESULTS}")
    commit = subprocess.run(
        ["git", "rev-parse", "--short", "HEAD"], cwd=ROOT, stdout=subprocess.PIPE, text=True
    ).stdout.strip()
    row = {
        "platform": platform,
        "python": python,
        "result": result,
        "command": command,
        "date": datetime.date.today().isoformat(),
        "commit": commit,
        **figures,
    }
    RECORDS.mkdir(parents=True, exist_ok=True)
    path = RECORDS / f"{platform}-{python or 'cpp'}-{result.replace(' ', '-')}.json"
    path.write_text(json.dumps(row, indent=1) + "\n")


def cell(rows: list[dict[str, object]], platform: str, python: str) -> str:
    """The strongest result on record; wheels that nobody built here are the workflow's."""
    found = [row for row in rows if row["platform"] == platform and row["python"] == python]
    for result in RESULTS:
        if any(row["result"] == result for row in found):
            return result
    return RESULTS[-1] if python and platform not in NOT_OF_THE_WORKFLOW else "—"


def table(rows: list[dict[str, object]]) -> str:
    lines = [f"| platform | C++ library | {' | '.join(f'Python {each}' for each in VERSIONS)} |"]
    lines.append("|---" * (len(VERSIONS) + 2) + "|")
    for platform, name in PLATFORMS.items():
        cells = [cell(rows, platform, python) for python in ("", *VERSIONS)]
        lines.append(f"| {name} | {' | '.join(cells)} |")
    commands = sorted({(str(row["command"]), str(row["date"]), str(row["commit"])) for row in rows})
    seen = "; ".join(f"`{command}` on {date} at {commit}" for command, date, commit in commands)
    return "\n".join(
        [*lines, "", textwrap.fill(f"Seen by: {seen}.", 120, break_on_hyphens=False), ""]
    )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--write", action="store_true", help="put the table into docs/platforms.md")
    parser.add_argument(
        "--saw",
        nargs=4,
        metavar=("PLATFORM", "PYTHON", "RESULT", "COMMAND"),
        help="record this alone, after a command that has passed; PYTHON is '' for the C++ library",
    )
    arguments = parser.parse_args()
    if arguments.saw:
        record(*arguments.saw)
        return 0
    rows = [json.loads(path.read_text()) for path in sorted(RECORDS.glob("*.json"))]
    if not rows:
        print(f"platforms: {RECORDS} has no records: run make wheels, make cross or make arm-test")
        return 1
    text = table(rows)
    print(text)
    if arguments.write:
        page = PAGE.read_text()
        before, rest = page.split(BEGIN)
        PAGE.write_text(f"{before}{BEGIN}\n{text}{END}{rest.split(END)[1]}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
