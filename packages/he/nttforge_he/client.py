# SPDX-License-Identifier: Apache-2.0
"""``nttforge he keygen``, ``encrypt`` and ``decrypt``: what the owner of the data runs."""

from __future__ import annotations

import argparse
import math
import sys
from pathlib import Path
from typing import Any

from nttforge.console.arguments import integer, integers, number
from nttforge.console.output import require_writable, size
from nttforge.errors import ParameterError

from . import files
from .scales import add_scale, scales_of


def add_actions(actions: Any) -> None:
    for name, text in (("keygen", "make keys: a folder for the client, one to give"), ("keys", "")):
        _add_keygen(actions.add_parser(name, **({"help": text} if text else {})))
    _add_others(actions)


def _add_keygen(keygen: argparse.ArgumentParser) -> None:
    source = keygen.add_mutually_exclusive_group(required=True)
    source.add_argument("--plan", type=Path, help="what parameters --for wrote: those keys exactly")
    source.add_argument("--parameters", type=Path, help="a file of parameters")
    keygen.add_argument("--rotations", type=integers, default=[], help="steps, with commas")
    keygen.add_argument(
        "--swap-columns", action="store_true", help="also the key that swaps the two rows of slots"
    )
    files.add_security_table(keygen)
    keygen.add_argument("--out", type=Path, required=True, help="folder for client/ and server/")


def _add_others(actions: Any) -> None:
    encrypt = actions.add_parser("encrypt", help="encrypt the columns of a table, or an array")
    encrypt.add_argument("table", type=Path, help=".csv, .npy or .arrow")
    files.add_keys(encrypt, "folder with the public key")
    encrypt.add_argument("--columns", help="these only, with commas (default: all)")
    encrypt.add_argument("--matrix", metavar="NAME", help="all columns as one array of two axes")
    add_scale(encrypt, "of numbers with digits")
    encrypt.add_argument(
        "--bounds",
        nargs="+",
        default=[],
        metavar="NAME=LOW..HIGH",
        help="ranges that are told; without one, nothing can be computed that needs room",
    )
    encrypt.add_argument("--block", type=integer, help="positions of a vector, a power of two")
    encrypt.add_argument("--out", type=Path, required=True, help="folder for NAME.enc")
    decrypt = actions.add_parser("decrypt", help="decrypt arrays into a table")
    decrypt.add_argument("arrays", type=Path, nargs="+", help="files of encrypted arrays")
    files.add_keys(decrypt, "folder with the secret key")
    decrypt.add_argument(
        "--shared",
        action="store_true",
        help="for answers that others see: with flooding noise, which hides the key",
    )
    decrypt.add_argument(
        "--security-bits", type=integer, default=64, help="of --shared, 20 to 128 (default 64)"
    )
    decrypt.add_argument(
        "--proved-bits",
        type=number,
        help="of --shared: the proved budget that you know the computation leaves",
    )
    decrypt.add_argument(
        "--trust-maker",
        action="store_true",
        help="of --shared: believe what the files say of their noise, in place of --proved-bits",
    )
    decrypt.add_argument("--out", type=Path, help=".csv, .npy or .arrow (default: CSV, printed)")


def _keygen(options: argparse.Namespace) -> int:
    if options.plan is not None:
        if options.rotations or options.swap_columns:
            raise ParameterError(
                "--rotations and --swap-columns go with --parameters: a plan has its own"
            )
        plan = files.Plan.read(options.plan)
        parameters, steps, swap_columns = plan.parameters, list(plan.rotations), plan.swap_columns
        relinearization: bool | None = plan.relinearization
    else:
        parameters = files.parameters_of(options.parameters.read_bytes(), options.security_table)
        steps, swap_columns, relinearization = options.rotations, options.swap_columns, None
    client, server = options.out / "client", options.out / "server"
    if (client / files.SECRET).exists():
        raise ParameterError(
            f"{client / files.SECRET} exists: what it encrypted could not be read without it; name "
            "another folder, or take it away first"
        )
    require_writable(options.out)
    files.require_scheme(options.scheme, files.scheme_of(parameters), "these parameters")
    keys: Any = files.context_of(parameters).generate_keys(relinearization, steps, swap_columns)
    files.write(client / files.SECRET, keys.secret.to_bytes(), secret=True)
    for folder in (client, server):
        files.write(folder / files.PARAMETERS, parameters.to_bytes())
        files.write(folder / files.PUBLIC, keys.public.to_bytes())
    print(f"{client}: secret key, public key, parameters; stays with the owner of the data")
    given = "public key, parameters"
    if keys.relinearization is not None or keys.rotations is not None:
        written = files.write_evaluation(server / files.EVALUATION, keys.evaluation)
        given += f", evaluation keys of {size(written)}"
    print(f"{server}: {given}; no secret, for whoever computes")
    return 0


