# SPDX-License-Identifier: Apache-2.0
"""Recipes of GPU kernels: which there are, what the model predicts, what they take on this card."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

from .. import _arguments as arguments
from .._core import cuda as _core
from ..errors import ParameterError
from ..ntt.spec import NttSpec, core_spec

if TYPE_CHECKING:
    from ..typing import ExplorationState, Recipe

_MOST_BATCH = 2**20


@dataclass(frozen=True)
class CudaRecipeCandidate:
    """One way to compute a transform on a GPU, predicted and, by :func:`explore`, measured.

    Times are nanoseconds for one transform of the whole batch. ``state`` is "measured",
    "not_tried" or "wrong" (its words differ from the CPU engine's: never chosen). Where a recipe
    has a fused polynomial product, both ways were measured, and ``recipe["product"]`` is "fused"
    if that was the faster one.
    """

    recipe: Recipe
    predicted_ns: float
    measured_ns: float | None = None
    rounds: int = 0
    state: ExplorationState = "not_tried"
    fused_product_ns: float | None = None
    composed_product_ns: float | None = None


@dataclass(frozen=True)
class CudaExploration:
    """What :func:`explore` found: measured recipes first, fastest first."""

    spec: NttSpec
    device: str
    batch: int
    recipes: list[CudaRecipeCandidate]
    complete: bool
    elapsed: float

    @property
    def best(self) -> CudaRecipeCandidate:
        """The fastest of those that were measured."""
        return self.recipes[0]

    def __iter__(self) -> Iterator[CudaRecipeCandidate]:
        return iter(self.recipes)

    def _remember_in(self, wisdom: Any) -> None:
        """For :meth:`nttforge.Wisdom.remember`."""
        recipe, ns = json.dumps(self.best.recipe), self.best.measured_ns
        if ns is None:
            raise ParameterError("found.best was not measured")
        ordinal = _core.parse_device(self.device)
        _core.remember_wisdom(wisdom, core_spec(self.spec), ordinal, self.batch, recipe, ns)


def candidate_recipes(
    spec: NttSpec, device: str = "cuda", batch: int = 1
) -> list[CudaRecipeCandidate]:
    """Every recipe that can do a spec on a device, cheapest prediction first.

    Parameters
    ----------
    spec : NttSpec
        As in :attr:`nttforge.NttPlan.spec`.
    device : str
    batch : int
        Arrays will be ``(batch, limbs, n)``.

    Examples
    --------
    >>> from nttforge import NttPlan
    >>> plan = NttPlan(1024, 12289, device="cuda:host")
    >>> best = candidate_recipes(plan.spec, "cuda:host")[0]
    >>> plan.recipe == best.recipe
    True
    """
    batch = arguments.integer("batch", batch, 1, _MOST_BATCH)
    ordinal = _core.parse_device(str(device))
    found = _core.candidate_recipes(core_spec(spec), ordinal, batch)
    return [CudaRecipeCandidate(dict(json.loads(text)), float(ns)) for text, ns in found]


def paper_recipes(spec: NttSpec, device: str = "cuda") -> list[Recipe]:
    """The recipes of [Kim20], [Bad18a] and [Din24] that can do a spec on a device, for ``recipe=``.

    They are not chosen from by themselves: "radix2", "high_radix", "shared_two_kernel",
    "stockham", "emmart_weems", and the seven of [Din24] as "din24_dit_paper" and
    "din24_dit_tuned" (dit, dif, flat, pease, pease_nc, six_step, stockham) are there to be
    measured. Calls of one plan with "stockham", "emmart_weems" or one of [Din24] must not run at
    once, as they use a workspace of the plan.

    Raises
    ------
    UnsupportedError
        If the build is without the papers' kernels (CMake's ``NTTFORGE_PAPERS``).

    Examples
    --------
    >>> from nttforge import NttPlan
    >>> plan = NttPlan(1024, 12289, device="cuda:host")
    >>> recipes = paper_recipes(plan.spec, "cuda:host")
    >>> names = sorted({recipe["algorithm"] for recipe in recipes})
    >>> [name for name in names if not name.startswith("din24")]
    ['high_radix', 'radix2', 'stockham']
    >>> len(names)
    17
    >>> NttPlan(1024, 12289, device="cuda:host", recipe=recipes[0]).recipe == recipes[0]
    True
    """
    ordinal = _core.parse_device(str(device))
    return [dict(json.loads(text)) for text in _core.paper_recipes(core_spec(spec), ordinal)]


def explore(
    spec: NttSpec,
    device: str = "cuda",
    batch: int = 1,
    budget: float = 3.0,
    progress: Callable[[int, int, dict[str, Any], float], bool | None] | None = None,
) -> CudaExploration:
    """Measure the recipes that can do a spec on a device.

    Every candidate must first give the words of the CPU engine, forward and inverse. Times are of
    graphs of repeated calls, mean of forward and inverse. Nothing is written; ``Wisdom.remember``
    keeps the best.

    Parameters
    ----------
    spec, device, batch
        As for :func:`candidate_recipes`.
    budget : float
        Seconds to spend; the first candidate is always finished.
    progress : callable, optional
        Called with (step, steps, recipe, nanoseconds); returning False stops with what is known.

    Raises
    ------
    UnsupportedError
        No such GPU, or no recipe can do it.
    NttforgeError
        Nothing could be measured.
    """

    def call(step: int, steps: int, recipe: str, ns: float) -> bool:
        return progress is None or progress(step, steps, json.loads(recipe), ns) is not False

    batch = arguments.integer("batch", batch, 1, _MOST_BATCH)
    budget = arguments.seconds("budget", budget)
    ordinal = _core.parse_device(str(device))
    recipes, complete, elapsed = _core.explore(core_spec(spec), ordinal, batch, budget, call)
    found = [
        CudaRecipeCandidate(
            json.loads(recipe),
            predicted,
            ns or None,
            rounds,
            cast("ExplorationState", state),
            fused or None,
            composed or None,
        )
        for recipe, predicted, ns, rounds, state, fused, composed in recipes
    ]
    name = str(_core.device_name(ordinal))
    return CudaExploration(spec, name, batch, found, complete, elapsed)
