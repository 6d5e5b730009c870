# SPDX-License-Identifier: Apache-2.0
"""What the GPU papers share: measuring, the profiler's counters, kept results."""

from __future__ import annotations

import argparse
import csv
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

from nttforge import _processes
from nttforge.console.output import require_writable, whole_file
from nttforge.errors import FormatError, UnsupportedError
from nttforge_bench.console import can_plot

from ._sections import Row

SCHEMA = "nttforge-gpu-paper-1"
Results = dict[str, Any]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--out", metavar="FOLDER", type=Path, help="write results and plot there")
    parser.add_argument("--results", type=Path, help="kept results (default: this clone's newest)")
    parser.add_argument(
        "--measure", action="store_true", help="measure on this machine's GPU first"
    )
    parser.add_argument(
        "--merge", type=Path, metavar="FOLDER", help="documents of the programs, measured before"
    )
    parser.add_argument("--programs", type=Path, help="folder of our GPU benchmark programs")
    parser.add_argument(
        "--grid",
        type=Path,
        metavar="FILE",
        help="the fast engine's gpu.json of 'nttforge bench gpu'",
    )
    parser.add_argument("--json", action="store_true", help="results as JSON on standard output")


def run(
    key: str,
    options: argparse.Namespace,
    metrics: dict[str, str],
    report: Callable[[Results], str],
    plot: Callable[[Results, Path], None],
) -> int:
    """``nttforge paper KEY``: results measured, merged or kept; tables, statements and plot."""
    from nttforge_bench import documents

    if options.out is not None:
        require_writable(options.out)
    folder = options.merge
    if options.measure:
        folder = (options.out or Path("out") / key) / "raw"
        measure(key, folder, options.programs, metrics, options.grid is None)
    if folder is not None:
        results = merge(key, folder, metrics, options.grid)
    else:
        results = load(key, options.results)
    if options.out is not None:
        lists = [name for name, value in results.items() if isinstance(value, list)]
        with whole_file(options.out / f"{key}.json") as file:
            file.write(documents.dump(results, lists))
        plot_results(results, options.out / f"{key}.png", plot)
    print(json.dumps(results, indent=1) if options.json else report(results))
    return 0


def plot_results(results: Results, path: Path, plot: Callable[[Results, Path], None]) -> None:
    """The plot, where matplotlib is there."""
    if not can_plot():
        return
    import matplotlib

    matplotlib.use("Agg")
    path.parent.mkdir(parents=True, exist_ok=True)
    plot(results, path)


def load(
    key: str,
    path: Path | None,
    option: str = "--results",
    remedy: str = "on a machine with a GPU with --measure",
) -> Results:
    """Kept results: the file named by ``option``, or the newest of this clone."""
    from nttforge_bench import documents, programs

    if path is None:
        root = programs.clone_root(Path.cwd())
        kept = sorted((root / "bench/results").glob(f"*/{key}.json*")) if root else []
        if not kept:
            raise UnsupportedError(
                f"no kept results of {key} here: run inside a clone, name a file by {option}, or "
                f"measure {remedy}"
            )
        path = kept[-1]
    results = documents.read(path)
    if not isinstance(results, dict) or results.get("schema") != SCHEMA:
        raise FormatError(f"{path}: schema must be {SCHEMA!r}")
    return dict(results)


def measure(
    key: str, folder: Path, programs_at: Path | None, metrics: dict[str, str], with_engine: bool
) -> None:
    """Runs the paper's kernels, with counters where there is a profiler, into a folder."""
    from nttforge_bench import programs

    root = programs.clone_root(Path.cwd())
    ours = programs.find(programs_at, Path.cwd(), programs.OURS_GPU)
    origin = ["--commit", programs.commit(root)]
    paper = ["--paper", key]
    programs.run(ours / "gpu_papers_bench", [*paper, *origin], folder / f"{key}.json")
    if with_engine:
        engine = ["--min-log-n", "14", "--max-log-n", "17", "--kind", "transform"]
        programs.run(ours / "gpu_bench", [*engine, *origin], folder / "gpu_bench.json")
    if with_engine and key == "bad18a":
        prime = ["--min-log-n", "14", "--max-log-n", "16", "--kind", "transform", "--limbs", "1"]
        prime += ["--grid", "figures", "--bits", str(GOLDILOCKS)]
        programs.run(ours / "gpu_bench", [*prime, *origin], folder / "gpu_bench_goldilocks.json")
    profiler = shutil.which("ncu")
    if profiler is None:
        print("no counters: ncu is not on PATH")
    else:
        wanted = [profiler, "--csv", "--metrics", ",".join(metrics)]
        command = [*wanted, str(ours / "gpu_papers_bench"), "--profile", "1", *paper]
        done = _processes.run(command)
        (folder / f"{key}_ncu.csv").write_text(done.stdout, encoding="utf-8")
    if key == "kim20":
        from . import _cufft

        with whole_file(folder / "cufft.json") as file:
            file.write(json.dumps(_cufft.measure()))


