# SPDX-License-Identifier: Apache-2.0
"""What the page and the summary say of a device."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nttforge import cuda
from nttforge.targets import active_target, describe_cpu

if TYPE_CHECKING:
    from nttforge.typing import Recipe


def description(device: str) -> str:
    """The machine behind the name of a device.

    Raises
    ------
    ParameterError, UnsupportedError
        There is no such device, or it cannot be used here; the message says why.
    """
    if device == "cpu":
        cpu = describe_cpu()
        return f"{cpu.brand}, {cpu.hardware_threads} hardware threads, target {active_target()}"
    card = cuda.describe(device)
    return card.card if device == "cuda:host" else f"{card.card}, driver {card.driver}"


def recipe_facts(recipe: Recipe) -> list[str]:
    """How transforms ran, for the columns kernel, arithmetic, shape and threads."""
    if "target" in recipe:
        arithmetic = " ".join(dict.fromkeys(recipe["arithmetic"]))
        kernel, shape = recipe["target"], f"radix {recipe['radix']}"
        return [kernel, arithmetic, shape, str(recipe["threads"])]
    shape = f"{recipe['points']} points a thread"
    return [recipe["algorithm"], recipe["arithmetic"], shape, f"{recipe['threads']} a block"]
