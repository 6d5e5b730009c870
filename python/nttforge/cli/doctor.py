# SPDX-License-Identifier: Apache-2.0
"""What this machine has and what nttforge does with it."""

from __future__ import annotations

import argparse
import json
import os
import platform
from importlib import metadata
from pathlib import Path
from typing import Any

from .. import _providers
from .._extras import EXTRAS, install_command, package_names
from .._gpu_package import mismatch
from ..errors import NttforgeError
from .environment import unknown, variables_set


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="machine-readable output")


def run(options: argparse.Namespace) -> int:
    facts = _facts()
    if options.json:
        print(json.dumps(facts, indent=2))
        return 0
    rows = [
        ["nttforge", f"{facts['nttforge']} ({facts['compiler']}, {facts['build_type']})"],
        ["Python, NumPy", f"{facts['python']}, {facts['numpy']}"],
        ["system", facts["system"]],
        ["CPU", facts["cpu"]],
        ["features", " ".join(facts["features"]) or "(none that matter)"],
        ["threads", _threads(facts)],
        *[[f"target {name}", state] for name, state in facts["targets"].items()],
        ["active target", facts["active_target"]],
        *[["GPU", text] for text in facts["gpu"]],
        ["wisdom", _wisdom_text(facts["wisdom"])],
        *[[f"optional {extra}", text] for extra, text in facts["optional"].items()],
        ["environment", _environment_text(facts["environment"])],
    ]
    width = max(len(row[0]) for row in rows)
    for name, value in rows:
        print(f"{name.ljust(width)}  {value}")
    print()
    for line in facts["advice"]:
        print(f"- {line}")
    print(facts["verdict"])
    return 0


def _facts() -> dict[str, Any]:
    import numpy

    from .. import _core, targets

    cpu = targets.describe_cpu()
    states = {name: _target_state(name) for name in targets.all_targets()}
    try:
        active: str | None = targets.active_target()
        forced = os.environ.get("NTTFORGE_TARGET")
        active_text = f"{active} (forced by NTTFORGE_TARGET)" if forced else active
    except NttforgeError as error:
        active, active_text = None, f"ERROR: {error}"
    facts: dict[str, Any] = {
        "nttforge": _core.version,
        "compiler": _core.compiler,
        "build_type": _core.build_type,
        "python": f"{platform.python_implementation()} {platform.python_version()}",
        "numpy": numpy.__version__,
        "system": f"{platform.system()} {platform.release()} {platform.machine()}",
        "cpu": cpu.brand,
        "features": list(cpu.features),
        "hardware_threads": cpu.hardware_threads,
        "usable_threads": _usable_threads(),
        "targets": states,
        "active_target": active_text,
        "gpu": _gpu(),
        "wisdom": _wisdom(),
        "optional": {extra: _packages(needs) for extra, needs in _extras().items()},
        "environment": variables_set(),
        "unknown_variables": [name for name in variables_set() if unknown(name)],
    }
    facts["advice"] = _advice(facts, active)
    facts["verdict"] = _verdict(facts, active)
    return facts


def _target_state(name: str) -> str:
    from .. import _core

    try:
        _core.require_target(name)
    except NttforgeError as error:
        return f"not here: {error}"
    return "runs here"


def _usable_threads() -> int | str:
    """What ``threads=0`` means here: affinity, quota and NTTFORGE_THREADS; or what is wrong."""
    from .. import _core

    try:
        return int(_core.default_threads())
    except NttforgeError as error:
        return f"ERROR: {error}"


def _threads(facts: dict[str, Any]) -> str:
    usable, hardware = facts["usable_threads"], facts["hardware_threads"]
    if isinstance(usable, str):
        return usable
    text = f"{usable}" if usable == hardware else f"{usable} of {hardware} hardware threads"
    return f"{text} (NTTFORGE_THREADS)" if os.environ.get("NTTFORGE_THREADS") else text


