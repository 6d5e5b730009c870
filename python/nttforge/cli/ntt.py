# SPDX-License-Identifier: Apache-2.0
"""Transform numbers, or multiply polynomials.

Numbers come as arguments, from a .npy file or from standard input (-), and go to standard output as
text or to --out: a .npy file, or text under any other name.

examples:
  nttforge ntt --q 17 1 2 3 4                        forward negacyclic transform of n = 4
  nttforge ntt --q 17 --inverse 15 11 13 16          back again
  nttforge ntt --q 17 --ring cyclic --times 0,1,0,0 1 2 3 4   multiply by X modulo X^4 - 1
  nttforge ntt --q 17 --algorithm stockham 1 2 3 4   by a member of the algorithm collection
  nttforge ntt --q 7 --transform dgt --times 0,1,0,0 1 2 3 4  modulo X^4 + 1, where no NTT exists
  nttforge ntt --q 1073692673 in.npy --out out.npy   every row of an array
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..console import arguments
from ..console.output import whole_file
from ..errors import FormatError, ParameterError, SizeError, shortened
from . import transform_arguments

if TYPE_CHECKING:
    from numpy.typing import NDArray


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "numbers", nargs="+", help="residues in [0, q), a .npy file, or - for standard input"
    )
    parser.add_argument("--q", type=arguments.integer, required=True, help="the prime")
    parser.add_argument(
        "--n", type=arguments.integer, help="transform size (default: as many as are given)"
    )
    add_transform_arguments(parser)
    transform_arguments.add_target(parser, help="instruction set (default: the best one here)")
    transform_arguments.add_transform(parser)
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--inverse", action="store_true", help="inverse transform")
    what.add_argument(
        "--times",
        metavar="B",
        help="polynomial product with B: numbers with commas, or a .npy file",
    )
    parser.add_argument("--out", metavar="FILE", help="write there instead of standard output")


def add_transform_arguments(parser: argparse.ArgumentParser) -> None:
    """What is transformed and by which algorithm; shared with ``nttforge trace``."""
    transform_arguments.add_ring_and_orders(parser)
    parser.add_argument(
        "--root",
        type=arguments.integers,
        metavar="ROOT",
        help="psi or omega; for a DGT h as RE,IM (default: the smallest)",
    )
    transform_arguments.add_algorithm(parser)


def given_root(root: list[int] | None, transform: str) -> int | list[int] | None:
    """``--root`` as NttPlan takes it for one modulus."""
    parts = 2 if transform == "dgt" else 1
    if root is None or len(root) == parts:
        return root if root is None or parts == 2 else root[0]
    need = "a DGT's h is a pair, --root RE,IM" if parts == 2 else "one modulus has one root"
    raise ParameterError(f"--root = {','.join(map(str, root))}: {need}")


def run(options: argparse.Namespace) -> int:
    from ..ntt.plan import NttPlan

    x = read_numbers("numbers", options.numbers)
    n = options.n if options.n is not None else x.shape[-1]
    plan = NttPlan(
        n,
        options.q,
        options.ring,
        options.input_order,
        options.output_order,
        roots=given_root(options.root, options.transform),
        target=options.target,
        transform=options.transform,
        algorithm=options.algorithm,
        radix=options.radix,
    )
    if x.shape[-1] != n:
        raise SizeError(f"got {x.shape[-1]} numbers in a row: need n = {n}; pad with zeros")
    if options.times is not None:
        source = options.times
        b = read_numbers("--times", [source] if source.endswith(".npy") else source.split(","))
        result = plan.polynomial_product(x, _broadcast(b, x.shape))
    else:
        result = plan.inverse(x) if options.inverse else plan.forward(x)
    _write(result, options.out)
    return 0


def _broadcast(b: NDArray[Any], shape: tuple[int, ...]) -> NDArray[Any]:
    import numpy as np

    try:
        return np.ascontiguousarray(np.broadcast_to(b, shape))
    except ValueError:
        raise SizeError(f"--times has shape {b.shape}: need {shape}, or one row of it") from None


def read_numbers(field: str, sources: list[str]) -> NDArray[Any]:
    """Numbers from arguments, a .npy file or, for ["-"], standard input."""
    import numpy as np

    if len(sources) == 1 and sources[0].endswith(".npy"):
        return _load(Path(sources[0]))
    if sources == ["-"]:
        sources = sys.stdin.read().replace(",", " ").split()
    values = []
    for i, text in enumerate(sources):
        try:
            values.append(arguments.parse_integer(text))
        except ValueError as error:
            raise FormatError(f"{field}[{i}] = {arguments.shown(text)}: {error}") from None
        if not 0 <= values[-1] < 2**64:
            raise ParameterError(f"{field}[{i}] = {shortened(text, 60)}: need a residue in [0, q)")
    if not values:
        raise SizeError(f"{field} is empty: need n numbers")
    return np.array(values, dtype=np.uint64)


def _load(path: Path) -> NDArray[Any]:
    import numpy as np

    try:
        x = np.load(path, allow_pickle=False)
    except (ValueError, EOFError) as error:
        raise FormatError(f"{path} is not a .npy file of numbers: {error}") from None
    if x.dtype.kind not in "iu" or x.ndim == 0:
        raise FormatError(f"{path} has dtype {x.dtype}, shape {x.shape}: need rows of integers")
    if x.size and int(x.min()) < 0:
        raise ParameterError(f"{path} has the value {int(x.min())}: need residues in [0, q)")
    return np.ascontiguousarray(x, dtype=np.uint64)


def _write(result: NDArray[Any], out: str | None) -> None:
    import numpy as np

    if out is not None and out.endswith(".npy"):
        with whole_file(out, "wb") as file:
            np.save(file, result)
        return
    rows = result.reshape(-1, result.shape[-1])
    text = "\n".join(" ".join(map(str, row.tolist())) for row in rows) + "\n"
    if out is None:
        sys.stdout.write(text)
    else:
        with whole_file(out) as file:
            file.write(text)
