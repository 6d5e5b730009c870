# SPDX-License-Identifier: Apache-2.0
"""From Verilog to a program: Verilator writes C++, the system's compiler builds it.

One compiler run for all of a model, and Verilator's run-time library once in a process, as its
headers from the third model on: its own makefile compiles both for every model, which takes far
longer.
"""

from __future__ import annotations

import atexit
import functools
import hashlib
import itertools
import os
import shlex
import shutil
import tempfile
from pathlib import Path

from nttforge import _processes
from nttforge.errors import UnsupportedError

from .programs import run_verilator, tool_version, verilator_root

_OPTIONS = ["-std=c++20", "-w", "-faligned-new", "-pthread", "-DVM_TIMING=1"]
#: Compiling takes longer than running: few optimisations. The tests' designs take even less.
OPTIMISATION = "-O1"
_OPTIONS += [f"-DVM_{what}=0" for what in ("COVERAGE", "SC", "TRACE", "TRACE_FST")]


def build_program(
    folder: Path,
    build: Path,
    top: str,
    files: list[str],
    sources: list[str],
    main: Path | None = None,
) -> Path:
    """Builds a testbench with a clock of its own, or a model with a program around it.

    Parameters
    ----------
    folder : Path
        Where ``files`` and ``sources`` are looked up.
    build : Path
        Where C++ and program are written.
    top : str
        Its module.
    files : list of str
        Files and options for Verilator.
    sources : list of str
        Folders with one file per module.
    main : Path, optional
        A program in C++ that has the model, which then has no clock of its own.

    Returns
    -------
    Path
        The program; that of a testbench takes plusargs.

    Raises
    ------
    UnsupportedError
        If Verilator or a C++ compiler is missing or fails.

    Notes
    -----
    What was built from the same Verilog is used again.
    """
    build = build.resolve()
    build.mkdir(parents=True, exist_ok=True)
    program, stamp = build / "Vprogram", build / "built_from.txt"
    state = _state(folder, [top, *files], sources, [] if main is None else [main])
    if program.is_file() and stamp.is_file() and stamp.read_text("utf-8") == state:
        return program
    for old in build.glob("Vprogram*"):
        old.unlink()
    library = runtime_library()
    # A package is not looked for: it is named, and before what reads it.
    found = [path.resolve() for s in sources for path in sorted((folder / s).glob("*_pkg.sv"))]
    packages = list({path.name: str(path) for path in reversed(found)}.values())
    run_verilator(
        ["--cc", *(["--main", "--timing"] if main is None else [])]
        + ["--x-assign", "0", "-Wno-fatal", "--Mdir", str(build)]
        + ["--prefix", "Vprogram", "--top-module", top]
        + [argument for s in sources for argument in ("-y", s)]
        + packages
        + files,
        folder,
    )
    whole = build / "whole.cpp"
    units = [p.name for p in sorted(build.glob("Vprogram*.cpp"))]
    units += [] if main is None else [str(main)]
    whole.write_text("".join(f'#include "{unit}"\n' for unit in units), "utf-8")
    headers = _precompiled_headers() if next(_PROGRAMS) > 1 else []
    words = [OPTIMISATION, *headers, "-I.", whole.name, *map(str, library), "-o", program.name]
    _compile(words, build)
    stamp.write_text(state, "utf-8")
    return program


def _state(folder: Path, files: list[str], sources: list[str], others: list[Path]) -> str:
    """Digest of what a program is built from; it reads memory images and vectors as it runs."""
    total = hashlib.sha256(tool_version("verilator", "Verilator").encode())
    read = [folder / file for file in files if file.endswith(".sv")] + others
    read += [path for s in sources for path in sorted((folder / s).glob("*.sv*"))]
    for path in read:
        total.update(f"\0{path.name}\0".encode() + path.read_bytes())
    return total.hexdigest() + " " + " ".join(files) + "\n"


#: Programs built in this process.
_PROGRAMS = itertools.count()


@functools.lru_cache(maxsize=1)
def runtime_library() -> tuple[Path, ...]:
    """Object files of Verilator's run-time library, compiled once in this process."""
    names = ("verilated", "verilated_threads", "verilated_timing")
    source = _folder() / "runtime.cpp"
    source.write_text("".join(f'#include "{name}.cpp"\n' for name in names), "utf-8")
    with _processes.ending_on_signals():
        _compile(["-O0", "-c", source.name], _folder())
    return (source.with_suffix(".o"),)


@functools.lru_cache(maxsize=1)
def _precompiled_headers() -> list[str]:
    """Options for what every model includes: they take as long as three models without them."""
    # Forked processes share the folder: what one compiles with, another one must not write again.
    header = _folder() / f"runtime_{os.getpid()}.h"
    header.write_text('#include "verilated.h"\n#include "verilated_timing.h"\n', "utf-8")
    _compile([OPTIMISATION, "-x", "c++-header", header.name, "-o", f"{header.name}.gch"], _folder())
    return ["-include", str(header)]


@functools.lru_cache(maxsize=1)
def _folder() -> Path:
    """Where this process keeps what all its programs share."""
    folder = Path(tempfile.mkdtemp(prefix="nttforge-verilator-"))
    owner = os.getpid()
    # A forked process inherits the result and this handler, and leaves the folder to its owner.
    atexit.register(
        lambda: shutil.rmtree(folder, ignore_errors=True) if os.getpid() == owner else None
    )
    return folder


def check_installed() -> None:
    """Raises UnsupportedError, with what to install, without Verilator or a C++ compiler."""
    verilator_root()
    _compiler()


def _compiler() -> list[str]:
    compiler = shlex.split(os.environ.get("CXX", "")) or ["c++"]
    if shutil.which(compiler[0]) is None:
        raise UnsupportedError(
            f"simulation needs a C++ compiler, and there is no {compiler[0]}: install one, or name "
            "it in CXX"
        )
    return compiler


def _compile(arguments: list[str], folder: Path) -> None:
    compiler = _compiler()
    include = verilator_root() / "include"
    result = _processes.run(
        [*compiler, *_OPTIONS, f"-I{include}", f"-I{include / 'vltstd'}", *arguments],
        cwd=folder,
    )
    if result.returncode:
        tail = "\n".join(result.stderr.splitlines()[-10:])
        raise UnsupportedError(f"{compiler[0]} failed on the simulation: {tail}")
