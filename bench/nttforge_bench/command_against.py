# SPDX-License-Identifier: Apache-2.0
"""``nttforge bench cpu|gpu --against OTHER_BUILD``: this build and another one in turns."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

from nttforge import _processes
from nttforge._system import usable_cpus
from nttforge.console.output import whole_file
from nttforge.errors import ParameterError, UnsupportedError

from . import against, documents, programs, rounds

#: Parts that say nothing about a build, or depend on what the machine's other cores do.
_LEFT_OUT = ("ceilings", "threads")
_PROGRAMS = {
    "transforms": "ntt_bench",
    "products": "ntt_bench",
    "threads": "ntt_bench",
    "rns": "rns_bench",
    "bfv": "bfv_bench",
}
_KINDS = {"transforms": "transform", "products": "product", "threads": "batch"}
#: log2 of the sizes that a program has, where they are not ours to choose.
_SIZES = {
    "rns": range(12, 16),
    "bfv": range(11, 16),
    "gpu": range(12, 18),
    "package bfv": range(12, 16),
}


def check(options: argparse.Namespace) -> None:
    """Raises ParameterError for options that do not go with a comparison, or only with one."""
    if options.against is None:
        if options.limit is not None:
            raise ParameterError("--limit goes with --against: it compares two builds")
        return
    for name in ("peers", "merge"):
        if getattr(options, name):
            raise ParameterError(f"--{name} does not go with --against: it compares two builds")
    if options.kind == "call":
        raise ParameterError("--kind call does not go with --against: leave it out")
    if options.limit is not None and not 0 < options.limit <= 10:
        raise ParameterError(f"--limit = {options.limit:.4g} must be above 0% and at most 1000%")


def run(options: argparse.Namespace) -> int:
    """Measures, prints and writes; 0, or 1 with a cell beyond the limit, or 130 if interrupted."""
    comparison = _comparison(options)
    path = options.out / ("gpu-against.json" if options.device == "gpu" else "against.json")

    def keep(progress: rounds.Progress) -> None:
        comparison.take(progress)
        with whole_file(path) as file:
            file.write(documents.dump(comparison.document(progress)))

    number = options.rounds or (100 if options.budget else 3)
    wanted = comparison.wanted * (1 if options.budget else number)
    progress = rounds.measure_rounds(
        comparison.rounds(number), options.out / "raw", keep, wanted, options.budget
    )
    if progress.interrupted and not progress.documents:
        raise KeyboardInterrupt
    keep(progress)
    print("\n" + comparison.report())
    print(f"\nwritten: {path}")
    if progress.interrupted:
        return 130
    return 1 if comparison.beyond() else 0


def _comparison(options: argparse.Namespace) -> against.Comparison:
    on_gpu = options.device == "gpu"
    python = _python_of(options.against)
    if python:
        parts = _package_parts(options)
    else:
        parts = _gpu_parts(options) if on_gpu else _parts(options)
    if not parts:
        raise ParameterError("nothing can be compared: --only and the sizes leave no part")
    if python:
        mine, theirs = _package(Path(sys.executable)), _package(python)
        return against.Comparison(mine, theirs, parts, options.limit)
    names = tuple(dict.fromkeys(part.program for part in parts))
    this = programs.find(options.programs, Path.cwd(), names)
    other = _other_programs(options.against, names)
    commit = options.commit or programs.commit(_clone(this))
    mine = against.Build(this, commit, programs.compile_flags(this))
    described = programs.described_commit(_clone(other))
    theirs = against.Build(other, described, programs.compile_flags(other))
    statistic = "median_ns" if on_gpu else "min_ns"
    return against.Comparison(mine, theirs, parts, options.limit, statistic)


def _python_of(place: Path) -> Path | None:
    """The Python that ``place`` names: itself, or that of a virtual environment."""
    for python in (place, place / "bin/python"):
        if python.is_file() and python.name.startswith("python") and os.access(python, os.X_OK):
            return python.absolute()
    return None


def _package(python: Path) -> against.Build:
    """The package that a Python has installed, with its version."""
    ask = "import nttforge; print(nttforge.__version__)"
    done = _processes.run([python, "-I", "-c", ask])
    if done.returncode != 0:
        last = (done.stderr.strip().splitlines() or ["no output"])[-1]
        raise UnsupportedError(f"{python} has no working nttforge ({last}): pip install it there")
    script = Path(against.__file__).with_name("package_cells.py")
    return against.Build(python, done.stdout.strip(), "installed package", script)


def _core(options: argparse.Namespace) -> int | None:
    """Where programs of one thread run; None where the system keeps none on a core."""
    core: int | None = options.core
    return usable_cpus()[-1] if core is None and rounds.can_pin() else core


def _package_parts(options: argparse.Namespace) -> list[against.Part]:
    if options.device == "gpu" or options.programs:
        raise ParameterError("an installed package is compared on CPUs, without --programs")
    core = _core(options)
    kinds = {"transforms": "transform", "bfv": "bfv"}
    parts = []
    for name in options.only or kinds:
        for log_n in range(options.min_log_n, options.max_log_n + 1):
            if name in kinds and (name != "bfv" or log_n in _SIZES["package bfv"]):
                words = ["--kind", kinds[name], "--log-n", str(log_n), "--runs", str(options.runs)]
                parts.append(against.Part(f"package-{name}-{log_n}", "", words, core))
    return parts


def _clone(folder: Path) -> Path | None:
    return programs.clone_root(folder.resolve())


def _other_programs(place: Path, names: tuple[str, ...]) -> Path:
    """The folder of the other build's programs, which are built if ``place`` is a clone."""
    if all((place / name).is_file() for name in names):
        return place
    if programs.clone_root(place.resolve()) == place.resolve():
        return programs.find(None, place.resolve(), names)
    raise UnsupportedError(
        f"--against {place} is neither a build folder with {', '.join(names)} nor a clone of the "
        "repository nor a Python: build the programs there with cmake -DNTTFORGE_BENCH=ON, or name "
        "a clone, or a Python in which nttforge is installed"
    )


def _parts(options: argparse.Namespace) -> list[against.Part]:
    """One part for each kind of cell and each size: both builds measure it close in time."""
    only = options.only or [name for name in _PROGRAMS if name not in _LEFT_OUT]
    core = _core(options)
    times = ["--runs", str(options.runs), "--run-us", f"{options.run_us:g}"]
    asked = range(options.min_log_n, options.max_log_n + 1)
    parts = []
    for name in only:
        for log_n in asked:
            n, label = str(1 << log_n), f"{name}-{log_n}"
            if name not in _PROGRAMS or log_n not in _SIZES.get(name, asked):
                continue
            if name == "rns":
                words = ["--n", n, "--clock", "thread"]
            elif name == "bfv":
                words = ["--only", n, "--clock", "thread", "--seconds", f"{options.seconds:g}"]
            else:
                size = ["--min-log-n", str(log_n), "--max-log-n", str(log_n), "--step", "1"]
                words = ["--kind", _KINDS[name], "--recipes", "chosen", *size, *times]
            alone = None if name == "threads" else core
            parts.append(against.Part(label, _PROGRAMS[name], words, alone))
    return parts


def _gpu_parts(options: argparse.Namespace) -> list[against.Part]:
    parts = []
    for log_n in _SIZES["gpu"]:
        if options.min_log_n <= log_n <= options.max_log_n:
            size = ["--min-log-n", str(log_n), "--max-log-n", str(log_n)]
            words = ["--runs", str(options.runs), *size]
            parts.append(against.Part(f"gpu-{log_n}", "gpu_bench", words))
    return parts
