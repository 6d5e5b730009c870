# SPDX-License-Identifier: Apache-2.0
"""Programs of our own in MLIR, what each computes, and the texts that heir-opt made of them.

    python packages/compilers/tests/heir_programs.py HEIR_OPT

writes the texts again, into ``data/``, with the heir-opt of heir-py 2026.11.1. The tests need none.
"""

from __future__ import annotations

import gzip
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

DATA = Path(__file__).parent / "data"
W = np.random.default_rng(40).integers(-3, 4, (8, 8))
V = np.round(np.random.default_rng(41).normal(0, 0.5, (8, 8)), 3)
B = np.round(np.random.default_rng(42).normal(0, 0.5, 8), 3)


def _dense(values: Any) -> str:
    return str(np.asarray(values).tolist())


@dataclass(frozen=True)
class Written:
    """One program.

    ``shapes`` are those of its arguments, whose numbers are in [low, high]; ``compute`` is what it
    computes, in exact integers or doubles.
    """

    source: str
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
        """func.func @dot_product(%a: tensor<8xi16> {secret.secret}, %b: tensor<8xi16> {secret.secret}) -> i16 {
  %zero = arith.constant dense<0> : tensor<i16>
  %sum = linalg.dot ins(%a, %b : tensor<8xi16>, tensor<8xi16>) outs(%zero : tensor<i16>) -> tensor<i16>
  %result = tensor.extract %sum[] : tensor<i16>
  return %result : i16
}""",
        lambda a, b: a @ b,
        ((8,), (8,)),
        (*_INTEGERS, "ckks"),
        -9,
        9,
    ),
    "matrix_vector": Written(
        f"""func.func @matrix_vector(%x: tensor<8xi16> {{secret.secret}}) -> tensor<8xi16> {{
  %w = arith.constant dense<{_dense(W)}> : tensor<8x8xi16>
  %b = arith.constant dense<{_dense(W[0])}> : tensor<8xi16>
  %y = linalg.matvec ins(%w, %x : tensor<8x8xi16>, tensor<8xi16>) outs(%b : tensor<8xi16>) -> tensor<8xi16>
  return %y : tensor<8xi16>
}}""",
        lambda x: W @ x + W[0],
        ((8,),),
        _INTEGERS,
        -50,
        50,
    ),
    "box_blur": Written(
        """func.func @box_blur(%image: tensor<64xi16> {secret.secret}) -> tensor<64xi16> {
  %c64 = arith.constant 64 : index
  %c8 = arith.constant 8 : index
  %all = affine.for %x = 0 to 8 iter_args(%rows = %image) -> (tensor<64xi16>) {
    %row = affine.for %y = 0 to 8 iter_args(%pixels = %rows) -> (tensor<64xi16>) {
      %none = arith.constant 0 : i16
      %sum = affine.for %j = -1 to 2 iter_args(%outer = %none) -> (i16) {
        %part = affine.for %i = -1 to 2 iter_args(%inner = %outer) -> (i16) {
          %p = arith.addi %x, %i : index
          %q = arith.muli %p, %c8 : index
          %r = arith.addi %y, %j : index
          %s = arith.addi %q, %r : index
          %t = arith.remui %s, %c64 : index
          %pixel = tensor.extract %image[%t] : tensor<64xi16>
          %more = arith.addi %inner, %pixel : i16
          affine.yield %more : i16
        }
        affine.yield %part : i16
      }
      %u = arith.muli %c8, %x : index
      %v = arith.addi %u, %y : index
      %next = tensor.insert %sum into %pixels[%v] : tensor<64xi16>
      affine.yield %next : tensor<64xi16>
    }
    affine.yield %row : tensor<64xi16>
  }
  return %all : tensor<64xi16>
}""",
        lambda x: sum(np.roll(x, 8 * i + j) for i in (-1, 0, 1) for j in (-1, 0, 1)),
        ((64,),),
        (*_INTEGERS, "ckks"),
        0,
        255,
        slots=64,
    ),
    "polynomial": Written(
        """func.func @polynomial(%x: tensor<8xi16> {secret.secret}) -> tensor<8xi16> {
  %three = arith.constant dense<3> : tensor<8xi16>
  %steps = arith.constant dense<[1, 2, 3, 4, 5, 6, 7, 8]> : tensor<8xi16>
  %square = arith.muli %x, %x : tensor<8xi16>
  %cube = arith.muli %square, %x : tensor<8xi16>
  %triple = arith.muli %square, %three : tensor<8xi16>
  %difference = arith.subi %cube, %triple : tensor<8xi16>
  %result = arith.subi %difference, %steps : tensor<8xi16>
  return %result : tensor<8xi16>
}""",
        lambda x: x**3 - 3 * x**2 - np.arange(1, 9),
        ((8,),),
        _INTEGERS,
        -20,
        20,
    ),
    "hamming_distance": Written(
        """func.func @hamming_distance(%a: tensor<16xi16> {secret.secret}, %b: tensor<16xi16> {secret.secret}) -> i16 {
  %c0 = arith.constant 0 : i16
  %d = arith.subi %a, %b : tensor<16xi16>
  %count = affine.for %i = 0 to 16 iter_args(%sum = %c0) -> i16 {
    %x = tensor.extract %d[%i] : tensor<16xi16>
    %square = arith.muli %x, %x : i16
    %next = arith.addi %sum, %square : i16
    affine.yield %next : i16
  }
  return %count : i16
}""",
        lambda a, b: np.count_nonzero(a != b),
        ((16,), (16,)),
        _INTEGERS,
        0,
        1,
        slots=16,
    ),
    "choice": Written(
        """func.func @choice(%a: i16 {secret.secret}, %b: i16 {secret.secret}, %scale: i16) -> i16 {
  %d = arith.subi %a, %b : i16
  %m = arith.muli %d, %scale : i16
  %r = arith.addi %m, %b : i16
  return %r : i16
}""",
        lambda a, b, scale: (a - b) * scale + b,
        ((), (), ()),
        _INTEGERS,
        -9,
        9,
        clear=(2,),
    ),
    "real_matrix_vector": Written(
        f"""func.func @real_matrix_vector(%x: tensor<8xf32> {{secret.secret}}) -> tensor<8xf32> {{
  %w = arith.constant dense<{_dense(V)}> : tensor<8x8xf32>
  %b = arith.constant dense<{_dense(B)}> : tensor<8xf32>
  %y = linalg.matvec ins(%w, %x : tensor<8x8xf32>, tensor<8xf32>) outs(%b : tensor<8xf32>) -> tensor<8xf32>
  return %y : tensor<8xf32>
}}""",
        lambda x: V @ x + B,
        ((8,),),
        ("ckks",),
    ),
    "perceptron": Written(
        f"""func.func @perceptron(%x: tensor<8xf32> {{secret.secret}}) -> tensor<8xf32> {{
  %w = arith.constant dense<{_dense(V)}> : tensor<8x8xf32>
  %b = arith.constant dense<{_dense(B)}> : tensor<8xf32>
  %y = linalg.matvec ins(%w, %x : tensor<8x8xf32>, tensor<8xf32>) outs(%b : tensor<8xf32>) -> tensor<8xf32>
  %z = math.tanh %y {{degree = 7 : i32, domain_lower = -4.0 : f64, domain_upper = 4.0 : f64}} : tensor<8xf32>
  %r = arith.mulf %z, %x : tensor<8xf32>
  return %r : tensor<8xf32>
}}""",
        lambda x: np.tanh(V @ x + B) * x,
        ((8,),),
        ("ckks",),
    ),
    "squarings": Written(
        """func.func @squarings(%x: tensor<8xf32> {secret.secret}) -> tensor<8xf32> {
  %half = arith.constant dense<0.5> : tensor<8xf32>
  %c = arith.constant dense<0.25> : tensor<8xf32>
  %r = affine.for %i = 0 to 12 iter_args(%y = %x) -> tensor<8xf32> {
    %s = arith.mulf %y, %y : tensor<8xf32>
    %t = arith.mulf %s, %half : tensor<8xf32>
    %u = arith.subf %t, %c : tensor<8xf32>
    affine.yield %u : tensor<8xf32>
  }
  return %r : tensor<8xf32>
}""",
        lambda x: _squared(x, 12),
        ((8,),),
        ("ckks",),
        more=" ciphertext-management-style=greedy greedy-level-budget=10 greedy-bootstrap-waterline=2",
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
                command, input=program.source, capture_output=True, text=True, check=False
            )
            if done.returncode:
                print(name, scheme, done.stderr[:300])
                continue
            packed = gzip.compress(done.stdout.encode(), mtime=0)
            (DATA / f"{name}.{scheme}.mlir.gz").write_bytes(packed)
            print(name, scheme, len(done.stdout), len(packed))


if __name__ == "__main__":
    main(sys.argv[1])
