# SPDX-License-Identifier: Apache-2.0
"""Where a recorded computation bootstraps: as few ciphertexts as are found to be enough.

A step fails if nothing is left of its budget. The planner walks to the first step that fails and
bootstraps one of the values that it was made of: that one after which the computation gets
furthest. A path of products so gets the fewest bootstraps; where values are used several times, one
bootstrap serves all uses. Bootstraps that others make superfluous are taken out at the end.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..errors import ParameterError

_MOST_CANDIDATES = 48
_MOST_CHECKS = 300_000  # steps that are computed again to take out what is superfluous


@dataclass(frozen=True)
class Plan:
    """Steps whose results are bootstrapped, and what every step leaves: its noise, or levels."""

    bootstrapped: frozenset[int]
    left: list[Any]


def planned_bootstraps(steps: Sequence[Any], places: Sequence[int], rules: Any) -> Plan | str:
    """A plan, or what fails in spite of bootstraps.

    Parameters
    ----------
    steps : sequence of TracedStep or LevelStep
        In order, with ``operands``, ``parts``, a ``name`` and a ``rule`` of what they leave.
    places : sequence of int
        The steps that may be bootstrapped.
    rules : NoiseRules or Bootstrapping
        ``budget``, ``bootstrapped`` and ``key_switch`` of what steps leave.
    """
    return _Planner(steps, places, rules).plan()


class _Planner:
    def __init__(self, steps: Sequence[Any], places: Sequence[int], rules: Any) -> None:
        self._steps, self._rules = steps, rules
        self._places = set(places)
        self._chosen: set[int] = set()
        self._noises: list[Any] = []

    def plan(self) -> Plan | str:
        self._noises, self._chosen = [], set()
        failed = self._extend()
        while failed is not None:
            best, reach, most = None, failed, self._budget_at(failed, {})
            helped = None
            for place in self._candidates(failed):
                at, budget = self._reach(place, failed)
                if (at, place) > (reach, -1 if best is None else best) and at > failed:
                    best, reach = place, at
                if budget > most + 0.5:  # the most helpful of several that it takes
                    helped, most = place, budget
            found = best if best is not None else helped
            if found is None:
                step = self._steps[failed]
                return (
                    f"step {failed + 1} of {len(self._steps)} ({step.name}) takes more than a "
                    f"bootstrap leaves, by {-self._budget_at(failed, {}):.1f} of its bits or levels"
                )
            self._chosen.add(found)
            del self._noises[found:]
            failed = self._extend()
        self._take_out()
        return Plan(frozenset(self._chosen), self._noises)

    def _noise(self, index: int, changed: Mapping[int, Any]) -> Any:
        """What a step leaves before it is bootstrapped."""
        step, known = self._steps[index], self._noises
        return step.rule(
            self._rules, [changed[i] if i in changed else known[i] for i in step.operands]
        )

    def _bootstrapped(self, index: int, noise: Any) -> Any:
        if self._steps[index].parts == 3:
            noise = self._rules.key_switch((noise,))
        return self._rules.bootstrapped((noise,))

    def _extend(self) -> int | None:
        """Computes noises up to the first step that fails."""
        for index in range(len(self._noises), len(self._steps)):
            noise = self._noise(index, {})
            if index in self._chosen:
                noise = self._bootstrapped(index, noise)
            if self._rules.budget(noise) <= 0:
                return index
            self._noises.append(noise)
        return None

    def _candidates(self, failed: int) -> list[int]:
        """Places among what a step was made of, the latest first, up to earlier bootstraps."""
        seen, found, waiting = set[int](), list[int](), [failed]
        while waiting and len(found) < _MOST_CANDIDATES:
            index = max(waiting)
            waiting.remove(index)
            if index in self._chosen:
                continue
            if index in self._places and index != failed:
                found.append(index)
            new = set(self._steps[index].operands) - seen
            seen |= new
            waiting += new
        return found

    def _reach(self, place: int, failed: int) -> tuple[int, float]:
        """The first step that fails if a place is bootstrapped, and the budget of `failed` then."""
        changed = {place: self._bootstrapped(place, self._noises[place])}
        if self._rules.budget(changed[place]) <= 0:
            return place, -math.inf
        budget = math.inf
        for index in range(place + 1, len(self._steps)):
            operands = self._steps[index].operands
            if index < failed and not any(i in changed for i in operands):
                continue
            noise = self._noise(index, changed)
            if index in self._chosen:
                noise = self._bootstrapped(index, noise)
            left = self._rules.budget(noise)
            budget = left if index == failed else budget
            if left <= 0:
                return index, budget
            changed[index] = noise
        return len(self._steps), budget

    def _budget_at(self, index: int, changed: Mapping[int, Any]) -> float:
        return float(self._rules.budget(self._noise(index, changed)))

    def _take_out(self) -> None:
        if len(self._chosen) * len(self._steps) > _MOST_CHECKS:
            return
        for place in sorted(self._chosen):
            whole = self._noises
            self._chosen.remove(place)
            self._noises = whole[:place]
            if self._extend() is not None:
                self._chosen.add(place)
                self._noises = whole


class Following:
    """One run of a computation by its plan: counts places, and bootstraps at those planned."""

    def __init__(self, places: frozenset[int], count: int, keys: Any) -> None:
        self._places, self._count, self._keys, self._passed = places, count, keys, 0

    def passed(self, text: Any, keys: Any) -> Any:
        """The text, bootstrapped if the plan says so."""
        place, self._passed = self._passed, self._passed + 1
        if place not in self._places:
            return text
        return (text if text.parts == 2 else text.relinearize(keys)).bootstrap(self._keys)

    def finish(self) -> None:
        """Raises a ParameterError unless as many places were passed as were recorded."""
        if self._passed != self._count:
            raise ParameterError(
                f"the function computed {self._passed} results and {self._count} when it was "
                "recorded: run the function that was given to choose, on arrays of the same shapes"
            )
