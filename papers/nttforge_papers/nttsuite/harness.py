# SPDX-License-Identifier: Apache-2.0
"""[Din24]'s test environment: vectors made on the CPU, which everything else is validated with.

A vector is a polynomial, and what every algorithm of the suite makes of it, stage by stage, on the
CPU. The GPU's kernels, as the paper has them and tuned, must give its values, and the simulated
hardware its stages, before anything is timed.
"""

from __future__ import annotations

import random
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nttforge.errors import NttforgeError, UnsupportedError

from .hardware import NAMES

if TYPE_CHECKING:
    from nttforge.ntt.plan import NttPlan

#: Vectors of a size, and the seed of the random ones; the edges of the residues come first.
COUNT, SEED = 3, 1
#: Size of the simulated hardware, and its butterfly units.
SIMULATED, UNITS = 64, 4


@dataclass(frozen=True)
class Vectors:
    """Polynomials modulo q, and their values in natural order by algorithm: all must be equal."""

    n: int
    q: int
    polynomials: list[list[int]]
    values: list[list[int]]


def make_vectors(n: int, q: int, count: int = COUNT, seed: int = SEED) -> Vectors:
    """Vectors of one size, made by each of the seven algorithms on the CPU.

    Raises
    ------
    NttforgeError
        If an algorithm and the oracle differ: nothing can be validated then.
    """
    import numpy as np

    from nttforge.ntt.plan import NttPlan
    from nttforge_hardware.emit.edges import EdgeVectors
    from nttforge_oracle.fast import forward_fast

    source, maker = random.Random(seed), EdgeVectors(n, q, "cyclic")
    polynomials = [maker.polynomial(number, source) for number in range(count)]
    values = [forward_fast(a, q, "cyclic", "natural") for a in polynomials]
    for name in NAMES:
        plan = NttPlan(n, q, "cyclic", "natural", "natural", algorithm=name, threads=1)
        if plan.forward(np.array(polynomials, dtype=np.uint64)).tolist() != values:
            raise NttforgeError(f"{name} on the CPU and the oracle differ: n = {n}, q = {q}")
    return Vectors(n, q, polynomials, values)


def check_gpu(vectors: Vectors, device: str) -> list[dict[str, Any]]:
    """Both kinds of each algorithm's kernels on a device: "cuda", or "cuda:host" without a GPU.

    Raises
    ------
    NttforgeError
        If a kernel gives another word.
    UnsupportedError
        If the build is without the papers' kernels.
    """
    from nttforge.cuda import paper_recipes
    from nttforge.ntt.plan import NttPlan

    spec = NttPlan(vectors.n, vectors.q, "cyclic", "natural", "natural", device=device).spec
    checked = []
    for recipe in paper_recipes(spec, device):
        suite, _, rest = str(recipe["algorithm"]).partition("_")
        if suite != "din24":
            continue
        name, _, kind = rest.rpartition("_")
        plan = NttPlan(
            vectors.n, vectors.q, "cyclic", "natural", "natural", device=device, recipe=recipe
        )
        if _on_device(plan, vectors.polynomials, device) != vectors.values:
            raise NttforgeError(
                f"{recipe['algorithm']} on {device} and the CPU differ: n = {vectors.n}, "
                f"q = {vectors.q}: nothing was timed"
            )
        checked.append({"where": device, "kind": kind, "algorithm": name, "n": vectors.n})
    if not checked:
        raise UnsupportedError(
            f"this build has no kernels of [Din24] for {device}: build with "
            "-Ccmake.define.NTTFORGE_PAPERS=ON"
        )
    return checked


def _on_device(plan: NttPlan, polynomials: list[list[int]], device: str) -> list[list[int]]:
    import numpy as np

    from nttforge.cuda import to_device

    found = plan.forward(to_device(np.array(polynomials, dtype=np.uint64), device))
    values: list[list[int]] = found.to_host().tolist()
    return values


def check_hardware(
    q: int, n: int = SIMULATED, names: tuple[str, ...] = NAMES
) -> list[dict[str, Any]]:
    """Every algorithm's hardware, simulated on the vectors of its size in one build.

    Raises
    ------
    NttforgeError
        If a simulation fails.
    UnsupportedError
        If there is no simulator.
    """
    from nttforge_hardware.emit.dataflow import dataflow_files
    from nttforge_hardware.plan.dataflow import DataflowDesign, DataflowParameters
    from nttforge_hardware.tools.simulate import simulate_files

    designs = {}
    for name in names:
        parameters = DataflowParameters(n, q, name, UNITS, pipeline="small")
        # The generator makes the same polynomials from COUNT and SEED; its values are the oracle's.
        designs[name] = dataflow_files(
            DataflowDesign(parameters), "", COUNT, SEED, name, f"{name}/"
        )
    with tempfile.TemporaryDirectory() as scratch:
        runs = simulate_files(designs, Path(scratch))
    for name, run in runs.items():
        if not all(r.passed for r in run.values()):
            raise NttforgeError(f"the hardware of {name} and the CPU differ: n = {n}, q = {q}")
    return [
        {"where": "simulated hardware", "kind": f"{UNITS} units", "algorithm": name, "n": n}
        for name in names
    ]


def gpu_device() -> str:
    """The GPU if there is one, else the host's run of the same kernels."""
    from nttforge import cuda

    return "cuda" if cuda.is_available() else "cuda:host"


def validate(sizes: tuple[int, ...], q: int, simulate: bool) -> list[dict[str, Any]]:
    """Everything that this machine can run, on the vectors of each size.

    What it cannot run is a row with "left_out": why.
    """
    device = gpu_device()
    checked: list[dict[str, Any]] = []
    for n in sizes:
        vectors = make_vectors(n, q)
        checked += [
            {"where": "CPU", "kind": "collection", "algorithm": name, "n": n} for name in NAMES
        ]
        try:
            checked += check_gpu(vectors, device)
        except UnsupportedError as error:
            checked.append({"where": device, "n": n, "left_out": str(error)})
    if simulate:
        try:
            checked += check_hardware(q)
        except UnsupportedError as error:
            checked.append({"where": "simulated hardware", "left_out": str(error)})
    return checked


def report(checked: list[dict[str, Any]]) -> str:
    """What was checked, a line for each place, and what was left out."""
    lines = []
    for where in dict.fromkeys(row["where"] for row in checked):
        rows = [row for row in checked if row["where"] == where]
        right = [row for row in rows if "left_out" not in row]
        if right:
            kinds = " and ".join(dict.fromkeys(str(row["kind"]) for row in right))
            sizes = ", ".join(dict.fromkeys(str(row["n"]) for row in right))
            names = len({row["algorithm"] for row in right})
            lines.append(f"{where}: {names} algorithms, {kinds}, {sizes} points: every word equal")
        for why in dict.fromkeys(row["left_out"] for row in rows if "left_out" in row):
            lines.append(f"{where}: not checked: {why}")
    return "\n".join(lines)
