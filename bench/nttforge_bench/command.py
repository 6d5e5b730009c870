# SPDX-License-Identifier: Apache-2.0
"""Measure this machine: transforms, BFV, the core's own ceilings, or the GPU, and other libraries.

Every program checks its results before it times anything, and refuses to run from an unoptimised
build. Figures are the best of several rounds in which all programs take turns. Inside a clone the
programs are built on demand; 'make bench' does the same.

OUT/cpu.json is written again after every program; an interrupt (Ctrl-C, kill) reports what was
measured so far, exit code 130. --budget 600 measures for ten minutes instead of three rounds.

examples:
  nttforge bench cpu                                  ceilings, transforms, products, threads, BFV
  nttforge bench cpu --peers ~/peers                  the same beside the libraries installed there
  nttforge bench cpu --only transforms --max-log-n 14 --rounds 1
  nttforge bench cpu --against ../before --limit 3%    this build and another clone's in turns
  nttforge bench cpu --merge bench/results/NAME/cpu.json.gz --out out/again   show kept figures
  nttforge bench gpu --peers ~/gpu-peers              every cell of the GPU grid with its floors
  nttforge bench gpu --kind call                      what a call costs from C++, CuPy and PyTorch
  nttforge bench cluster                              two worker processes beside one (minutes)
  nttforge bench gpu --kind bfv --peers ~/gpu-peers   every operation of BFV on one GPU
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

from nttforge._system import usable_cpus
from nttforge.console.arguments import add_command, integer, number
from nttforge.console.output import require_writable, whole_file
from nttforge.errors import ParameterError

from . import command_against, command_cluster
from .console import can_plot, percentage
from .rounds import Step, can_pin

KINDS = ("transform", "call", "bfv")
_PYTHON_CALLS = "python-call"
PARTS = ("ceilings", "transforms", "products", "threads", "rns", "bfv")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    commands = {
        "cpu": "ceilings, transforms, products, threads, RNS and BFV of this machine",
        "gpu": "every cell of the GPU grid with its floors",
        "cluster": "scoring by one and two worker processes, the engine's cost, empty tasks",
    }
    add_command(parser, "device", commands)
    parser.add_argument("--out", type=Path, default=Path("out/bench"), help="default out/bench")
    parser.add_argument("--only", nargs="+", choices=PARTS, help="some parts (default: all)")
    parser.add_argument(
        "--kind", choices=KINDS, help="on a GPU: transforms (default), calls or BFV"
    )
    parser.add_argument("--peers", type=Path, help="folder of other libraries or peer_* programs")
    parser.add_argument(
        "--against",
        type=Path,
        metavar="OTHER_BUILD",
        help="clone, build folder with benchmark programs, or Python with nttforge: compare this "
        "build with it, cell by cell and in turns, without ceilings and threads unless --only "
        "names them",
    )
    parser.add_argument(
        "--limit",
        type=percentage,
        help="with --against: exit code 1 if a cell is slower by more than this, as in 3%%",
    )
    parser.add_argument("--programs", type=Path, help="folder of our benchmark programs")
    parser.add_argument(
        "--rounds", type=integer, help="rounds over all programs (default 3; with --budget 100)"
    )
    parser.add_argument("--budget", type=number, help="seconds: begin nothing that ends after them")
    parser.add_argument(
        "--runs", type=integer, default=40, help="runs of each transform (default 40)"
    )
    parser.add_argument("--run-us", type=number, default=200, help="length of a run (default 200)")
    parser.add_argument("--seconds", type=number, default=0.2, help="for a BFV operation (0.2)")
    parser.add_argument("--min-log-n", type=integer, default=10, help="smallest transform (10)")
    parser.add_argument("--max-log-n", type=integer, default=17, help="largest transform (17)")
    parser.add_argument("--core", type=integer, help="pin single-threaded programs to this core")
    parser.add_argument(
        "--merge", type=Path, help="run nothing: a cpu.json, or a folder of programs' documents"
    )
    parser.add_argument("--commit", help="commit of the programs, if not this clone's")
    parser.add_argument("--records", type=integer, default=2**20, help="cluster: records (2^20)")
    parser.add_argument("--tasks", type=integer, default=10**5, help="cluster: empty tasks (10^5)")
    parser.add_argument("--scratch", type=Path, help="cluster: folder for 2 GB of ciphertexts")
    parser.add_argument("--no-plot", action="store_true", help="tables and JSON only")


def run(options: argparse.Namespace) -> int:
    from . import documents, model

    if options.device == "cluster":
        return command_cluster.run(options)
    _check(options)
    if options.against:
        return command_against.run(options)
    if options.device == "gpu":
        return _run_gpu(options)
    if options.merge and options.merge.is_file():
        document = documents.load_merged(options.merge)
    elif options.merge:
        document = documents.merge(documents.load_folder(options.merge))
    else:
        document, interrupted = _measure(options, options.out / "cpu.json", _merged)
        _show(document, options)
        return 130 if interrupted else 0
    model.annotate(document)
    _write(document, options.out / "cpu.json")
    _show(document, options)
    return 0


def _merged(read: list[dict[str, Any]]) -> dict[str, Any]:
    from . import documents, model

    document = documents.merge(read)
    model.annotate(document)
    return document


def _write(document: dict[str, Any], path: Path) -> None:
    from . import documents, goals

    if document["schema"] == documents.MERGED:
        document["goals"] = [verdict.to_json() for verdict in goals.judge(document)]
    with whole_file(path) as file:
        file.write(documents.dump(document))


def _show(document: dict[str, Any], options: argparse.Namespace) -> None:
    from . import goals

    _print(document, goals.judge(document))
    written = [options.out / "cpu.json"]
    if not options.no_plot:
        written += _plots(document, options.out)
    print("\nwritten: " + ", ".join(map(str, written)))


def _run_gpu(options: argparse.Namespace) -> int:
    from . import gpu, report

    if options.kind == "bfv":
        return _run_gpu_bfv(options)
    path = options.out / ("gpu-call.json" if options.kind == "call" else "gpu.json")
    merged, interrupted = _merged_gpu(options, path, gpu)
    if options.merge:
        if merged.get("calls") and not merged["cells"]:
            path = options.out / "gpu-call.json"
        _write(merged, path)
    print("\n".join(["", *report.incomplete(merged), gpu.report(merged)]))
    written = [path]
    if merged["cells"] and not options.no_plot and can_plot():
        for direction in ("forward", "inverse"):
            written.append(options.out / f"gpu-{direction}.png")
            gpu.plot(merged, written[-1], direction)
    print("\nwritten: " + ", ".join(map(str, written)))
    return 130 if interrupted else 0


def _run_gpu_bfv(options: argparse.Namespace) -> int:
    from . import gpu_bfv, report

    path = options.out / "gpu-bfv.json"
    merged, interrupted = _merged_gpu(options, path, gpu_bfv)
    if options.merge:
        _write(merged, path)
    print("\n".join(["", *report.incomplete(merged), gpu_bfv.report(merged)]))
    written = [path, options.out / "gpu-bfv.md"]
    with whole_file(written[-1]) as file:
        file.write(gpu_bfv.markdown(merged))
    if not options.no_plot and can_plot():
        written.append(options.out / "gpu-bfv.png")
        gpu_bfv.plot(merged, written[-1])
    print("\nwritten: " + ", ".join(map(str, written)))
    return 130 if interrupted else 0


def _merged_gpu(
    options: argparse.Namespace, path: Path, kind: ModuleType
) -> tuple[dict[str, Any], bool]:
    """What --merge names, or what is measured now, and whether that was interrupted."""
    from . import documents

    if not options.merge:
        return _measure(options, path, kind.merge)
    if options.merge.is_file():
        return kind.load_merged(options.merge), False
    return kind.merge(documents.load_folder(options.merge)), False


def _measure(
    options: argparse.Namespace,
    path: Path,
    merge: Callable[[list[dict[str, Any]]], dict[str, Any]],
) -> tuple[dict[str, Any], bool]:
    """Runs everything, round by round, writing what there is to ``path`` after each program; the
    programs' documents are also kept in OUT/raw. Returns the whole, and whether it was interrupted.
    """
    from . import rounds

    def keep(progress: rounds.Progress) -> None:
        _write(progress.mark(merge(progress.documents)), path)

    number = options.rounds or (100 if options.budget else 3)
    steps = _steps(options)
    progress = rounds.measure(steps, options.out / "raw", keep, number, options.budget)
    if not progress.documents:
        if progress.interrupted:
            raise KeyboardInterrupt
        raise ParameterError("nothing was measured: --only names no program that could run")
    keep(progress)
    return progress.mark(merge(progress.documents)), progress.interrupted


def _steps(options: argparse.Namespace) -> list[Step]:
    from . import programs

    here = Path.cwd()
    on_gpu = options.device == "gpu"
    names: tuple[str, ...] = programs.OURS_GPU if on_gpu else programs.OURS
    if options.kind in programs.OF_KIND:
        names = programs.OF_KIND[options.kind]
    ours = programs.find(options.programs, here, names)
    root = programs.clone_root(here)
    peers = []
    if options.peers:
        work = options.out / "peers"
        peers = programs.peer_programs(options.peers, ours, root, work, gpu=on_gpu)
        if on_gpu:
            peers = programs.of_kind(peers, options.kind == "bfv")
    origin = ["--commit", options.commit or programs.commit(root)]
    if not on_gpu:
        origin += ["--flags", programs.compile_flags(ours)]
    schedule = _gpu_schedule if on_gpu else _schedule
    steps = []
    for name, program, words in schedule(options, ours, peers):
        mine = program.parent == ours or name == _PYTHON_CALLS
        core = None if name == "threads" else options.core
        steps.append(Step(name, program, words + (origin if mine else []), mine, core))
    return steps


def _check(options: argparse.Namespace) -> None:
    if options.merge and not options.merge.exists():
        raise ParameterError(f"--merge {options.merge}: there is no such file or folder")
    ranges = (("rounds", 1, 100), ("runs", 3, 100000), ("run_us", 1, 1e6), ("budget", 1, 1e6))
    for name, low, high in ranges:
        value = getattr(options, name)
        if value is not None and not low <= value <= high:
            raise ParameterError(
                f"--{name.replace('_', '-')} = {value} must be from {low} to {high:g}"
            )
    if not 5 <= options.min_log_n <= options.max_log_n <= 24:
        raise ParameterError(
            f"--min-log-n = {options.min_log_n}, --max-log-n = {options.max_log_n}: "
            "need 5 <= min <= max <= 24"
        )
    if options.core is not None and not can_pin():
        raise ParameterError("--core: this system keeps no program on one core: leave it out")
    if options.core is not None and options.core not in usable_cpus():
        usable = ", ".join(map(str, usable_cpus()))
        raise ParameterError(
            f"--core {options.core} cannot be used by this process: one of {usable}"
        )
    if options.kind and options.device != "gpu":
        raise ParameterError(f"--kind {options.kind} goes with gpu: on a CPU --only chooses")
    if options.kind == "call" and options.peers:
        raise ParameterError("--kind call measures our own calls: leave --peers out")
    command_against.check(options)
    require_writable(options.out)


def _schedule(
    options: argparse.Namespace, ours: Path, peers: list[Path]
) -> list[tuple[str, Path, list[str]]]:
    """Name, program and options of everything in one round; transforms of all, then BFV of all."""
    times = ["--runs", str(options.runs), "--run-us", f"{options.run_us:g}"]
    sizes = ["--min-log-n", str(options.min_log_n), "--max-log-n", str(options.max_log_n)]
    grid = ["--step", "1", "--recipes", "chosen", *times, *sizes]
    labels = {peer: f"{peer.name}-{i}" for i, peer in enumerate(peers)}
    only = options.only or PARTS
    plan: list[tuple[str, Path, list[str]]] = []
    if "ceilings" in only:
        plan.append(("ceilings", ours / "ceilings_bench", []))
    if "transforms" in only:
        plan.append(("transforms", ours / "ntt_bench", ["--kind", "transform", *grid]))
        plan += [(labels[p], p, ["--kind", "transform", *times, *sizes]) for p in peers]
    if "products" in only:
        plan.append(("products", ours / "ntt_bench", ["--kind", "product", *grid]))
    if "threads" in only:
        plan.append(("threads", ours / "ntt_bench", ["--kind", "batch", "--threads", "2", *grid]))
    if "rns" in only:
        plan.append(("rns", ours / "rns_bench", []))
    if "bfv" in only:
        seconds = ["--seconds", f"{options.seconds:g}"]
        plan.append(("bfv", ours / "bfv_bench", seconds))
        with_bfv = [p for p in peers if p.name.startswith(("peer_seal", "peer_openfhe"))]
        plan += [(f"{labels[p]}-bfv", p, ["--kind", "bfv", *seconds]) for p in with_bfv]
    return plan


def _gpu_schedule(
    options: argparse.Namespace, ours: Path, peers: list[Path]
) -> list[tuple[str, Path, list[str]]]:
    if options.kind == "call":
        words = ["--runs", str(options.runs)]
        return [
            ("gpu_bench-call", ours / "gpu_bench", ["--kind", "call", *words]),
            (_PYTHON_CALLS, Path(sys.executable), ["-m", "nttforge_bench.calls", *words]),
        ]
    if options.kind == "bfv":
        words = ["--runs", str(options.runs)]
        plan = [("gpu_bfv_bench", ours / "gpu_bfv_bench", ["--what", "both", *words])]
        return plan + [(f"{peer.name}-{i}", peer, words) for i, peer in enumerate(peers)]
    low, high = max(12, options.min_log_n), min(17, options.max_log_n)
    words = ["--runs", str(options.runs), "--min-log-n", str(low), "--max-log-n", str(high)]
    return [(program.name, program, words) for program in (ours / "gpu_bench", *peers)]


def _print(document: dict[str, Any], verdicts: list[Any]) -> None:
    from . import report
    from .documents import select

    print("\n".join(["", *report.incomplete(document), report.machine_line(document), ""]))
    if select(document["results"], kind="transform"):
        print(report.transforms(document), report.bounds(document), sep="\n\n")
    if select(document["results"], kind="bfv"):
        print("\n" + report.bfv(document))
    print("\n" + report.goals(verdicts))


def _plots(document: dict[str, Any], out: Path) -> list[Path]:
    from . import plot
    from .documents import select

    if not can_plot():
        return []
    written = []
    if select(document["results"], kind="transform"):
        for direction in ("forward", "inverse"):
            path = out / f"transforms-{direction}.png"
            plot.transforms(document, path, direction)
            written.append(path)
    if select(document["results"], kind="bfv"):
        plot.bfv(document, out / "bfv.png")
        written.append(out / "bfv.png")
    return written
