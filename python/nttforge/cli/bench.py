"""Measure this machine: transforms, BFV, the core's own ceilings, or the GPU, and other libraries.

Every program checks its results before it times anything, and refuses to run from an unoptimised
build. Figures are the best of several rounds in which all programs take turns. Inside a clone the
programs are built on demand; 'make bench' does the same.

examples:
  nttforge bench cpu                                  ceilings, transforms, products, threads, BFV
  nttforge bench cpu --peers ~/peers                  the same beside the libraries installed there
  nttforge bench cpu --only transforms --max-log-n 14 --rounds 1
  nttforge bench cpu --merge bench/results/NAME/cpu.json --out out/again      show kept figures
  nttforge bench gpu --peers ~/gpu-peers              every cell of the GPU grid with its floors
"""

from __future__ import annotations

import argparse
import os
from pathlib import Path
from typing import Any

from ..errors import NttforgeError, ParameterError
from .output import whole_file

PARTS = ("ceilings", "transforms", "products", "threads", "rns", "bfv")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("device", choices=["cpu", "gpu"], help="what to measure")
    parser.add_argument("--out", type=Path, default=Path("out/bench"), help="default out/bench")
    parser.add_argument("--only", nargs="+", choices=PARTS, default=list(PARTS), help="some parts")
    parser.add_argument("--peers", type=Path, help="folder of other libraries or peer_* programs")
    parser.add_argument("--programs", type=Path, help="folder of our benchmark programs")
    parser.add_argument(
        "--rounds", type=int, default=3, help="rounds over all programs (default 3)"
    )
    parser.add_argument("--runs", type=int, default=40, help="runs of each transform (default 40)")
    parser.add_argument("--run-us", type=float, default=200, help="length of a run (default 200)")
    parser.add_argument("--seconds", type=float, default=0.2, help="for a BFV operation (0.2)")
    parser.add_argument("--min-log-n", type=int, default=10, help="smallest transform (10)")
    parser.add_argument("--max-log-n", type=int, default=17, help="largest transform (17)")
    parser.add_argument("--core", type=int, help="pin single-threaded programs to this core")
    parser.add_argument(
        "--merge", type=Path, help="run nothing: a cpu.json, or a folder of programs' documents"
    )
    parser.add_argument("--commit", help="commit of the programs, if not this clone's")
    parser.add_argument("--no-plot", action="store_true", help="tables and JSON only")


def run(options: argparse.Namespace) -> int:
    from ..bench import documents, goals, model

    _check(options)
    if options.device == "gpu":
        return _run_gpu(options)
    if options.merge and options.merge.is_file():
        document = documents.load_merged(options.merge)
    elif options.merge:
        document = documents.merge(documents.load_folder(options.merge))
    else:
        document = documents.merge(_measure(options))
    model.annotate(document)
    verdicts = goals.judge(document)
    document["goals"] = [verdict.to_json() for verdict in verdicts]
    with whole_file(options.out / "cpu.json") as file:
        file.write(documents.dump(document))
    _print(document, verdicts)
    written = [options.out / "cpu.json"]
    if not options.no_plot:
        written += _plots(document, options.out)
    print("\nwritten: " + ", ".join(map(str, written)))
    return 0


def _run_gpu(options: argparse.Namespace) -> int:
    import json

    from ..bench import documents, gpu
    from ..errors import FormatError

    if options.merge and options.merge.is_file():
        merged = json.loads(options.merge.read_text(encoding="utf-8"))
        if not isinstance(merged, dict) or merged.get("schema") != gpu.MERGED:
            raise FormatError(f"{options.merge}: schema must be {gpu.MERGED!r}")
    elif options.merge:
        merged = gpu.merge(documents.load_folder(options.merge))
    else:
        merged = gpu.merge(_measure_gpu(options))
    with whole_file(options.out / "gpu.json") as file:
        file.write(documents.dump(merged))
    print("\n" + gpu.report(merged))
    written = [options.out / "gpu.json"]
    if not options.no_plot and _has_matplotlib():
        for direction in ("forward", "inverse"):
            written.append(options.out / f"gpu-{direction}.png")
            gpu.plot(merged, written[-1], direction)
    print("\nwritten: " + ", ".join(map(str, written)))
    return 0


def _measure_gpu(options: argparse.Namespace) -> list[dict[str, Any]]:
    """Ours and the peers' programs in turns; the documents are also kept in OUT/raw."""
    from ..bench import programs

    here = Path.cwd()
    root = programs.clone_root(here)
    ours = programs.find(options.programs, here, programs.OURS_GPU)
    peers = []
    if options.peers:
        peers = programs.peer_programs(options.peers, ours, root, options.out / "peers", gpu=True)
    low, high = max(12, options.min_log_n), min(17, options.max_log_n)
    words = ["--runs", str(options.runs), "--min-log-n", str(low), "--max-log-n", str(high)]
    commit = options.commit or programs.commit(root)
    read = []
    for number in range(1, options.rounds + 1):
        for program in (ours / "gpu_bench", *peers):
            print(f"\n# round {number}: {program.name}", flush=True)
            origin = ["--commit", commit] if program.parent == ours else []
            document = options.out / "raw" / f"{program.name}.{number}.json"
            try:
                read.append(programs.run(program, [*words, *origin], document))
            except NttforgeError as error:
                if program.parent == ours:
                    raise
                print(f"left out: {error}", flush=True)
    return read


