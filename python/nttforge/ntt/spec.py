# SPDX-License-Identifier: Apache-2.0
"""Specifications of transforms, and the recipes by which the CPU engine can compute them."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import cast, get_args

from .. import _arguments as arguments
from .. import _core
from ..errors import ArgumentTypeError
from ..typing import Order, Recipe, Ring, Target, Transform, WordBits

RINGS: tuple[Ring, ...] = get_args(Ring)
TRANSFORMS: tuple[Transform, ...] = get_args(Transform)
ORDERS: tuple[Order, ...] = get_args(Order)
_WORD = 2**64 - 1


@dataclass(frozen=True)
class NttSpec:
    """What a plan transforms; says nothing about how.

    ``forward``, negacyclic: ``X[k] = sum_j a[j] psi^(j (2k + 1))``, psi a primitive 2n-th root of
    unity modulo q; cyclic: ``X[k] = sum_j a[j] omega^(j k)``, omega a primitive n-th root.

    ``transform="dgt"`` (negacyclic, n >= 2), i^2 = -1 and h^(n/2) = i:
    ``A[k] = sum_{j < n/2} (a[j] + i a[j + n/2]) h^(j (4k + 1))``, k < n/2; real parts in the first
    half of the values, imaginary parts in the second, each half in ``output_order``. ``roots``
    holds real and imaginary part of h per limb.

    ``layers`` (1 ... log2 n), for primes that carry no complete transform: the values are the
    residues of the polynomial modulo the 2^layers factors ``X^d - gamma_k``, d = n / 2^layers, of
    X^n + 1 (``gamma_k = zeta^(2k + 1)``, zeta a primitive 2^(layers + 1)-th root of unity) or of
    X^n - 1 (``gamma_k = zeta^k``); d coefficients each, lowest first, the factors in
    ``output_order``. ``roots`` holds the zetas.
    """

    n: int
    moduli: tuple[int, ...]
    ring: Ring
    input_order: Order
    output_order: Order
    word_bits: WordBits
    roots: tuple[int, ...]
    transform: Transform = "ntt"
    layers: int | None = None


@dataclass(frozen=True)
class RecipeCandidate:
    """One way to compute a transform, and what the model predicts for it."""

    recipe: Recipe
    predicted_ns: float


def candidate_recipes(
    spec: NttSpec, targets: Iterable[Target] | None = None, threads: int = 0
) -> list[RecipeCandidate]:
    """Every recipe that can do a spec on the given targets, cheapest prediction first.

    Parameters
    ----------
    spec : NttSpec
        As in :attr:`NttPlan.spec`. Recipes of an incomplete transform are those of the complete
        ones, of 2^layers coefficients, that it consists of.
    targets : iterable of str, optional
        By default those this machine can run.
    threads : int
        Threads the recipes use, 1 ... 1024; 0, the default, for all this process may use.

    Returns
    -------
    list of RecipeCandidate
        Predictions are nanoseconds for one forward transform of all limbs. They rank the recipes
        of one spec and promise nothing.

    Examples
    --------
    >>> from nttforge import NttPlan
    >>> plan = NttPlan(1024, 12289)
    >>> best = candidate_recipes(plan.spec)[0]
    >>> NttPlan(1024, 12289, recipe=best.recipe).recipe == best.recipe
    True
    """
    names = _core.available_targets() if targets is None else arguments.names("targets", targets)
    threads = arguments.integer("threads", threads, 0, 1024) or _core.default_threads()
    return [
        RecipeCandidate(dict(json.loads(text)), float(ns))
        for text, ns in _core.candidate_recipes(core_spec(spec), names, threads)
    ]


def core_spec(spec: NttSpec) -> _core.NttSpec:
    """The compiled core's form of a spec; of an incomplete transform its complete parts'."""
    if not isinstance(spec, NttSpec):
        raise ArgumentTypeError(f"spec is a {type(spec).__name__}: need an NttSpec, as plan.spec")
    core = _core.NttSpec(
        arguments.transform_size(spec.n),
        arguments.integers("moduli", spec.moduli, 0, _WORD),
        spec.ring,
        spec.input_order,
        spec.output_order,
        arguments.integer("word_bits", spec.word_bits, 0, 64, "word_bits is 32 or 64"),
        arguments.integers("roots", spec.roots, 0, _WORD),
        spec.transform,
    )
    return core if spec.layers is None else complete_part(core, spec.layers)


def complete_part(core: _core.NttSpec, layers: int) -> _core.NttSpec:
    """The spec of the complete transforms that one of few layers consists of."""
    return _core.complete_part(core, arguments.integer("layers", layers, 0, 64))


def spec_of(core: _core.NttSpec, layers: int | None = None) -> NttSpec:
    """The spec of a plan; ``layers`` as the plan was given them."""
    return NttSpec(
        core.n,
        tuple(core.moduli),
        cast("Ring", core.ring),
        cast("Order", core.input_order),
        cast("Order", core.output_order),
        cast("WordBits", core.word_bits),
        tuple(core.roots),
        cast("Transform", core.transform),
        layers,
    )
