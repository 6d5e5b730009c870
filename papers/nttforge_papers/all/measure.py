# SPDX-License-Identifier: Apache-2.0
"""What this machine measures for the report: one step after the other, each kept as it ends."""

from __future__ import annotations

import contextlib
import datetime
import io
import json
import os
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from nttforge._processes import run as run_program
from nttforge.console.output import progress, whole_file
from nttforge.errors import NttforgeError

from .sources import Source, read

#: Rounds of the algorithms' timing, and of --quick.
ROUNDS, QUICK_ROUNDS = 40, 10


@dataclass(frozen=True)
class Step:
    """A document that is measured or computed here."""

    name: str
    says: str
    make: Callable[[Path], Any]


def steps(quick: bool, kept: Mapping[str, Source], programs: Path | None) -> list[Step]:
    """What can be done on this machine, in order.

    Parameters
    ----------
    quick : bool
        Nothing that takes more than some seconds.
    kept : mapping
        The kept results: what is the same on every machine is computed only where it is not kept.
    programs : Path, optional
        Folder of benchmark programs.
    """
    found = []
    if "yan22" not in kept:
        found.append(Step("yan22", "designs of [Yan22]", _yan22))
    rounds = QUICK_ROUNDS if quick else ROUNDS
    found.append(Step("nttsuite-cpu", "algorithms of [Din24], CPU", lambda _: _nttsuite(rounds)))
    found.append(Step("bad18b-depth", "depth of [Bad18b]'s sets", lambda _: _depth()))
    if quick:
        return found
    if "nttsuite-hardware" not in kept:
        found.append(Step("nttsuite-hardware", "dataflows of [Din24]", lambda _: _dataflows()))
    if _cards():
        for key in ("kim20", "bad18a"):
            found.append(Step(key, f"kernels of [{key}]", _gpu_paper(key, programs)))
        found.append(Step("nttsuite-gpu", "algorithms of [Din24], card", _seven(programs)))
        found.append(Step("bad18b", "[Bad18b], CPU and card", _bad18b("cuda", programs)))
    else:
        found.append(Step("bad18b-here", "[Bad18b], CPU", _bad18b("cpu", programs)))
    return found


def measure(
    folder: Path, wanted: list[Step], quick: bool, again: bool
) -> tuple[dict[str, Source], list[str]]:
    """Runs the steps whose documents are not in ``folder`` yet, of this machine and this version.

    ``quick`` is kept beside a document: what --quick measured is measured again without it.

    Returns
    -------
    (dict, list of str)
        The documents, and for each step that failed a sentence that says why.
    """
    found, failed, asked = {}, [], _asked(quick)
    for step in progress(wanted, "papers", lambda s: s.says):
        path = folder / f"{step.name}.json"
        if again or not _is_kept(path, asked):
            try:
                with _logged(folder / "log.txt"):
                    content = step.make(folder / "raw")
            except (NttforgeError, OSError) as error:
                failed.append(f"{step.says}: not measured here: {error}")
                continue
            today = datetime.date.today().isoformat()
            with whole_file(path) as file:
                file.write(json.dumps({**content, "date": today, "asked": asked}) + "\n")
        found[step.name] = read(step.name, path, path.as_posix(), kept=False)
    return found, failed


def _asked(quick: bool) -> dict[str, Any]:
    """What a document kept in the folder must have been made by."""
    from nttforge import __version__, describe_cpu

    cards = _cards()
    return {"quick": quick, "version": __version__, "cpu": describe_cpu().brand, "cards": cards}


def _is_kept(path: Path, asked: dict[str, Any]) -> bool:
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return False
    return isinstance(content, dict) and content.get("asked") == asked


@contextlib.contextmanager
def _logged(path: Path) -> Iterator[None]:
    """What the parts and their programs print goes into a file; a terminal shows our bar alone."""
    path.parent.mkdir(parents=True, exist_ok=True)
    sys.stdout.flush()
    with path.open("a", encoding="utf-8") as log, contextlib.ExitStack() as undo:
        kept = os.dup(1)
        undo.callback(os.close, kept)
        undo.callback(os.dup2, kept, 1)
        os.dup2(log.fileno(), 1)  # for programs, which inherit it
        undo.enter_context(contextlib.redirect_stdout(log))
        if sys.stderr.isatty():
            undo.enter_context(contextlib.redirect_stderr(io.StringIO()))
        yield


def _yan22(_: Path) -> Any:
    from .. import yan22

    return yan22.reproduce()


def _nttsuite(rounds: int) -> Any:
    from ..nttsuite import cpu

    return cpu.measure(60, rounds)


def _depth() -> Any:
    """In a process of its own: keys are made, which a process that speaks to Dask refuses."""
    words = [sys.executable, "-m", "nttforge_papers.bad18b.depth"]
    done = run_program(words)
    if done.returncode != 0:
        raise NttforgeError(f"the depths are not measured: {done.stderr.strip()}")
    return json.loads(done.stdout)


def _dataflows() -> Any:
    from nttforge_hardware._parallel import usable_cores

    from ..nttsuite import hardware

    return hardware.reproduce(None, usable_cores())


def _cards() -> list[str]:
    from nttforge import cuda

    return [device.card for device in cuda.devices()] if cuda.is_available() else []


def _gpu_paper(key: str, programs: Path | None) -> Callable[[Path], Any]:
    def make(folder: Path) -> Any:
        from .. import _gpu, bad18a, kim20

        metrics = {"kim20": kim20.METRICS, "bad18a": bad18a.METRICS}[key]
        _gpu.measure(key, folder / key, programs, metrics, with_engine=True)
        return _gpu.merge(key, folder / key, metrics)

    return make


def _seven(programs: Path | None) -> Callable[[Path], Any]:
    def make(folder: Path) -> Any:
        from ..nttsuite import gpu

        return gpu.measure(folder / "nttsuite", programs)

    return make


def _bad18b(device: str, programs: Path | None) -> Callable[[Path], Any]:
    def make(folder: Path) -> Any:
        from ..bad18b.measure import measure as run
        from ..bad18b.measure import merge

        run(folder / "bad18b", device, programs, None, [])
        return merge(folder / "bad18b")

    return make
