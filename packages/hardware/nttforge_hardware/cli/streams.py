# SPDX-License-Identifier: Apache-2.0
"""``nttforge rtl dataflow | permute``: designs beside the streaming transforms."""

from __future__ import annotations

import argparse
import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from nttforge.console.arguments import integer
from nttforge.errors import ParameterError


def add_actions(actions: Any) -> None:
    dataflow = actions.add_parser("dataflow", help="write one of the seven dataflows of [Din24]")
    dataflow.add_argument("--n", type=integer, default=1024, help="points (default 1024)")
    dataflow.add_argument("--bits", type=integer, help="size of the prime (default 32)")
    dataflow.add_argument("--q", type=integer, help="this prime instead")
    dataflow.add_argument("--algorithm", default="pease_nc", help="dit, dif, flat, pease, ...")
    dataflow.add_argument(
        "--units", type=integer, default=4, help="butterflies per cycle (default 4)"
    )
    dataflow.add_argument("--core", default="auto", help="auto, montgomery, barrett or solinas")
    _add_pipeline(dataflow, "small, balanced (default) or fast, which has those of the cores too")
    add_output(dataflow, "dataflow")
    permute = actions.add_parser("permute", help="write a streaming permutation of its own")
    permute.add_argument("--n", type=integer, default=64, help="words of a frame (default 64)")
    permute.add_argument("--dp", type=integer, default=4, help="words per cycle (default 4)")
    permute.add_argument("--bits", type=integer, default=32, help="of a word (default 32)")
    permute.add_argument(
        "--permutation",
        nargs="+",
        action="extend",
        metavar="NAME",
        help="bit-reversal, stride:S or transpose:ROWS; several are chosen from at run time, by "
        "their numbers in this order",
    )
    _add_pipeline(permute, "small, or balanced (default) and fast: buffers at both ports")
    add_output(permute, "permutation")


def _add_pipeline(parser: argparse.ArgumentParser, choices: str) -> None:
    parser.add_argument("--pipeline", default="balanced", help=f"registers: {choices}")


def add_output(parser: argparse.ArgumentParser, name: str, tdata: bool = True) -> None:
    """Options of every action that writes a design.

    ``name``: of its modules by default; ``tdata``: whether its AXI ports have a choice of layouts.
    """
    parser.add_argument(
        "--axi", action="store_true", help="also a module with AXI4-Stream and AXI4-Lite ports"
    )
    if tdata:
        parser.add_argument(
            "--tdata",
            help="how residues lie in TDATA: packed; bytes, each in bytes of its own; or "
            "power-of-two, each in 1, 2, 4 or 8 bytes and a word in a power of two of them (with "
            "--axi; default packed)",
        )
    else:
        parser.set_defaults(tdata=None)
    parser.add_argument("--name", default=name, help=f"beginning of module names (default {name})")
    parser.add_argument(
        "--prefix",
        default="",
        help="put before the names of all modules, for several designs in one project",
    )
    parser.add_argument(
        "--image-folder",
        metavar="PATH",
        default="",
        help="the design's folder as tools find it, for memory images: absolute, or from where "
        "they run (default: they run in it)",
    )
    parser.add_argument("--out", required=True, help="folder to write")
    parser.add_argument(
        "--force", action="store_true", help="discard what was changed in an earlier design there"
    )


def file_arguments(options: argparse.Namespace) -> dict[str, Any]:
    """What the functions that give a design's files take of ``add_output``.

    Raises
    ------
    ParameterError
        If a layout of TDATA is asked for and no ports that have it.
    """
    if options.tdata is not None and not options.axi:
        raise ParameterError(
            f"--tdata = {options.tdata!r} goes with --axi only, whose ports it is about: add "
            "--axi, or leave it out"
        )
    path = options.image_folder
    folder = path if not path or path.endswith("/") else f"{path}/"
    return {
        "name": options.name,
        "folder": folder,
        "axi": options.axi,
        "prefix": options.prefix,
        "tdata": options.tdata or "packed",
    }


