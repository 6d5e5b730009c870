# SPDX-License-Identifier: Apache-2.0
"""``nttforge rtl generate --layers | --scheme``: incomplete transforms, and those of standards."""

from __future__ import annotations

import argparse
from typing import Any

from nttforge.console.arguments import integer
from nttforge.errors import ParameterError

from ..plan.parameters import HardwareParameters, check_choice
from ..plan.product import ProductParameters
from .engine import RUNTIME

#: n, q and layers. Their roots are the smallest ones, and their values in bit-reversed order, as
#: designs have them: FIPS 203 section 4.3, FIPS 204 section 7.5; Falcon has 7 and 7^2.
SCHEMES = {
    "ml-kem": (256, 3329, 7),
    "ml-dsa": (256, 8380417, 8),
    "falcon-512": (512, 12289, 9),
    "falcon-1024": (1024, 12289, 10),
}


#: Two schemes on engines with loaded moduli: n, moduli as the testbench loads them, and the layers
#: of the shorter transform.
TOGETHER = {"ml-kem+ml-dsa": (256, (8380417, 3329), 7)}


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--layers",
        type=integer,
        help="stop after so many layers: remainders modulo X^d - gamma, d = n / 2^layers; each "
        "prime then has d limbs, and --dp counts coefficients of one",
    )
    names = ", ".join((*SCHEMES, *TOGETHER))
    parser.add_argument("--scheme", help=f"n, q and layers of {names}")


def choose(options: argparse.Namespace) -> None:
    """Set what the scheme has, if one is asked for.

    Raises
    ------
    ParameterError
        If there is no such scheme, or it is asked for beside what it sets.
    """
    if options.scheme is None:
        return
    check_choice("--scheme", options.scheme, (*SCHEMES, *TOGETHER))
    given = ("moduli", "bits", "limbs", "layers")
    beside = [name for name in given if getattr(options, name) is not None]
    if beside or options.ring != "negacyclic" or options.transform != "ntt":
        raise ParameterError(
            f"--scheme = {options.scheme!r} sets n, moduli, layers and ring: leave "
            f"{', '.join(f'--{name}' for name in beside) or '--ring and --transform'} out"
        )
    if options.scheme in TOGETHER:
        options.n, moduli, options.layers = TOGETHER[options.scheme]
        options.moduli, options.limbs, options.bench_moduli = [RUNTIME], len(moduli), moduli
        options.bits = max(moduli).bit_length()
        return
    options.n, q, options.layers = SCHEMES[options.scheme]
    options.moduli = [q]


def check(options: argparse.Namespace) -> None:
    """Raises ParameterError where layers go with another kind of design."""
    if options.layers is None:
        return
    other = {
        "--transform = 'dgt'": options.transform == "dgt",
    }
    for what, is_so in other.items():
        if is_so:
            raise ParameterError(f"--layers = {options.layers} beside {what}: leave one out")


def parameters(
    options: argparse.Namespace, moduli: tuple[int, ...], **chosen: Any
) -> HardwareParameters:
    """The parameters of the transform, or product, with ``options.layers`` layers."""
    kind: type[HardwareParameters] = HardwareParameters
    if options.direction == "product":
        kind, chosen = ProductParameters, chosen | {"direction": "forward"}
    return kind.incomplete(options.n, moduli, options.layers, **chosen)
