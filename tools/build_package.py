# SPDX-License-Identifier: Apache-2.0
"""Builds and installs the package by pip and shows how far the compiler is.

  python tools/build_package.py LOG WORDS...     pip's words after "install"

A bar with rate and remaining time on a terminal, a line every ten seconds elsewhere. The log keeps
all that pip and the compiler say; where the build fails its errors are shown. Interrupted, the same
command goes on where it stopped.
"""

from __future__ import annotations

import pathlib
import re
import subprocess
import sys
import time
from typing import Any

#: How ninja begins the line of a finished step, and pip's indentation of it.
STEP = re.compile(r"\s*\[(\d+)/(\d+)\] ")
APART = 10.0
TAIL = 25


class Progress:
    """Files that are compiled, of those that this build compiles."""

    def __init__(self) -> None:
        self._begun = self._said = time.monotonic()
        self._bar: Any = None

    def reached(self, done: int, of: int) -> None:
        if sys.stderr.isatty():
            if self._bar is None:
                from tqdm import tqdm

                self._bar = tqdm(total=of, desc="compiling", unit="file", leave=False)
            self._bar.total = of
            self._bar.update(done - self._bar.n)
            return
        now = time.monotonic()
        if now - self._said >= APART:
            self._said = now
            left = (of - done) * (now - self._begun) / max(1, done)
            print(f"compiling: {done} of {of} files, about {left:.0f} s left", flush=True)

    def close(self) -> None:
        if self._bar is not None:
            self._bar.close()


def errors(lines: list[str]) -> list[str]:
    """What a person needs of a failed build: from the first failed step on, else the end."""
    first = next((i for i, line in enumerate(lines) if "FAILED" in line or "error:" in line), None)
    return lines[-TAIL:] if first is None else lines[first : first + TAIL]


def main(log: pathlib.Path, words: list[str]) -> int:
    log.parent.mkdir(parents=True, exist_ok=True)
    pip = [sys.executable, "-m", "pip", "install", "--verbose", "--disable-pip-version-check"]
    progress, lines = Progress(), []
    build = subprocess.Popen(
        [*pip, *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
    )
    assert build.stdout is not None
    try:
        with log.open("w") as kept:
            for line in build.stdout:
                kept.write(line)
                lines.append(line.rstrip())
                found = STEP.match(line)
                if found:
                    progress.reached(int(found[1]), int(found[2]))
        code = build.wait()
    except KeyboardInterrupt:
        build.terminate()
        build.wait()
        print("\ninterrupted: the same command goes on from here", file=sys.stderr)
        return 130
    finally:
        progress.close()
    if code != 0:
        print("\n".join(errors(lines)), file=sys.stderr)
        print(f"the build failed; all that was said is in {log}", file=sys.stderr)
    return code


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1]), sys.argv[2:]))
