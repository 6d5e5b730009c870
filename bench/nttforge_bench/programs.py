# SPDX-License-Identifier: Apache-2.0
"""Find, build and run the benchmark programs of a clone, and the programs that measure peers."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

from nttforge import _processes
from nttforge.errors import FormatError, UnsupportedError

from . import documents

OURS = ("ceilings_bench", "ntt_bench", "rns_bench", "bfv_bench")
OURS_GPU = ("gpu_bench", "gpu_papers_bench")
#: What is measured on a GPU beside transforms, and by which programs of ours.
OF_KIND = {"call": ("gpu_bench",), "bfv": ("gpu_bfv_bench",)}
#: Programs of ours that measure GPU libraries; the others measure CPU libraries.
GPU_PEERS = ("peer_gpu_ntt", "peer_phantom", "peer_cheddar", "peer_troy", "peer_heongpu")
#: How the names of programs end that measure encryption and not transforms.
BFV_PEER = "_bfv"


def clone_root(start: Path) -> Path | None:
    """The repository that contains ``start``, or None."""
    for folder in (start, *start.parents):
        if (folder / "bench/ntt_bench.cpp").exists() and (folder / "CMakeLists.txt").exists():
            return folder
    return None


def find(
    programs: Path | None, start: Path, names: Sequence[str] = OURS, gpu: bool | None = None
) -> Path:
    """The folder of our benchmark programs: the one named, or built now in a clone
    (``build/bench``, those for GPUs ``build/gpu-bench``; ``gpu`` says which, else the names do).

    Raises
    ------
    UnsupportedError
        One sentence: what is missing and what to do.
    """
    if programs is not None:
        missing = [name for name in names if not (programs / name).is_file()]
        if missing:
            raise UnsupportedError(
                f"--programs {programs} has no {', '.join(missing)}: build them with "
                "cmake -DNTTFORGE_BENCH=ON, or leave the option out inside a clone"
            )
        return programs
    root = clone_root(start)
    if root is None:
        raise UnsupportedError(
            "the benchmark programs are built from the repository, not installed: run 'make bench' "
            "(or this command) inside a clone, or name their folder with --programs"
        )
    on_gpu = set(names) <= {*OURS_GPU, *OF_KIND["bfv"]} if gpu is None else gpu
    return _build(root, names, on_gpu)


def _build(root: Path, names: Sequence[str], on_gpu: bool) -> Path:
    if shutil.which("cmake") is None:
        raise UnsupportedError("cmake is not on PATH: pip install cmake ninja, or run 'make bench'")
    build = root / ("build/gpu-bench" if on_gpu else "build/bench")
    generator = ["-G", "Ninja"] if shutil.which("ninja") else []
    if not (build / "CMakeCache.txt").exists():
        kernels = [f"-DNTTFORGE_{what}={'ON' if on_gpu else 'OFF'}" for what in ("CUDA", "PAPERS")]
        settings = ["-DNTTFORGE_BENCH=ON", "-DCMAKE_BUILD_TYPE=Release", *kernels]
        _run_tool(["cmake", "-S", root, "-B", build, *generator, *settings])
    _run_tool(
        ["cmake", "--build", build, "--parallel", str(os.cpu_count() or 1), "--target", *names]
    )
    return build


def _run_tool(command: Sequence[str | Path]) -> None:
    done = _processes.run(command)
    if done.returncode != 0:
        last = (done.stderr or done.stdout).strip().splitlines()[-1:] or ["no output"]
        raise UnsupportedError(f"'{' '.join(map(str, command[:4]))} ...' failed: {last[0]}")


def commit(root: Path | None) -> str:
    """What NTTFORGE_COMMIT says (for copies without .git), else ``git describe``, or "unknown"."""
    if os.environ.get("NTTFORGE_COMMIT"):
        return os.environ["NTTFORGE_COMMIT"]
    return described_commit(root)


def described_commit(root: Path | None) -> str:
    """``git describe`` of a clone, whatever the environment says; "unknown" without git."""
    if root is None or shutil.which("git") is None:
        return "unknown"
    described = subprocess.run(
        ["git", "describe", "--always", "--dirty"],
        cwd=root,
        capture_output=True,
        text=True,
        check=False,
    )
    return described.stdout.strip() or "unknown"


def compile_flags(build: Path) -> str:
    """Flags of the portable part of the library, as the build recorded them."""
    database = build / "compile_commands.json"
    if not database.exists():
        return "unknown"
    for entry in json.loads(database.read_text(encoding="utf-8")):
        if entry["file"].endswith("ntt/plan.cpp"):
            wanted = ("-O", "-m", "-f", "-std", "-D")
            return " ".join(w for w in entry["command"].split() if w.startswith(wanted))
    return "unknown"


def run(program: Path, options: Sequence[str], document: Path) -> dict[str, object]:
    """Runs one program, its table on our standard output, and returns the document it wrote.

    Raises
    ------
    UnsupportedError
        If the program refuses (unoptimised build) or fails; its own message is printed before.
    """
    document.parent.mkdir(parents=True, exist_ok=True)
    document.unlink(missing_ok=True)
    command = [str(program), *options, "--json", str(document)]
    try:
        with _processes.started(command) as process:
            status = process.wait()
    except OSError as error:
        raise UnsupportedError(f"{program} cannot be started: {error.strerror}") from None
    if status != 0:
        died = f"was ended by signal {-status}" if status < 0 else f"ended with status {status}"
        raise UnsupportedError(f"{program.name} {died}: its figures are not used")
    if not document.exists():
        raise FormatError(f"{program} wrote no {document}")
    return documents.load(document)


def peer_programs(
    folder: Path, ours: Path, root: Path | None, work: Path, gpu: bool = False
) -> list[Path]:
    """Programs for the peers found in a folder: of CPU libraries, or of GPU libraries.

    The folder (or a folder in it) may hold ready ``peer_*`` programs, or be an install prefix of a
    library that ``bench/peers`` knows; for such a prefix the adapter is built here, in ``work``.

    Raises
    ------
    UnsupportedError
        If nothing is found, or an adapter does not build.
    """
    if not folder.is_dir():
        raise UnsupportedError(f"--peers {folder} is not a folder")
    places = [folder, *sorted(p for p in folder.iterdir() if p.is_dir())]
    found = [
        p
        for place in places
        for p in sorted(place.glob("peer_*"))
        if os.access(p, os.X_OK) and p.is_file()
    ]
    prefixes = [place for place in places if _is_prefix(place, gpu)]
    if root is not None:
        for prefix in prefixes:
            found += _build_peer(prefix, ours, root, work / prefix.name)
    found = [program for program in found if program.name.startswith(GPU_PEERS) == gpu]
    if not found:
        kinds = "GPU-NTT, Phantom, Cheddar or troy-nova" if gpu else "HEXL, SEAL, FLINT or OpenFHE"
        raise UnsupportedError(
            f"--peers {folder} holds neither peer_* programs nor an install prefix of {kinds}: "
            "bench/peers/README.md says what is looked for"
        )
    return found


def of_kind(peers: Sequence[Path], bfv: bool) -> list[Path]:
    """The programs for GPU libraries that measure BFV, or those that measure transforms.

    Raises
    ------
    UnsupportedError
        If there are none.
    """
    chosen = [peer for peer in peers if peer.name.endswith(BFV_PEER) == bfv]
    if not chosen:
        found = ", ".join(peer.name for peer in peers)
        what = f"BFV (its name ends in {BFV_PEER})" if bfv else "transforms"
        raise UnsupportedError(f"--peers: none of {found} measures {what}")
    return chosen


def _is_prefix(place: Path, gpu: bool) -> bool:
    patterns = (
        ("include/gpuntt", "lib*/libPhantom.*", "lib*/libcheddar.*", "include/troy")
        if gpu
        else (
            "lib*/cmake/hexl-*",
            "lib*/cmake/SEAL-*",
            "lib*/OpenFHE",
            "include/flint/fft_small.h",
        )
    )
    return any(True for pattern in patterns for _ in place.glob(pattern))


def _build_peer(prefix: Path, ours: Path, root: Path, build: Path) -> list[Path]:
    label = prefix / "BUILD"  # how the library was built, one line, if its owner wrote it down
    text = label.read_text(encoding="utf-8").strip() if label.exists() else prefix.name
    library = ours / "libnttforge.a"
    if not library.exists():
        raise UnsupportedError(
            f"{library} is missing: adapters need the library of the programs' build"
        )
    settings = [
        "-DCMAKE_BUILD_TYPE=Release",
        f"-DNTTFORGE_SOURCE={root}",
        f"-DNTTFORGE_LIBRARY={library.resolve()}",
        f"-DNTTFORGE_PEER={prefix.resolve()}",
        f"-DNTTFORGE_PEER_LABEL={text}",
    ]
    _run_tool(["cmake", "-S", root / "bench/peers", "-B", build, *settings])
    _run_tool(["cmake", "--build", build])
    return sorted((build / "bin").glob("peer_*"))
