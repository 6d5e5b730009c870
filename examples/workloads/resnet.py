# SPDX-License-Identifier: Apache-2.0
"""ResNet-20's circuit on an encrypted image, checked against the same polynomials in the clear."""

from __future__ import annotations

import resource
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from harness import HERE

import nttforge

sys.path.insert(0, str(HERE / "resnet20" / "submission"))

#: log2 of n; pixels of a side, channels of each stage, blocks. Only "full" is secure, and is
#: ResNet-20 in its own size.
SIZES: dict[str, tuple[int, tuple[int, tuple[int, int, int], int]]] = {
    "small": (9, (8, (4, 8, 16), 1)),
    "medium": (13, (16, (16, 32, 64), 3)),
    "full": (16, (32, (16, 32, 64), 3)),
}
HARNESS = False
_SAMPLE, _MARGIN = 16, 1.5  # images from which the limit on numbers is taken
_BITS = 12.0  # behind the point of the scores' largest, that must be right


def run(root: Path, size: str, device: str, runs: int) -> dict[str, Any]:
    """Scores of one image, several times; the first time encodes all matrices."""
    from network import Shape, circuit, in_the_clear, random_network, relu_by_polynomials

    from nttforge_compilers import bootstrapped

    log_n, shape = SIZES[size][0], Shape(*SIZES[size][1])
    network, random = random_network(shape), np.random.default_rng()
    images = random.random((_SAMPLE + 1, 3, shape.side, shape.side))
    sizes = [in_the_clear(network, image, lambda x: np.maximum(x, 0))[1] for image in images[1:]]
    limit = _MARGIN * max(sizes)
    plain, largest = in_the_clear(network, images[0], relu_by_polynomials(limit))
    exact, _ = in_the_clear(network, images[0], lambda x: np.maximum(x, 0))
    name = "boot16w_40" if device.startswith("cuda") else "boot16_40"
    small = {} if size == "full" else {"insecure_n": 2**log_n}
    machine = nttforge.ckks.Bootstrapper.of(name, device=device, **small)
    program = circuit(network, limit)
    packed = float(np.abs(program.run_plain(images[0]) - plain).max())
    program = bootstrapped(program, machine)
    needed = program.required_keys()
    print(
        f"{program.name} with random weights: {shape.layers} layers, {program.bootstraps} "
        f"bootstraps of {machine.level - machine.input_level} levels each, "
        f"{len(needed['rotations'])} rotation keys; n = {machine.context.n}"
        + ("" if size == "full" else ", which is not secure"),
        flush=True,
    )
    begun, free = time.perf_counter(), _free(device)
    keys = machine.context.generate_keys(**needed)
    boots = machine.make_keys(keys)
    made = time.perf_counter() - begun
    held = machine.context.parameters.memory_sizes()
    texts = program.encrypt(images[0], keys=keys)
    seconds, processors, off = list[float](), list[float](), 0.0
    for k in range(runs):
        print(f"run {k + 1} of {runs}" + (", with the encoding of matrices" if not k else ""))
        begun, before = time.perf_counter(), time.process_time()
        told = _teller(begun) if not k else None
        answer = program.run(*texts, keys=keys.evaluation, bootstrap_keys=boots, told=told)
        if device != "cpu":  # which may still compute
            nttforge.cuda.synchronize(device)
        seconds.append(time.perf_counter() - begun)
        processors.append(time.process_time() - before)
        scores = program.decrypt(answer, keys)
        off = max(off, float(np.abs(scores - plain).max()))
    most = float(np.abs(plain).max())
    if off > most * 2.0**-_BITS or largest > limit or scores.argmax() != plain.argmax():
        raise SystemExit(
            f"FAIL: scores are off by {off:.2g} of {most:.2g}; numbers reach {largest:.2g} of the "
            f"limit {limit:.2g}"
        )
    print(
        f"PASS: {len(plain)} scores are those of the same polynomials in the clear to "
        f"{off / most:.1e} of the largest, {runs} times; of the exact relu to "
        f"{np.abs(scores - exact).max() / most:.1e}"
    )
    return {
        "size": size,
        "n": machine.context.n,
        "layers": shape.layers,
        "bootstraps": program.bootstraps,
        "levels": _levels(program.graph, machine),
        "layers_at": [i for i, o in enumerate(program.graph.operations) if "layer" in o.note],
        "seconds": [round(s, 4) for s in seconds],
        "processor_seconds": [round(s, 4) for s in processors],
        "keys_seconds": round(made, 2),
        "off_by": off / most,
        "off_by_of_exact_relu": float(np.abs(scores - exact).max()) / most,
        "packing_off_by": packed / most,
        "memory": {
            "rotation_keys": len(needed["rotations"]) * held["rotation_key"],
            "bootstrap_keys": machine.keys_bytes,
            "device": _free(device) and free - _free(device),
            "host_peak": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024,
        },
        "bytes": {"image": len(texts[0].to_bytes()), "scores": len(answer.to_bytes())},
    }


def _teller(begun: float) -> Callable[[Any], None]:
    """Tells of every layer and bootstrap when it was reached."""
    count = 0

    def told(operation: Any) -> None:
        nonlocal count
        count += operation.name == "bootstrap"
        if operation.note:
            seconds = time.perf_counter() - begun
            print(f"{seconds:8.2f} s  {operation.note}; {count} bootstraps so far", flush=True)

    return told


def _levels(graph: Any, machine: nttforge.ckks.Bootstrapper) -> list[int]:
    """The level of each operation's result."""
    from nttforge_compilers.demand import levels_taken

    found = list[int]()
    for operation in graph.operations:
        if operation.name in ("input", "bootstrap"):
            found.append(min(machine.level, machine.input_level + operation.value))
        else:
            least = min(found[k] for k in operation.operands)
            found.append(least - levels_taken(operation))
    return found


def _free(device: str) -> int:
    """Bytes that are free on a card; 0 of a CPU."""
    return nttforge.cuda.memory_info(device).free if device.startswith("cuda") else 0
