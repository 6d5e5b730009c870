# SPDX-License-Identifier: Apache-2.0
"""Recipes measured on this machine, and the wisdom that remembers the best."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, cast

from .. import _arguments as arguments
from .. import _core
from ..cuda._explorer import CudaExploration
from ..errors import ArgumentTypeError, FormatError, ParameterError
from ..typing import ExplorationState, FilePath, Recipe, Target
from .spec import core_spec

if TYPE_CHECKING:
    from .spec import NttSpec

__all__ = ["Exploration", "ExploredRecipe", "Progress", "Wisdom", "explore"]


@dataclass(frozen=True)
class ExploredRecipe:
    """One way to compute a transform, predicted and measured.

    Times are nanoseconds for one transform of the whole batch, the mean of forward and inverse;
    ``measured_ns`` is None unless ``state`` is "measured". The other states are "not_tried"
    (predicted too slow, or no time or memory was left) and "wrong" (its words differ from the
    scalar kernel's: never chosen).
    """

    recipe: Recipe
    predicted_ns: float
    measured_ns: float | None
    rounds: int
    state: ExplorationState


@dataclass(frozen=True)
class Progress:
    """What :func:`explore` is doing: "preparing" a candidate or "measuring" a round."""

    what: Literal["preparing", "measuring"]
    step: int
    steps: int
    elapsed: float
    recipe: Recipe
    measured_ns: float


@dataclass(frozen=True)
class Exploration:
    """What :func:`explore` found: measured recipes first, fastest first."""

    spec: NttSpec
    threads: int
    batch: int
    target: Target
    recipes: list[ExploredRecipe]
    best: ExploredRecipe
    complete: bool
    elapsed: float

    def __iter__(self) -> Iterator[ExploredRecipe]:
        return iter(self.recipes)


def explore(
    spec: NttSpec,
    threads: int = 0,
    batch: int = 1,
    budget: float = 3.0,
    targets: Iterable[Target] | None = None,
    progress: Callable[[Progress], bool | None] | None = None,
) -> Exploration:
    """Measure the recipes that can do a spec on this machine.

    Every candidate must first give the words of the scalar kernel; then all take turns, so that a
    drifting clock favours none; those that fall behind drop out. Nothing is written.

    Parameters
    ----------
    spec : NttSpec
        As in :attr:`NttPlan.spec`.
    threads : int
        Most threads to use, 0 for all; fewer are tried too.
    batch : int
        Arrays will be ``(batch, limbs, n)``.
    budget : float
        Seconds to spend; the first candidate is always finished.
    targets : iterable of str, optional
        By default the active target and those below it.
    progress : callable, optional
        Called with a :class:`Progress` now and then; returning False stops with what is known.

    Returns
    -------
    Exploration

    Raises
    ------
    ParameterError
        An argument is out of range.
    UnsupportedError
        A target cannot run here.
    NttforgeError
        Nothing could be measured.

    Examples
    --------
    >>> from nttforge import NttPlan
    >>> found = explore(NttPlan(256, 7681).spec, budget=0.1)
    >>> NttPlan(256, 7681, recipe=found.best.recipe).recipe == found.best.recipe
    True
    """
    threads = arguments.integer("threads", threads, 0, 1024, "0 means all this process may use")
    batch = arguments.integer("batch", batch, 1, 2**20)
    budget = arguments.seconds("budget", budget)
    names = [] if targets is None else arguments.names("targets", targets)

    def call(what: str, step: int, steps: int, elapsed: float, recipe: str, ns: float) -> bool:
        if progress is None:
            return True
        doing = cast('Literal["preparing", "measuring"]', what)
        return progress(Progress(doing, step, steps, elapsed, json.loads(recipe), ns)) is not False

    threads = threads or _core.default_threads()
    found, best, complete, elapsed = _core.explore(
        core_spec(spec), threads, batch, budget, names, call
    )
    recipes = [
        ExploredRecipe(
            json.loads(recipe),
            predicted,
            measured or None,
            rounds,
            cast("ExplorationState", state),
        )
        for recipe, predicted, measured, rounds, state in found
    ]
    order = _core.all_targets()
    target = cast("Target", max(names, key=order.index) if names else _core.active_target())
    return Exploration(spec, threads, batch, target, recipes, recipes[best], complete, elapsed)


class Wisdom:
    """Measured choices, by CPU, version and what of a spec matters for speed.

    A plain value: nothing is read or written unless asked, and only plans that are given a wisdom
    use it.

    Examples
    --------
    >>> from nttforge import NttPlan
    >>> found = explore(NttPlan(256, 7681).spec, budget=0.1)
    >>> wisdom = Wisdom()
    >>> wisdom.remember(found)
    >>> NttPlan(256, 12289, wisdom=wisdom).recipe == found.best.recipe
    True
    """

    __slots__ = ("_core",)

    def __init__(self) -> None:
        self._core = _core.Wisdom()

    @staticmethod
    def default_path() -> str:
        """``$NTTFORGE_WISDOM``, else ``nttforge/wisdom.json`` in the user's cache folder."""
        return os.fsdecode(_core.Wisdom.default_path())

    @classmethod
    def load(cls, path: FilePath | None = None) -> Wisdom:
        """The wisdom in a file, by default the one at :meth:`default_path`.

        Raises
        ------
        FormatError
            The file holds no wisdom, or of another format version.
        NttforgeError
            It cannot be read.
        """
        wisdom = cls()
        wisdom._core = _core.Wisdom.load(_path(path))
        return wisdom

    def save(self, path: FilePath | None = None) -> str:
        """Replaces a file, in one step, and returns its path."""
        place = _path(path)
        self._core.save(place)
        return os.fsdecode(place)

    @classmethod
    def from_json(cls, text: str) -> Wisdom:
        """The wisdom in a text of at most 16 MiB, as in a file. Raises FormatError."""
        if not isinstance(text, str):
            raise ArgumentTypeError(f"text is a {type(text).__name__}: need a str")
        wisdom = cls()
        try:
            wisdom._core = _core.Wisdom.from_json(text)
        except TypeError:  # half of a surrogate pair, which UTF-8 does not have
            raise FormatError("text is not Unicode that JSON can hold: invalid UTF-8") from None
        return wisdom

    def to_json(self) -> str:
        """The text of a file."""
        return str(self._core.to_json())

    def find(
        self, spec: NttSpec, threads: int = 0, batch: int = 1, target: Target | None = None
    ) -> Recipe | None:
        """The recipe remembered for this CPU and version, or None."""
        threads = arguments.integer("threads", threads, 0, 1024)
        batch = arguments.integer("batch", batch, 1, 2**20)
        text = self._core.find(core_spec(spec), threads, batch, target)
        return None if text is None else dict(json.loads(text))

    def remember(self, found: Exploration | CudaExploration) -> None:
        """Takes the best recipe of an exploration, in place of an older one.

        Of a GPU (:func:`nttforge.cuda.explore`) too: it is kept for that card and driver.
        """
        if isinstance(found, CudaExploration):
            found._remember_in(self._core)
            return
        if not isinstance(found, Exploration):
            raise ArgumentTypeError(
                f"found is a {type(found).__name__}: need an Exploration, the result of explore()"
            )
        if found.best.measured_ns is None:
            raise ParameterError("found.best was not measured")
        self._core.remember(
            core_spec(found.spec),
            found.threads,
            found.batch,
            found.target,
            json.dumps(found.best.recipe),
            found.best.measured_ns,
        )

    def merge(self, newer: Wisdom) -> None:
        """Takes over every entry of another wisdom."""
        self._core.merge(newer._core)

    def __len__(self) -> int:
        return len(self._core)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Wisdom) and bool(self._core == other._core)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"Wisdom({len(self)} entries)"

    def __reduce__(self) -> tuple[Any, ...]:
        return Wisdom.from_json, (self.to_json(),)


def _path(path: FilePath | None) -> bytes:
    if path is None:
        return bytes(_core.Wisdom.default_path())
    try:
        place = os.fsencode(path)
    except TypeError:
        raise ArgumentTypeError(
            f"path is a {type(path).__name__}: need str, bytes or os.PathLike"
        ) from None
    except UnicodeEncodeError as error:
        raise ParameterError(f"path = {path!r} cannot name a file here: {error.reason}") from None
    if b"\0" in place:
        raise ParameterError(f"path = {path!r} holds a null character")
    return place
