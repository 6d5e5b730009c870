# SPDX-License-Identifier: Apache-2.0
"""Runs of random sets of designs: results line by line, gone on with after an interruption."""

from __future__ import annotations

import argparse
import hashlib
import json
import re
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from nttforge.console.arguments import integer
from nttforge.console.scheduler import add_scheduler, on_scheduler
from nttforge.errors import ClusterError, ParameterError, UnsupportedError

from .._parallel import run_parallel, usable_cores
from .icarus import require_icarus
from .programs import tool_version
from .verilate import runtime_library


def emitted_digest(files: dict[str, str]) -> str:
    """Digest of everything that is simulated for a set, without comments."""
    total = hashlib.sha256()
    folders = ("rtl/", "models/", "testbench/", "twiddles/", "tables/")
    for name in sorted(name for name in files if name.startswith(folders)):
        text = re.sub(r"\s*//.*", "", files[name])
        total.update(f"{name}\0{len(text)}\0{text}".encode())
    return total.hexdigest()[:16]


def read_results(path: Path) -> dict[int, dict[str, Any]]:
    """The last line of each set."""
    if not path.is_file():
        return {}
    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    return {line["set"]: line for line in lines}


def check_one(
    emit: Callable[[int], dict[str, str]],
    check: Callable[[int, Path, dict[str, str]], dict[str, Any]],
    item: tuple[int, str],
) -> dict[str, Any] | None:
    """The line of a set, or None where the digest of what is emitted for it is the given one.

    ``emit`` gives the files of a number, ``check`` its line, from the number, a folder that is
    removed afterwards, and the files.
    """
    number, known = item
    folder = Path(tempfile.mkdtemp(prefix="nttforge-set-"))
    try:
        files = emit(number)
        digest = emitted_digest(files)
        if digest == known:
            return None
        return check(number, folder, files) | {"emitted": digest}
    except Exception as error:  # one set that fails is a result, not the end of the others
        return {"set": number, "ok": False, "messages": f"{type(error).__name__}: {error}"}
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def run_sets(
    numbers: Sequence[int],
    jobs: int,
    path: Path,
    check: Callable[[tuple[int, str]], dict[str, Any] | None],
    effort: Callable[[int], int],
    icarus: bool = False,
) -> list[dict[str, Any]]:
    """Checks the sets that ``path`` does not have yet and adds a line for each.

    A set is left out if it was right with the same tool and what is emitted for it is the same.

    Parameters
    ----------
    numbers : sequence of int
    jobs : int
        Processes.
    path : Path
        JSON, a line for each set, appended as they end.
    check, effort : callable
        The line of a set, from its number and the digest of what is known of it, or None where
        its digest is that; a guess of how long it takes.
    icarus : bool
        ``check`` simulates in Icarus alone, and nothing is prepared for Verilator.

    Returns
    -------
    list of dict
        One for each number, in their order.

    Raises
    ------
    UnsupportedError
        If the simulator is missing.
    """
    tool = require_icarus() if icarus else tool_version("verilator", "Verilator")
    done = read_results(path)
    known = {n: x["emitted"] for n, x in done.items() if x["ok"] and x["tool"] == tool}
    items = [(n, known.get(n, "")) for n in sorted(numbers, key=effort, reverse=jobs > 1)]
    path.parent.mkdir(parents=True, exist_ok=True)
    if not icarus:
        runtime_library()
    with path.open("a", encoding="utf-8") as file:
        for (number, _), line in run_parallel(
            check, items, jobs, "sets", lambda item: f"set {item[0]}"
        ):
            if line is not None:
                done[number] = line | {"tool": tool}
                file.write(json.dumps(done[number]) + "\n")
                file.flush()
    return [done[n] for n in numbers]


def set_range(text: str, count: int) -> range:
    """The numbers of ``FIRST:END``."""
    first, _, last = text.partition(":")
    try:
        numbers = range(int(first), int(last))
    except ValueError:
        numbers = range(0)
    if not numbers or numbers[0] < 0:
        raise ParameterError(f"--sets = {text!r} must be FIRST:END, such as 0:{count}")
    return numbers


def command(
    arguments: Sequence[str] | None,
    name: str,
    description: str,
    count: int,
    run: Callable[[Sequence[int], int, Path], list[dict[str, Any]]],
    run_icarus: Callable[[Sequence[int], int, Path], list[dict[str, Any]]] | None = None,
) -> int:
    """The command of a module of random sets: runs them and says which were wrong.

    ``run_icarus``: what --icarus does instead of ``run``, where there is such an option.
    """
    parser = argparse.ArgumentParser(
        prog=f"python -m nttforge_hardware.tools.{name}",
        description=description,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--sets", default=f"0:{count}", help=f"FIRST:END (default 0:{count})")
    parser.add_argument(
        "--jobs", type=integer, default=usable_cores(), help="processes (all cores)"
    )
    out = f"out/{name.replace('random_', 'hardware_')}"
    parser.add_argument(
        "--out", help=f"results, added to and resumed from (default {out}.jsonl, ..._icarus.jsonl)"
    )
    if run_icarus is not None:
        parser.add_argument(
            "--icarus", action="store_true", help="the sets that Icarus runs too, in Icarus alone"
        )
    add_scheduler(parser)
    options = parser.parse_args(arguments)
    icarus = getattr(options, "icarus", False)
    chosen = run_icarus if run_icarus is not None and icarus else run
    path = Path(options.out or f"{out}{'_icarus' * icarus}.jsonl")
    start = time.perf_counter()
    try:
        with on_scheduler(options):
            lines = chosen(set_range(options.sets, count), options.jobs, path)
    except (ParameterError, ClusterError, UnsupportedError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    wrong = [line for line in lines if not line["ok"]]
    for line in wrong:
        print(f"set {line['set']}: {line}")
    print(
        f"{len(lines) - len(wrong)} of {len(lines)} sets bit-exact, with the predicted cycles; "
        f"{time.perf_counter() - start:.0f} s with {options.jobs} processes"
    )
    return 1 if wrong else 0