def output_words(options: argparse.Namespace) -> list[str]:
    """The options of ``add_output`` but the folder, for the command that makes a design again."""
    words = ["--name", options.name] + (["--axi"] if options.axi else [])
    words += ["--tdata", options.tdata] if options.tdata not in (None, "packed") else []
    words += ["--prefix", options.prefix] if options.prefix else []
    return words + (["--image-folder", options.image_folder] if options.image_folder else [])


def chosen_bits(options: argparse.Namespace, default: int, given: Sequence[int]) -> int:
    """The bits of primes to look for; where primes are ``given``, those of the largest one.

    Raises
    ------
    ParameterError
        If other bits are asked for than the given primes have.
    """
    if not given:
        return default if options.bits is None else int(options.bits)
    has = max(given).bit_length()
    if options.bits not in (None, has):
        raise ParameterError(
            f"--bits = {options.bits} beside primes of {has} bits that are given: leave it out"
        )
    return has


def free_folder(name: str) -> Path:
    """The folder, if it holds nothing but maybe a design."""
    out = Path(name)
    if out.exists() and not out.is_dir():
        raise ParameterError(f"--out = {out} is a file; name a folder")
    if out.exists() and any(out.iterdir()) and not (out / "design.json").is_file():
        raise ParameterError(f"--out = {out} holds files but no design; name another folder")
    return out


def _command(words: list[object], options: argparse.Namespace) -> str:
    return shlex.join(map(str, [*words, *output_words(options)]))


def _dataflow(options: argparse.Namespace) -> int:
    from ..emit.dataflow import dataflow_files
    from ..emit.files import write_design
    from ..plan.dataflow import DataflowDesign, DataflowParameters
    from ..plan.pipeline import Pipeline
    from ..plan.primes import usable_primes

    q = options.q
    bits = chosen_bits(options, 32, (q,) if q is not None else ())
    if q is None:
        (q,) = usable_primes(options.n, bits, 1, "cyclic", options.core)
    registers = Pipeline.named(options.pipeline)
    shape = (options.n, q, options.algorithm, options.units, options.core, registers)
    p = DataflowParameters(*shape)
    design, out = DataflowDesign(p), free_folder(options.out)
    words: list[object] = ["nttforge", "rtl", "dataflow", "--n", p.n, "--q", q]
    words += ["--algorithm", p.algorithm, "--units", p.units, "--core", p.core]
    words += ["--pipeline", options.pipeline]
    files = dataflow_files(design, _command(words, options), **file_arguments(options))
    write_design(files, out, options.force)
    print(f"{len(files)} files in {out}: {p.algorithm}, n = {p.n}, {p.units} units, q = {q}")
    print(f"predicted: {design.compute_cycles} cycles of computation, ", end="")
    print(f"{design.latency_cycles} with the words in and out; DSPs: {design.dsps}")
    return 0


def _permute(options: argparse.Namespace) -> int:
    from ..emit.files import write_design
    from ..emit.permutation import permutation_files
    from ..plan.permutation import PermutationDesign, PermutationParameters, named
    from ..plan.pipeline import Pipeline

    names = options.permutation or ["bit-reversal"]
    sources = tuple(tuple(named(options.n, name)) for name in names)
    registers = Pipeline.named(options.pipeline)
    shape = (options.n, options.dp, options.bits, sources, registers)
    design = PermutationDesign(PermutationParameters(*shape))
    out = free_folder(options.out)
    words: list[object] = ["nttforge", "rtl", "permute", "--n", options.n, "--dp", options.dp]
    words += ["--bits", options.bits, "--pipeline", options.pipeline]
    words += [w for name in names for w in ("--permutation", name)]
    how = file_arguments(options)
    files = permutation_files(design, _command(words, options), **how, names=names)
    write_design(files, out, options.force)
    print(f"{len(files)} files in {out}; predicted latency: {design.latency_cycles} cycles")
    return 0


ACTIONS = {"dataflow": _dataflow, "permute": _permute}