def parse_bounds(text: str, option: str) -> tuple[float, float]:
    """LOW..HIGH."""
    low, dots, high = text.partition("..")
    try:
        if not dots:
            raise argparse.ArgumentTypeError("no dots")
        return number(low), number(high)
    except argparse.ArgumentTypeError:
        raise ParameterError(f"{option} {text!r}: need LOW..HIGH, two numbers") from None


def _encrypt(options: argparse.Namespace) -> int:
    import numpy as np

    from nttforge.encrypted import EncryptedArray

    from .tables import read_table

    table = read_table(options.table)
    if options.columns is not None:
        chosen = options.columns.split(",")
        for name in chosen:
            if name not in table:
                raise ParameterError(
                    f"--columns: {options.table} has no column {name!r}; it has {', '.join(table)}"
                )
        table = {name: table[name] for name in chosen}
    if options.matrix is not None:
        if any(column.ndim != 1 for column in table.values()):
            raise ParameterError("--matrix goes with a table of columns")
        table = {options.matrix: np.stack(list(table.values()), axis=1)}
    scales = scales_of(options, table)
    bounds = {}
    for text in options.bounds:
        name, _, rest = text.partition("=")
        if name not in table:
            raise ParameterError(
                f"--bounds {text!r}: need NAME=LOW..HIGH, of one of {', '.join(table)}"
            )
        bounds[name] = parse_bounds(rest, f"--bounds {name}")
    context = files.context_for(options)
    key = files.read_public(options.keys, context)
    encrypted = {}
    paths = {name: files.array_path(options.out, name) for name in table}
    for name, values in table.items():
        if not name.isidentifier():
            raise ParameterError(
                f"column {name!r} is no name for an expression: letters, digits and _; rename it"
            )
        encrypted[name] = EncryptedArray.encrypt(
            values, key, scale=scales[name], bounds=bounds.get(name), block=options.block
        )
    for name, array in encrypted.items():
        data = array.to_bytes()
        files.write(paths[name], data)
        told = "no range told: give --bounds if anything is to be computed"
        if name in bounds:
            low, high = array.bounds
            told = f"range [{low:g}, {high:g}]"
        print(f"{paths[name]}: shape {array.shape}, {told}, {size(len(data))}")
    return 0


def _decrypt(options: argparse.Namespace) -> int:
    from .tables import write_table

    if not options.shared and (options.trust_maker or options.proved_bits is not None):
        raise ParameterError("--proved-bits and --trust-maker go with --shared")
    context = files.context_for(options)
    secret = files.read_secret(options.keys, context)
    columns = {}
    for path in options.arrays:
        name = files.name_of(path)
        if name in columns:
            raise ParameterError(f"{path}: two arrays have the name {name}: rename a file")
        array = files.read_array(path, context)
        columns[name] = _shared(array, secret, options) if options.shared else array.decrypt(secret)
        if array.layout.real:
            print(f"{name}: {precision_text(array.error)}", file=sys.stderr)
    write_table(options.out, columns)
    return 0


def precision_text(error: float) -> str:
    """How far numbers of CKKS may be off."""
    return f"off by at most {error:.2g}, {-math.log2(error):.1f} bits behind the point"


def _shared(array: Any, secret: Any, options: argparse.Namespace) -> Any:
    if not options.trust_maker and options.proved_bits is None:
        raise ParameterError(
            "--shared: files prove nothing of their noise; give --proved-bits, what "
            "f(x).proved_noise_budget_bits is after your own run of the computation in Python, or "
            "--trust-maker"
        )
    return array.decrypt_shared(
        secret,
        security_bits=options.security_bits,
        bound="heuristic" if options.trust_maker else "proved",
        proved_bits=options.proved_bits,
    )


ACTIONS = {"keygen": _keygen, "keys": _keygen, "encrypt": _encrypt, "decrypt": _decrypt}
