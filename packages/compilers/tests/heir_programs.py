# SPDX-License-Identifier: Apache-2.0
"""Programs of our own (``data/*.mlir``), what each computes, and the texts that heir-opt made.

    python packages/compilers/tests/heir_programs.py HEIR_OPT

writes the texts again, into ``data/``, with the heir-opt of heir-py 2026.11.1. The tests need none.
"""

from __future__ import annotations

import gzip
import json
import re
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

DATA = Path(__file__).parent / "data"


def source(name: str) -> str:
    """A program as we wrote it."""
    return (DATA / f"{name}.mlir").read_text()


def _constants(name: str) -> list[Any]:
    """The matrix and the vector of a program."""
    found = re.findall(r"dense<(\[.*\])> : tensor", source(name))
    return [np.array(json.loads(numbers)) for numbers in found]


W, C = _constants("matrix_vector")
V, B = _constants("real_matrix_vector")


@dataclass(frozen=True)
class Written:
    """One program.

    ``shapes`` are those of its arguments, whose numbers are in [low, high]; ``compute`` is what it
    computes, in exact integers or doubles.
    """

    compute: Callable[..., Any]
    shapes: tuple[tuple[int, ...], ...]
    schemes: tuple[str, ...]
    low: float = -1
    high: float = 1
    slots: int = 8
    clear: tuple[int, ...] = ()
    more: str = ""


_INTEGERS = ("bgv", "bfv")
PROGRAMS = {
    "dot_product": Written(
        lambda a, b: a @ b,
        ((8,), (8,)),
        (*_INTEGERS, "ckks"),
        -9,
        9,
    ),
    "matrix_vector": Written(
        lambda x: W @ x + C,
        ((8,),),
        _INTEGERS,
        -50,
        50,
    ),
    "box_blur": Written(
        lambda x: sum(np.roll(x, 8 * i + j) for i in (-1, 0, 1) for j in (-1, 0, 1)),
        ((64,),),
        (*_INTEGERS, "ckks"),
        0,
        255,
        slots=64,
    ),
    "polynomial": Written(
        lambda x: x**3 - 3 * x**2 - np.arange(1, 9),
        ((8,),),
        _INTEGERS,
        -20,
        20,
    ),
    "hamming_distance": Written(
        lambda a, b: np.count_nonzero(a != b),
        ((16,), (16,)),
        _INTEGERS,
        0,
        1,
        slots=16,
    ),
    "choice": Written(
        lambda a, b, scale: (a - b) * scale + b,
        ((), (), ()),
        _INTEGERS,
        -9,
        9,
        clear=(2,),
    ),
    "long_product": Written(
        lambda a, b: a * b - a,
        ((16,), (16,)),
        ("bgv",),
        -9,
        9,
    ),
    "real_matrix_vector": Written(
        lambda x: V @ x + B,
        ((8,),),
        ("ckks",),
    ),
    "perceptron": Written(
        lambda x: np.tanh(V @ x + B) * x,
        ((8,),),
        ("ckks",),
    ),
    "squarings": Written(
        lambda x: _squared(x, 12),
        ((8,),),
        ("ckks",),
        more=" ciphertext-management-style=greedy greedy-level-budget=10"
        " greedy-bootstrap-waterline=2",
    ),
}


def _squared(x: Any, times: int) -> Any:
    for _ in range(times):
        x = x * x / 2 - 0.25
    return x


def text(name: str, scheme: str) -> str:
    """What heir-opt wrote."""
    return gzip.decompress((DATA / f"{name}.{scheme}.mlir.gz").read_bytes()).decode()


def main(heir_opt: str) -> None:
    """Writes all texts."""
    for name, program in PROGRAMS.items():
        for scheme in program.schemes:
            backend = "lattigo" if scheme == "ckks" else "openfhe"
            options = (
                f"--mlir-to-{scheme}=min-slot-count={program.slots} unroll-fhe-kernel-loops "
                f"enable-split-preprocessing=false{program.more}"
            )
            command = [
                heir_opt,
                f"--annotate-module=backend={backend} scheme={scheme}",
                options,
                "--mlir-print-op-generic",
                "--mlir-print-elementsattrs-with-hex-if-larger=-1",
            ]
            done = subprocess.run(
                command, input=source(name), capture_output=True, text=True, check=False
            )
            if done.returncode:
                print(name, scheme, done.stderr[:300])
                continue
            packed = gzip.compress(done.stdout.encode(), mtime=0)
            (DATA / f"{name}.{scheme}.mlir.gz").write_bytes(packed)
            print(name, scheme, len(done.stdout), len(packed))


if __name__ == "__main__":
    main(sys.argv[1])
