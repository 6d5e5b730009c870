# SPDX-License-Identifier: Apache-2.0
"""Verdicts kept in a file, each with the digest of the Verilog that was proved."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, fields
from pathlib import Path

from nttforge.console.output import whole_file
from nttforge.errors import FormatError

from .prover import Verdict, prove, theorem_digest
from .theorem import Theorem


def read_verdicts(path: Path) -> dict[str, Verdict]:
    """The verdicts in a file by name; none where there is no file.

    Raises
    ------
    FormatError
        If the file is not a list of verdicts.
    """
    if not path.is_file():
        return {}
    try:
        lines = json.loads(path.read_text(encoding="utf-8"))
        return {line["name"]: Verdict(**line) for line in lines}
    except (ValueError, TypeError, KeyError) as error:
        names = ", ".join(field.name for field in fields(Verdict))
        raise FormatError(f"{path} must be a list of verdicts with {names}: {error}") from None


def is_proved(theorem: Theorem, known: Verdict | None) -> bool:
    """Whether ``known`` is a verdict on this very theorem and Verilog, with all faults found."""
    return known is not None and known.passed and known.read == theorem_digest(theorem)


def prove_recorded(
    chosen: Sequence[Theorem], path: Path, jobs: int = 1, title: str = ""
) -> tuple[list[Verdict], int]:
    """Proves what ``path`` does not have for today's Verilog, and writes each verdict there.

    Parameters
    ----------
    chosen : sequence of Theorem
    path : Path
        JSON. It is written after every theorem, so that an interrupted command goes on; what it
        has of theorems that were not chosen stays.
    jobs, title
        As in ``prove``.

    Returns
    -------
    tuple
        The verdict on each theorem, and how many were proved now.

    Raises
    ------
    FormatError
        If the file is not a list of verdicts.
    UnsupportedError
        If Yosys (pyosys) or Bitwuzla is missing and there is something to prove.
    """
    known = read_verdicts(path)
    missing = [t for t in chosen if not is_proved(t, known.get(t.name))]
    for theorem in missing:
        known[theorem.name] = prove([theorem], True, jobs, title and theorem.name)[0]
        lines = json.dumps([asdict(v) for v in known.values()], indent=1)
        with whole_file(path) as file:
            file.write(lines + "\n")
    return [known[t.name] for t in chosen], len(missing)
