# SPDX-License-Identifier: Apache-2.0
"""Transforms: specification, recipe, plan, explorer and the algorithms for study.

Modules are loaded on first use, so that the specification does not load the plan.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .plan import NttPlan
    from .spec import NttSpec, RecipeCandidate, candidate_recipes

_LAZY = {
    "NttPlan": "plan",
    "NttSpec": "spec",
    "RecipeCandidate": "spec",
    "candidate_recipes": "spec",
}

__all__ = ["NttPlan", "NttSpec", "RecipeCandidate", "candidate_recipes"]


def __getattr__(name: str) -> Any:
    if name not in _LAZY:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(importlib.import_module(f".{_LAZY[name]}", __name__), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
