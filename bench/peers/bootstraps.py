# SPDX-License-Identifier: Apache-2.0
"""Bootstraps of CKKS by this library and others, of 2^15 numbers: programs in turns, each checked.

    python bench/peers/bootstraps.py --programs build/bench FOLDER ... --cores 0 --json FILE

Runs what the folders hold: `ckks_bench` (ours), `peer_lattigo`, and on a card
`peer_cheddar_bootstrap` beside Cheddar's files of parameters and `peer_heongpu_bootstrap`; and
OpenFHE, if this Python has its wheel. On a CPU what has several threads runs first and alone;
then one program at a time for each of --cores, on a core of its own: with one core, one after the
other. On a card programs run one after the other.
"""

from __future__ import annotations

import argparse
import os
import queue
import re
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path

from bootstrap_runs import Row, document_of, fastest, found, keep

OURS, LATTIGO, OPENFHE = "ckks_bench", "peer_lattigo", "openfhe_bootstrap.py"
CHEDDAR, HEONGPU = "peer_cheddar_bootstrap", "peer_heongpu_bootstrap"
CPU_SETS = ("boot16_40", "boot16w_40", "boot16w_fast")
GPU_SETS = ("boot16w_40", "boot16w_fast", "boot16_40")
THREADS = 8
CHECKED = (
    "mean_bits",
    "median_bits",
    "worst_bits",
    "levels_between",
    "modulus_bits_between",
    "rotation_keys",
    "key_gigabytes",
)

_GUIDELINES = "128 bits by the 2024 guidelines, ephemeral weight 32"
_OPENFHE = "HEStd_128_classic by its own check, sparse encapsulation"


@dataclass
class Run:
    """One program with arguments: a row for complex numbers, and one for real ones if it has it."""

    library: str
    program: str
    arguments: list[str]
    security: str | None = _GUIDELINES  # unless the program's rows say it
    device: str = "cpu"
    threads: int = 1
    environment: Mapping[str, str] = field(default_factory=dict)
    rounds: list[list[Row]] = field(default_factory=list)

    @property
    def title(self) -> str:
        words = [self.program, *self.arguments, *self.environment.values()]
        return " ".join(Path(word).name for word in words)


def ours(name: str, *, threads: int = 1, target: str = "", device: str = "cpu") -> Run:
    """A set of ours, three bootstraps timed."""
    arguments = ["--only", "1", "--bootstrap", name, "--threads", str(threads)]
    arguments += ["--device", device, "--seconds", "0.3" if device == "cuda" else "0.001"]
    environment = {"NTTFORGE_TARGET": target} if target else {}
    kind = "gpu" if device == "cuda" else "cpu"
    return Run("nttforge", OURS, arguments, device=kind, threads=threads, environment=environment)


def runs_of(device: str, sets: Sequence[str] | None, parameters: Sequence[Path]) -> list[Run]:
    """What is run on a device, the longest first."""
    if device == "gpu":
        peers = [
            Run("cheddar", CHEDDAR, ["--parameters", str(path)], None, "gpu") for path in parameters
        ]
        return [
            *(ours(name, device="cuda") for name in sets or GPU_SETS),
            *peers,
            Run("heongpu", HEONGPU, [], None, "gpu"),
        ]
    names = sets or CPU_SETS
    return [
        Run("openfhe", OPENFHE, ["--runs", "2"], _OPENFHE),
        Run(
            "lattigo", LATTIGO, ["--only", "1", "--bootstrap", "--seconds", "0.001", "--runs", "2"]
        ),
        *(ours(name, target="avx2") for name in names),
        *(ours(name) for name in names),
        *(ours(name, threads=THREADS) for name in names),
    ]


def command_of(run: Run, places: Mapping[str, Path]) -> list[str]:
    """The command of a run; OpenFHE's is a script of this folder."""
    if run.program == OPENFHE:
        return [sys.executable, str(Path(__file__).parent / OPENFHE), *run.arguments]
    return [str(places[run.program]), *run.arguments]


def measure(run: Run, places: Mapping[str, Path]) -> list[Row]:
    """The rows of bootstraps that a program writes, in one form for all."""
    one_thread = {"OMP_NUM_THREADS": "1"} if run.device == "cpu" else {}
    environment = {**os.environ, **one_thread, **run.environment}
    document = document_of(command_of(run, places), environment)
    target = re.search(r"target (\w+)", str(document.get("device", "")))
    rows: list[Row] = []
    for row in document["results"]:
        if not row["operation"].startswith("bootstrap"):
            continue
        way = row["operation"].removeprefix("bootstrap").strip(", ")
        real = way.startswith("real numbers")
        if "mean_bits" not in row:  # a graph or a batch of what was checked before
            row = {name: rows[-1][name] for name in CHECKED if name in rows[-1]} | row
        made = {
            "library": run.library,
            "version": document.get("version", ""),
            "build": document.get("build", ""),
            "cpu": document.get("cpu", ""),
            **row,
            "set": row.get("set", f"depth {row.get('depth')}"),
            "security": row.get("security", run.security),
            "numbers": "real" if real else "complex",
            "way": way.removeprefix("real numbers").strip(", "),
            "on": run.device,
            "device": str(document.get("gpu", {}).get("name", document.get("device", run.device))),
            "target": target[1] if target else "",
            "threads": run.threads,
            "levels_between": row.get("levels_between", row.get("levels_left")),
            "run_seconds": document["run_seconds"],
        }
        rows.append(made)
    if not rows:
        raise RuntimeError(f"{run.title}: wrote no row of a bootstrap")
    return rows