def _gpu() -> list[str]:
    """A line for each card, or why there is none."""
    from .. import cuda
    from .._core import cuda as core

    host = ["device='cuda:host' runs GPU kernels on the CPU, for tests"]
    host = host if core.host_in_this_build() else []
    if not core.in_this_build():
        card = ", but an NVIDIA card is present" if Path("/dev/nvidia0").exists() else ""
        unused = f"; {reason}" if (reason := mismatch()) else ""
        return [f"no GPU kernels in this build{card}{unused}", *host]
    if not cuda.is_available():
        return [f"kernels for architecture {core.architectures()}; {cuda.why_unavailable()}", *host]
    lines = []
    for device in cuda.devices():
        memory = cuda.memory_info(device.name)
        major, minor = divmod(device.compute_capability, 10)
        lines.append(
            f"{device.name}: {device.card}, compute capability {major}.{minor}, "
            f"{device.multiprocessors} multiprocessors, "
            f"{memory.free / 2**30:.1f} of {memory.total / 2**30:.1f} GiB free, "
            f"driver {device.driver}; kernels for architecture {core.architectures()}"
        )
    return lines


def _wisdom() -> dict[str, Any]:
    """The user's file: its path, its number of entries (None: no file), what is wrong."""
    from ..ntt.explorer import Wisdom

    found: dict[str, Any] = {"path": None, "entries": None, "error": None}
    try:
        found["path"] = Wisdom.default_path()
        if os.path.lexists(found["path"]):
            found["entries"] = len(Wisdom.load())
    except NttforgeError as error:
        found["error"] = str(error)
    return found


def _wisdom_text(found: dict[str, Any]) -> str:
    if found["error"] is not None:
        return f"ERROR: {found['error']}"
    if found["entries"] is None:
        return f"none yet in {found['path']}"
    return f"{found['entries']} entries in {found['path']}"


def _environment_text(found: dict[str, str]) -> str:
    texts = []
    for name, value in found.items():
        remark = unknown(name)
        texts.append(f"{name} = {value!r}" + (f" ({remark})" if remark else ""))
    return ", ".join(texts) or "no NTTFORGE_ variable is set"


def _extras() -> dict[str, tuple[str, ...]]:
    """What each extra brings, of this package and of those that register theirs."""
    found = {f"[{extra}]": needs for extra, needs in EXTRAS.items()}
    for point in metadata.entry_points(group=_providers.EXTRAS):
        found |= {f"{point.name}[{extra}]": needs for extra, needs in point.load().items()}
    return found


def _packages(needs: tuple[str, ...]) -> str:
    """What of an optional part is there, and the command that installs the rest."""
    texts, absent = [], []
    for name in package_names(needs):
        try:
            texts.append(f"{name} {metadata.version(name)}")
        except metadata.PackageNotFoundError:
            absent.append(name)
    if absent:
        texts.append(f"without {', '.join(absent)} ({install_command(needs)})")
    return ", ".join(texts)


def _verdict(facts: dict[str, Any], active: str | None) -> str:
    """One line: whether nttforge can be used here, and on what."""
    if active is None:
        return f"nttforge cannot run with these settings: {facts['active_target']}"
    if isinstance(facts["usable_threads"], str):
        return f"nttforge cannot run with these settings: {facts['usable_threads']}"
    threads = facts["usable_threads"]
    cards = sum(text.startswith("cuda:") for text in facts["gpu"])
    return (
        f"nttforge works here: on the CPU with {active} and {threads} thread"
        f"{'s' if threads != 1 else ''}, "
        + (f"on {cards} GPU{'s' if cards != 1 else ''}." if cards else "without a GPU.")
    )


def _advice(facts: dict[str, Any], active: str | None) -> list[str]:
    advice = []
    if not active:
        advice.append("NTTFORGE_TARGET cannot be used: unset it, or name a target that runs here.")
    elif os.environ.get("NTTFORGE_TARGET"):
        advice.append("NTTFORGE_TARGET forces a target; unset it to let nttforge choose.")
    elif active == "scalar":
        advice.append("No vector target runs here: transforms work, several times slower.")
    if facts["build_type"] not in ("Release", "RelWithDebInfo"):
        advice.append(f"A {facts['build_type'] or 'plain'} build is slow: build Release.")
    if facts["unknown_variables"]:
        advice.append("Unknown variables change nothing: docs/environment.md has those that do.")
    if any(text.startswith("cuda:") for text in facts["gpu"]):
        advice.append("nttforge selftest --device cuda checks the GPU against the CPU engine.")
    elif any("but an NVIDIA card is present" in text for text in facts["gpu"]):
        advice.append(
            "For GPU kernels install nttforge-cuda of the same version, the extra [cuda], or build "
            "where nvcc is on PATH, with CUDA 12.8 or newer."
        )
    advice.append("Next: nttforge selftest checks every target here against the definitions.")
    return advice
