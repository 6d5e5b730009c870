# SPDX-License-Identifier: Apache-2.0
"""What the scripts that run bootstraps of several libraries share: programs, rows, turns."""

from __future__ import annotations

import json
import subprocess
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

Row = dict[str, Any]


def found(folders: Sequence[Path], names: Sequence[str]) -> dict[str, Path]:
    """Where each program is that the folders hold; the first folder that has it counts."""
    places = {}
    for name in names:
        for folder in folders:
            if (folder / name).is_file():
                places[name] = (folder / name).resolve()
                break
    return places


def document_of(command: Sequence[str], environment: Mapping[str, str] | None = None) -> Row:
    """What a program writes to its --json, with the seconds that it ran.

    Raises
    ------
    RuntimeError
        With the program's last line, if it fails: a program that finds a wrong result does.
    """
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder, "out.json")
        start = time.perf_counter()
        done = subprocess.run(
            [*command, "--json", str(out)],
            capture_output=True,
            text=True,
            check=False,
            cwd=folder,
            env=environment,
        )
        if done.returncode != 0:
            said = " ".join((done.stderr or done.stdout).strip().splitlines()[-1:])
            name = " ".join([Path(command[0]).name, *command[1:]])
            raise RuntimeError(f"{name}: {said or f'exit code {done.returncode}'}")
        document: Row = json.loads(out.read_text("utf-8"))
    document["run_seconds"] = round(time.perf_counter() - start, 1)
    return document


def fastest(rows: Sequence[Row]) -> Row:
    """The fastest round of a row, with the spread of all."""
    times = [float(row["min_ns"]) for row in rows]
    best = rows[times.index(min(times))]
    return {**best, "rounds": len(times), "spread": round(max(times) / min(times), 3)}


def keep(path: Path | None, document: Row) -> None:
    """Writes the document, after every program, so that nothing measured is lost."""
    if path is not None:
        path.write_text(json.dumps(document, indent=1) + "\n", "utf-8")
