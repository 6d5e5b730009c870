# SPDX-License-Identifier: Apache-2.0
"""What an encrypted array is to the operations that it is made of."""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar, cast

import numpy as np

from ..errors import MissingKeyError, NoiseError, ParameterError
from ..rlwe import Ciphertext, Context
from .bounds import Told, require_range
from .columns import ColumnScales, Scale
from .layout import Layout

Self = TypeVar("Self", bound="Encrypted")


class Places(Protocol):
    """What counts the places of a computation where a ciphertext may be bootstrapped."""

    def passed(self, text: Any, keys: Any) -> Any:
        """The text, or what a bootstrap makes of it, at the next place."""


#: Those of the computation that runs, if it is recorded or follows a plan.
PLACES: ContextVar[Places | None] = ContextVar("places", default=None)

#: Relative error of plain numbers unless :meth:`EncryptedArray.with_precision` says another.
PRECISION = 1e-4


@dataclass(frozen=True, repr=False, eq=False)
class Encrypted:
    """A ciphertext, where its entries are, and what is known of them; without operators."""

    text: Any  # a Ciphertext, or what stands for one while parameters are chosen
    layout: Layout
    keys: Any
    t: int | None
    scale: Scale = 1
    low: Any = 0  # of the integers that are encrypted; of CKKS floats
    high: Any = 0
    clean: bool = True  # slots that are no entries hold 0
    kept: bool = False  # a summed axis of length 1 is kept
    precision: float = PRECISION  # to which plain real numbers are kept
    factor_scale: int | None = None  # by which they are multiplied; None: by the least that keeps
    told: Told = Told.STATED  # what bytes may say of low and high

    @property
    def shape(self) -> tuple[int, ...]:
        """(), (length,), (rows,) or (rows, length)."""
        kept = (1,) if self.kept else ()
        rows = () if self.layout.rows is None else (self.layout.rows,)
        return rows + (kept if self.layout.length is None else (self.layout.length,))

    @property
    def ndim(self) -> int:
        """Number of axes."""
        return len(self.shape)

    @property
    def size(self) -> int:
        """Number of entries."""
        return int(np.prod(self.shape))

    @property
    def context(self) -> Context:
        """The context of the ciphertext."""
        return cast("Context", self.text.context)

    @property
    def bounds(self) -> tuple[float, float]:
        """No value is below the first or above the second."""
        least = min(self.scale.values) if isinstance(self.scale, ColumnScales) else self.scale
        return self.low / least, self.high / least

    def _one_scale(self, what: str) -> int | float:
        """The scale, where an operation mixes entries or knows one scale only."""
        if isinstance(self.scale, ColumnScales):
            raise ParameterError(
                f"{what}: columns have scales of their own, and entries would be mixed: multiply "
                f"by plain weights first, or by np.ones({self.layout.length}), which gives all one "
                "scale"
            )
        return self.scale

    def unscaled(self: Self) -> Self:
        """The same numbers with a scale of 1: of CKKS, whose means have their count as scale.

        A product with a number, so a level; integers cannot be divided.
        """
        scale = self._one_scale("unscaled")
        if scale == 1 or not self.layout.real:
            return self
        low, high = self.bounds
        return self._new(lambda: self.text * (1 / scale), low, high, "unscaled", scale=1)

    def _new(
        self: Self, compute: Callable[[], Any], low: float, high: float, what: str, **changes: Any
    ) -> Self:
        """The result of ``compute``, which is called only if its range fits t."""
        if self.t is not None:
            require_range(int(low), int(high), self.t, what)
        text = self._placed(compute())
        bits = getattr(text, "predicted_noise_budget_bits", None)
        if bits is not None and bits <= 0:
            raise NoiseError(
                f"{what}: the result would have a predicted noise budget of {bits:.1f} bits, and "
                "decryption needs more than 0: choose parameters for the whole computation, with "
                "nttforge.choose, which plans bootstraps where no set is enough, bootstrap an "
                "operand, or decrypt and encrypt again before this operation"
            )
        if hasattr(text, "bounded"):
            text.bounded(low, high)
        changes = {"told": max(self.told, Told.COMPUTED), **changes}
        kept = changes.pop("kept", self.kept)
        kept = kept and changes.get("layout", self.layout).length is None
        return self._changed(text=text, low=low, high=high, kept=kept, **changes)

    def _placed(self, text: Any) -> Any:
        """A text at a place where a plan may have it bootstrapped."""
        places = PLACES.get()
        return text if places is None else places.passed(text, self.keys)

    def _changed(self: Self, **changes: Any) -> Self:
        """``dataclasses.replace``, for a frozen class without checks of its own."""
        new = object.__new__(type(self))
        known = new.__dict__
        known.update(self.__dict__)
        known.update(changes)
        known.pop("_relinearized", None)
        return new

    def _two(self: Self) -> Self:
        """The same with two parts; the relinearization is done once and kept."""
        if self.text.parts == 2:
            return self
        known: Self | None = self.__dict__.get("_relinearized")
        if known is None:
            text = self.text.relinearize(self.keys)
            if hasattr(text, "bounded"):
                text.bounded(self.low, self.high)
            known = self.__dict__["_relinearized"] = self._changed(text=text)
        return known

    def _require_steps(self, steps: list[int], what: str, swap_columns: bool = False) -> None:
        """All keys of an operation, before it begins."""
        if not isinstance(self.text, Ciphertext) or not (steps or swap_columns):
            return
        rotations = getattr(self.keys, "rotations", None)
        missing = [str(s) for s in steps if rotations is None or not rotations._core.has_step(s)]
        if swap_columns and (rotations is None or not rotations.has_swap_columns):
            missing.append("column swap")
        if missing:
            raise MissingKeyError(
                f"{what} lacks rotation keys for the steps: {', '.join(missing)}; make them with "
                "generate_keys(rotations=[...], swap_columns=...), or let nttforge.choose name all"
            )