def merge(key: str, folder: Path, metrics: dict[str, str], grid: Path | None = None) -> Results:
    """One document from those of the programs and of the profiler in a folder.

    The fast engine's cells come from ``grid``, a document of ``nttforge bench gpu``, if given.
    """
    from nttforge_bench import documents, gpu

    measured = documents.load(folder / f"{key}.json")
    results: Results = {"schema": SCHEMA, "paper": key}
    for name in ("gpu", "nvcc", "version", "compiler"):
        results[name] = measured.get(name)
    results["rows"] = measured["results"]
    results["profile"] = _profile(folder / f"{key}_ncu.csv", metrics)
    cufft = folder / "cufft.json"
    engine = [folder / f"gpu_bench{end}.json" for end in ("", "_goldilocks")]
    if grid is not None:
        kept = _cells_of(grid, results["gpu"])
    else:
        found = [documents.load(path) for path in engine if path.exists()]
        kept = gpu.merge(found)["cells"] if found else []
    results["engine"] = [cell for cell in kept if "ours" in cell]
    results["cufft"] = json.loads(cufft.read_text(encoding="utf-8")) if cufft.exists() else []
    return results


def _cells_of(grid: Path, card: Row | None) -> list[Row]:
    from nttforge_bench import gpu

    document = gpu.load_merged(grid)
    measured_on, here = document["gpu"].get("name"), (card or {}).get("name")
    if measured_on != here:
        raise FormatError(f"{grid} is of {measured_on}, the paper's kernels of {here}: use one GPU")
    return list(document["cells"])


def _profile(path: Path, metrics: dict[str, str]) -> list[Row]:
    """Counters of each configuration: the program names them in order, the profiler counts kernels.

    Times, bytes and transactions are sums over the kernels, the rest means weighted by time.
    """
    if not path.exists():
        return []
    lines = path.read_text(encoding="utf-8").splitlines()
    named = [json.loads(line) for line in lines if line.startswith("{")]
    kernels: dict[str, dict[str, float]] = {}
    for row in csv.DictReader(line for line in lines if line.startswith('"')):
        value = float(row["Metric Value"].replace(",", ""))
        kernels.setdefault(row["ID"], {})[metrics[row["Metric Name"]]] = value
    counted = list(kernels.values())
    if sum(config["launches"] for config in named) != len(counted):
        raise FormatError(f"{path}: the profiler's kernels are not those that the program names")
    rows, first = [], 0
    for config in named:
        group = counted[first : first + config["launches"]]
        first += config["launches"]
        time = sum(kernel["ns"] for kernel in group)
        for name in metrics.values():
            sums = name in ("ns",) or name.endswith(("bytes", "transactions"))
            weight = [1.0 if sums else kernel["ns"] / time for kernel in group]
            parts = (kernel[name] * w for kernel, w in zip(group, weight, strict=True))
            config[name] = round(sum(parts), 3)
        rows.append(config)
    return rows


def heading(results: Results) -> str:
    gpu = results.get("gpu") or {}
    return f"{gpu.get('name', 'unknown GPU')}; medians of CUDA graphs, µs per call"


#: What gpu_bench has as bits of the prime 2^64 - 2^32 + 1.
GOLDILOCKS = 64


def engine_us(results: Results, log_n: int, limbs: int, bits: int) -> float | None:
    """The fast engine's forward transform of a cell."""
    for cell in results["engine"]:
        here = (cell["log_n"], cell["limbs"], cell["bits"], cell["direction"])
        if here == (log_n, limbs, bits, "forward"):
            us: float = cell["ours"]["us"]
            return us
    return None
