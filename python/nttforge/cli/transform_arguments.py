# SPDX-License-Identifier: Apache-2.0
"""Arguments shared by the commands about transforms: ring, orders, words, target, algorithm."""

from __future__ import annotations

import argparse

from ..console.arguments import integer


def add_ring_and_orders(parser: argparse.ArgumentParser) -> None:
    from ..ntt.spec import ORDERS, RINGS

    parser.add_argument("--ring", default=RINGS[0], choices=RINGS, help="default %(default)s")
    for field, default in (("input", ORDERS[0]), ("output", ORDERS[1])):
        parser.add_argument(
            f"--{field}-order", default=default, choices=ORDERS, help="default %(default)s"
        )


def add_transform(parser: argparse.ArgumentParser) -> None:
    from ..ntt.spec import TRANSFORMS

    parser.add_argument(
        "--transform",
        default=TRANSFORMS[0],
        choices=TRANSFORMS,
        help="default %(default)s; any: dgt where there is no NTT",
    )


def add_word_bits(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--word-bits", type=integer, default=64, choices=(64, 32), help="default %(default)s"
    )


def add_target(parser: argparse.ArgumentParser, **keywords: str) -> None:
    """Every target of nttforge; the core says which cannot run here."""
    from ..targets import all_targets

    parser.add_argument("--target", choices=all_targets(), **keywords)  # type: ignore[arg-type]


def add_algorithm(parser: argparse.ArgumentParser) -> None:
    from ..ntt.algorithms import algorithms

    names = ["merged", *(a.name for a in algorithms())]
    parser.add_argument(
        "--algorithm", choices=names, help="see 'nttforge trace --list' (default: merged)"
    )
    parser.add_argument("--radix", type=integer, help="of the algorithm, where it has several")