def rows_of(runs: Sequence[Run]) -> list[Row]:
    """The fastest round of every row."""
    return [
        fastest(rounds) for run in runs if run.rounds for rounds in zip(*run.rounds, strict=True)
    ]


def on_cores(runs: Sequence[Run], cores: Sequence[int], job: Callable[[Run], None]) -> None:
    """Runs one job at a time on each core, in the order of the runs."""
    waiting: queue.SimpleQueue[Run] = queue.SimpleQueue()
    for run in runs:
        waiting.put(run)

    def work(core: int) -> None:
        os.sched_setaffinity(0, {core})  # this thread alone, and what it starts
        while True:
            try:
                run = waiting.get_nowait()
            except queue.Empty:
                return
            job(run)

    workers = [threading.Thread(target=work, args=(core,)) for core in cores]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()


def number(value: object, digits: int) -> str:
    """A figure, or nothing where a library does not tell."""
    return "" if value is None else f"{float(str(value)):.{digits}f}"


def table(rows: Sequence[Row]) -> str:
    """The rows for a reader."""
    lines = [
        f"{'library':9}{'set':38}{'numbers':9}{'on':12}{'threads':>7}{'ms':>11}"
        f"{'bits':>7}{'worst':>7}{'levels':>7}{'keys GB':>9}"
    ]
    for row in rows:
        name = row["set"] + (f", {row['way']}" if row["way"] else "")
        where = row["on"] if row["on"] == "gpu" else row["target"]
        lines.append(
            f"{row['library']:9}{name:38}{row['numbers']:9}{where:12}{row['threads']:>7}"
            f"{float(row['median_ns' if where == 'gpu' else 'min_ns']) / 1e6:>11.2f}"
            f"{number(row['mean_bits'], 1):>7}{number(row['worst_bits'], 1):>7}"
            f"{number(row['levels_between'], 0):>7}{number(row.get('key_gigabytes'), 2):>9}"
        )
    return "\n".join(lines)


def cores_of(text: str) -> list[int]:
    """Numbers of cores that this process may use."""
    cores = [int(word) for word in text.split(",")]
    allowed = os.sched_getaffinity(0)
    if not cores or len(set(cores)) < len(cores) or not set(cores) <= allowed:
        raise argparse.ArgumentTypeError(
            f"--cores {text}: different cores of {sorted(allowed)}, with commas between"
        )
    return cores


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--programs", type=Path, nargs="+", required=True, metavar="FOLDER")
    parser.add_argument("--device", choices=("cpu", "gpu"), default="cpu")
    parser.add_argument("--sets", nargs="+", metavar="NAME", help="sets of ours")
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument(
        "--cores",
        type=cores_of,
        default=[max(os.sched_getaffinity(0))],
        help="of programs of one thread, one for each that runs at a time; the last by default",
    )
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    parameters = [
        path.resolve()
        for folder in options.programs
        for name in ("bootparam_40.json", "bootparam_35.json")
        for path in folder.glob(f"**/{name}")
    ]
    runs = runs_of(options.device, options.sets, parameters)
    places = found(options.programs, (OURS, LATTIGO, CHEDDAR, HEONGPU))
    if find_spec("openfhe") is not None:
        places[OPENFHE] = Path(__file__).parent / OPENFHE
    for name in sorted({run.program for run in runs} - set(places)):
        print(f"{name} is nowhere to be found: left out (bench/peers/README.md)")
    here = len(os.sched_getaffinity(0))
    if here < THREADS and options.device == "cpu":
        print(f"rows of {THREADS} threads are left out: this process may use {here} cores")
    runs = [run for run in runs if run.program in places and run.threads <= here]
    failed: list[str] = []
    lock = threading.Lock()

    def job(run: Run) -> None:
        try:
            rows = measure(run, places)
        except RuntimeError as error:
            failed.append(str(error))
            print(error, file=sys.stderr, flush=True)
            return
        with lock:
            run.rounds.append(rows)
            print(f"{run.title}: done in {rows[0]['run_seconds']:.0f} s", flush=True)
            document = {"schema": "nttforge-bootstraps-1", "cores": options.cores}
            keep(options.json, {**document, "rows": rows_of(runs)})

    for _ in range(options.rounds):
        for run in runs:
            if options.device == "gpu" or run.threads > 1:
                job(run)
        if options.device == "cpu":
            on_cores([run for run in runs if run.threads == 1], options.cores, job)
    print(table(rows_of(runs)))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
