# SPDX-License-Identifier: Apache-2.0
"""A submission's programs called as a public harness calls them, and the harness itself."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

HERE = Path(__file__).resolve().parent


class Stages:
    """The programs of a submission in a folder, with how long each took.

    Parameters
    ----------
    root : Path
        With ``scripts`` and ``submission``.
    device : str
        The server's.
    programs : str
        Their folder, below ``submission``.
    environment : dict
        Further variables.
    """

    def __init__(self, root: Path, device: str, programs: str, **environment: str) -> None:
        self.root, self.seconds = root, dict[str, float]()
        self._programs = root / "submission" / programs
        self._environment = environment_of(device) | environment
        print(self._run(root / "scripts" / "build_task.sh"), end="", flush=True)

    def stage(self, name: str, *arguments: object) -> str:
        """What one printed; remembers its time, start of the interpreter included."""
        print(f"{name} ...", flush=True)
        begun = time.perf_counter()
        printed = self._run(self._programs / name, *arguments)
        self.seconds[name] = round(time.perf_counter() - begun, 3)
        return printed

    def _run(self, *command: object) -> str:
        return subprocess.run(
            [str(part) for part in command],
            cwd=self.root,
            env=self._environment,
            check=True,
            stdout=subprocess.PIPE,
            text=True,
        ).stdout


def environment_of(device: str) -> dict[str, str]:
    """What a submission's programs find: this interpreter, and the server's device."""
    names = ("ZN_DEVICE", "ML_DEVICE", "FETCH_DEVICE")
    return {**os.environ, "PYTHON": sys.executable, **dict.fromkeys(names, device)}


def bytes_of(*places: Path) -> int:
    """What files, or those in folders, hold."""
    files = [file for place in places for file in (place.iterdir() if place.is_dir() else [place])]
    return sum(file.stat().st_size for file in files)


def by_harness(clone: Path, workload: str, arguments: Sequence[str], device: str) -> None:
    """The public harness with a submission in place of its reference."""
    if not (clone / "harness" / "run_submission.py").is_file():
        raise SystemExit(f"{clone}: no harness/run_submission.py: clone the harness there first")
    for name in ("submission", "scripts"):
        shutil.rmtree(clone / name, ignore_errors=True)
        shutil.copytree(HERE / workload / name, clone / name)
    program = [sys.executable, "harness/run_submission.py", *arguments]
    done = subprocess.run(program, cwd=clone, env=environment_of(device))
    if done.returncode:
        raise SystemExit(done.returncode)