def _check(options: argparse.Namespace) -> None:
    for name, low, high in (("rounds", 1, 100), ("runs", 3, 100000), ("run_us", 1, 1e6)):
        value = getattr(options, name)
        if not low <= value <= high:
            raise ParameterError(
                f"--{name.replace('_', '-')} = {value} must be from {low} to {high:g}"
            )
    if not 5 <= options.min_log_n <= options.max_log_n <= 24:
        raise ParameterError(
            f"--min-log-n = {options.min_log_n}, --max-log-n = {options.max_log_n}: "
            "need 5 <= min <= max <= 24"
        )
    if options.core is not None and options.core not in os.sched_getaffinity(0):
        usable = ", ".join(map(str, sorted(os.sched_getaffinity(0))))
        raise ParameterError(
            f"--core {options.core} cannot be used by this process: one of {usable}"
        )


def _measure(options: argparse.Namespace) -> list[dict[str, Any]]:
    """Runs everything, round by round; the documents are also kept in OUT/raw."""
    from ..bench import programs

    here = Path.cwd()
    ours = programs.find(options.programs, here)
    root = programs.clone_root(here)
    raw = options.out / "raw"
    peers = []
    if options.peers:
        peers = programs.peer_programs(options.peers, ours, root, options.out / "peers")
    commit = options.commit or programs.commit(root)
    origin = ["--flags", programs.compile_flags(ours), "--commit", commit]
    read = []
    for number in range(1, options.rounds + 1):
        for name, program, words in _schedule(options, ours, peers):
            print(f"\n# round {number}: {name}", flush=True)
            words = words + (origin if program.parent == ours else [])
            with _pinned(None if name == "threads" else options.core):
                try:
                    read.append(programs.run(program, words, raw / f"{name}.{number}.json"))
                except NttforgeError as error:
                    if program.parent == ours:
                        raise
                    print(f"left out: {error}", flush=True)
    return read


def _schedule(
    options: argparse.Namespace, ours: Path, peers: list[Path]
) -> list[tuple[str, Path, list[str]]]:
    """Name, program and options of everything in one round; transforms of all, then BFV of all."""
    times = ["--runs", str(options.runs), "--run-us", f"{options.run_us:g}"]
    sizes = ["--min-log-n", str(options.min_log_n), "--max-log-n", str(options.max_log_n)]
    grid = ["--step", "1", "--recipes", "chosen", *times, *sizes]
    labels = {peer: f"{peer.name}-{i}" for i, peer in enumerate(peers)}
    plan: list[tuple[str, Path, list[str]]] = []
    if "ceilings" in options.only:
        plan.append(("ceilings", ours / "ceilings_bench", []))
    if "transforms" in options.only:
        plan.append(("transforms", ours / "ntt_bench", ["--kind", "transform", *grid]))
        plan += [(labels[p], p, ["--kind", "transform", *times, *sizes]) for p in peers]
    if "products" in options.only:
        plan.append(("products", ours / "ntt_bench", ["--kind", "product", *grid]))
    if "threads" in options.only:
        plan.append(("threads", ours / "ntt_bench", ["--kind", "batch", "--threads", "2", *grid]))
    if "rns" in options.only:
        plan.append(("rns", ours / "rns_bench", []))
    if "bfv" in options.only:
        seconds = ["--seconds", f"{options.seconds:g}"]
        plan.append(("bfv", ours / "bfv_bench", seconds))
        with_bfv = [p for p in peers if p.name.startswith(("peer_seal", "peer_openfhe"))]
        plan += [(f"{labels[p]}-bfv", p, ["--kind", "bfv", *seconds]) for p in with_bfv]
    return plan


class _pinned:
    """Programs started inside run on one core; None: on all that this process may use."""

    def __init__(self, core: int | None) -> None:
        self._core = core

    def __enter__(self) -> None:
        if self._core is not None:
            self._before = os.sched_getaffinity(0)
            os.sched_setaffinity(0, {self._core})

    def __exit__(self, *_: object) -> None:
        if self._core is not None:
            os.sched_setaffinity(0, self._before)


def _print(document: dict[str, Any], verdicts: list[Any]) -> None:
    from ..bench import report
    from ..bench.documents import select

    print(f"\n{report.machine_line(document)}\n")
    if select(document["results"], kind="transform"):
        print(report.transforms(document), report.bounds(document), sep="\n\n")
    if select(document["results"], kind="bfv"):
        print("\n" + report.bfv(document))
    print("\n" + report.goals(verdicts))


def _plots(document: dict[str, Any], out: Path) -> list[Path]:
    from ..bench import plot
    from ..bench.documents import select

    if not _has_matplotlib():
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


def _has_matplotlib() -> bool:
    try:
        import matplotlib  # noqa: F401
    except ImportError:
        print("\nno plots: matplotlib is missing: pip install 'nttforge[demo]', then --merge")
        return False
    return True
