# SPDX-License-Identifier: Apache-2.0
"""Programs that a tool runs: what they print, and an error with its end where they fail."""

from __future__ import annotations

import os
import pathlib
import subprocess
from collections.abc import Sequence

LAST_LINES = 25


def output(
    error: type[Exception],
    words: Sequence[str | pathlib.Path],
    folder: pathlib.Path,
    log: pathlib.Path | None = None,
    **variables: str,
) -> str:
    """What a program prints, without space around it.

    Parameters
    ----------
    error : type
        What is raised where the program fails, with its last lines.
    words : sequence of str or Path
        The program and its arguments.
    folder : Path
        Where it runs.
    log : Path, optional
        Keeps all that it prints.
    **variables : str
        Environment variables beside those of this process.
    """
    done = subprocess.run(
        [str(word) for word in words],
        cwd=folder,
        env={**os.environ, **variables},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    if log is not None:
        log.parent.mkdir(parents=True, exist_ok=True)
        log.write_text(done.stdout)
    if done.returncode != 0:
        tail = "\n".join(done.stdout.splitlines()[-LAST_LINES:])
        where = "" if log is None else f" (all of it: {log})"
        raise error(f"{' '.join(map(str, words[:6]))} failed{where}:\n{tail}")
    return done.stdout.strip()
