# SPDX-License-Identifier: Apache-2.0
"""[Bad18b]: runs the programs, and puts their documents together."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from nttforge import _processes
from nttforge.errors import FormatError, UnsupportedError

from .._gpu import SCHEMA, Results

PROGRAM = "bad18b_bench"
DEVICES = ("cpu", "cuda")


def measure(
    folder: Path,
    device: str,
    programs_at: Path | None,
    peers: Path | None,
    more: list[str],
) -> None:
    """Documents of this machine's CPU, with ``device="cuda"`` also of its card, into a folder.

    Raises
    ------
    UnsupportedError
        Without the programs, without a card where one is asked for, or if a result is wrong.
    """
    from nttforge_bench import programs

    root = programs.clone_root(Path.cwd())
    found = programs.find(programs_at, Path.cwd(), (PROGRAM,), gpu=device == "cuda")
    adapters = _adapters(peers, found, folder / "peers")
    for before in (*folder.glob("bad18b_*"), *folder.glob("*peer_seal*.json")):
        before.unlink()  # of another run: merge() takes what it finds
    origin = ["--commit", programs.commit(root), *more]
    for where in reversed(DEVICES[: DEVICES.index(device) + 1]):
        arguments = ["--device", where, *origin]
        programs.run(found / PROGRAM, arguments, folder / f"bad18b_{where}.json")
    (folder / "bad18b_host_run.txt").write_text(_host_run(found / PROGRAM) + "\n", encoding="utf-8")
    for program in adapters:
        document = folder / f"{program.parent.parent.name}_{program.name}.json"
        programs.run(program, ["--kind", "bfv"], document)


def _adapters(peers: Path | None, ours: Path, work: Path) -> list[Path]:
    """The programs that measure SEAL; UnsupportedError if a folder was named and has none."""
    from nttforge_bench import programs

    if peers is None:
        return []
    root = programs.clone_root(Path.cwd())
    found = programs.peer_programs(peers, ours, root, work)
    kept = [program for program in found if program.name.startswith("peer_seal")]
    if not kept:
        raise UnsupportedError(f"--peers {peers} has no SEAL: bench/peers/README.md says how")
    return kept


def _host_run(program: Path) -> str:
    """What the host's run of the card's kernels and transforms came to, in a sentence."""
    command = [str(program), "--device", "cuda:host", "--small", "1", "--check", "1"]
    done = _processes.run(command)
    if done.returncode == 0:
        return "the card's kernels, run on the host at small sizes, give the right words"
    last = (done.stderr.strip().splitlines() or ["no message"])[-1]
    return f"the card's kernels were not run on the host: {last}"


def merge(folder: Path, seal: Path | None = None) -> Results:
    """One document from those in a folder: the CPU's, the card's, and SEAL's, each if it is there.

    ``seal`` is a document of ``nttforge bench cpu`` whose figures of SEAL are taken instead.

    Raises
    ------
    FormatError
        If there is none, or one is wrong.
    """
    from nttforge_bench import documents

    kept = {where: folder / f"bad18b_{where}.json" for where in DEVICES}
    read = {where: documents.load(path) for where, path in kept.items() if path.exists()}
    if not read:
        names = " or ".join(path.name for path in kept.values())
        raise FormatError(f"{folder} holds no {names}: measure with {PROGRAM} --json, or --device")
    results: Results = {"schema": SCHEMA, "paper": "bad18b", "gpu": None, "load": None}
    for document in read.values():
        for name in ("cpu", "version", "compiler", "gpu", "load"):
            results[name] = document.get(name) or results.get(name)
    cpus = {document["cpu"] for document in read.values()}
    if len(cpus) > 1:
        raise FormatError(
            f"{folder} has documents of different machines: {', '.join(sorted(cpus))}"
        )
    results["rows"] = [row for document in read.values() for row in document["results"]]
    said = folder / "bad18b_host_run.txt"
    results["host_run"] = said.read_text(encoding="utf-8").strip() if said.exists() else ""
    results["peers"], results["peers_cpu"] = _peers(folder, seal)
    return results


def _peers(folder: Path, seal: Path | None) -> tuple[list[dict[str, Any]], str | None]:
    from nttforge_bench import documents

    if seal is not None:
        document = documents.load_merged(seal)
        cpu = document["machine"].get("cpu")
        return _seal(document["results"]), cpu
    rows, cpu = [], None
    for path in sorted(folder.glob("*peer_seal*.json")):
        document = documents.load(path)
        named = [{"program": document["program"], **row} for row in document["results"]]
        rows += _seal(named)
        cpu = document["cpu"]
    return rows, cpu


def _seal(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """SEAL's figures of the paper's sets, one core."""
    return [
        row
        for row in rows
        if row["kind"] == "bfv"
        and str(row.get("program", "")).startswith("seal")
        and str(row["set"]).startswith("[Bad18b]")
    ]
