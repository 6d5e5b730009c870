# SPDX-License-Identifier: Apache-2.0
"""What NttPlan does with ``device="cuda"``: the same calls on arrays in device memory."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, NoReturn

import numpy as np

from .. import _arguments as arguments
from .. import _core as _core_ntt
from .._core import cuda as _core
from ..errors import ArgumentTypeError, NttforgeError, ParameterError, SizeError
from ._arrays import DeviceArray
from ._quick import Quick
from ._views import View, require_device, require_writable, view_of

_CALLS = ("forward", "inverse", "multiply", "multiply_accumulate", "polynomial_product")


class DevicePlan:
    """A compiled plan on one device, and the checks of the arrays it is given.

    :class:`nttforge.ntt._host_plan.HostPlan` has the same methods.
    """

    def __init__(
        self,
        spec: _core_ntt.NttSpec,
        device: str,
        recipe: Mapping[str, Any] | None,
        limb_axis: bool,
        wisdom: _core_ntt.Wisdom | None,
        batch: int,
        inverse_factors: Sequence[int] = (),
    ) -> None:
        self.device = _core.parse_device(device)
        self.name = str(_core.device_name(self.device))
        text = None if recipe is None else json.dumps(dict(recipe))
        if wisdom is not None:
            text = _core.find_wisdom(wisdom, spec, self.device, batch)
        self._plan = _core.NttPlan(spec, self.device, text, list(inverse_factors))
        moduli = list(self._plan.spec.moduli)
        n = self._plan.spec.n
        self._tail = (len(moduli), n) if limb_axis else (n,)
        self._moduli = moduli
        self._dtype = np.dtype(np.uint64 if self._plan.spec.word_bits == 64 else np.uint32)
        self._quick = Quick(self.device, self._plan.context, self._dtype, self._tail)
        self._calls = {name: getattr(self._plan, name) for name in _CALLS}

    @property
    def spec(self) -> _core_ntt.NttSpec:
        return self._plan.spec

    @property
    def recipe_json(self) -> str:
        return str(self._plan.recipe_json)

    @property
    def table_bytes(self) -> int:
        """Device memory that the plan's tables take."""
        return int(self._plan.table_bytes)

    def unary(self, name: str, x: Any, out: Any, check: bool | None, stream: Any) -> Any:
        if not check and (seen := self._quick.look(x, stream)) is not None:
            made = self._quick.result(x, seen, out)
            if made is not None:
                try:
                    self._calls[name](seen.address, made[1], seen.words, seen.stream, True)
                except NttforgeError as error:
                    raise _renamed(error, "in", "x") from None
                return made[0]
        source = self._input("x", x, stream)
        result, target = self._output("out", out, source)
        _require_same_or_disjoint("x", source, "out", target)
        if check:
            self._require_reduced("x", source)
        with _named("in", "x"):
            self._calls[name](
                source.address, target.address, self._words(source), target.stream.address, False
            )
        return _written(result, target)

    def binary(
        self,
        name: str,
        a: Any,
        b: Any,
        out: Any,
        check: bool | None,
        stream: Any,
        workspace: Any = None,
    ) -> Any:
        if not check and (done := self._binary_quickly(name, a, b, out, stream, workspace)):
            return done[0]
        left = self._input("a", a, stream)
        right = self._input("b", b, left.stream)
        arguments.require_equal_shapes(left.shape, right.shape)
        field = "accumulator" if name == "multiply_accumulate" else "out"
        result, target = self._output(field, out, left)
        for other, view in (("a", left), ("b", right)):
            _require_same_or_disjoint(other, view, field, target)
        if check:
            self._require_reduced("a", left)
            self._require_reduced("b", right)
            if field == "accumulator":
                self._require_reduced(field, target)
        addresses = [left.address, right.address, target.address]
        if name == "polynomial_product":
            _, work = self._output("workspace", workspace, target)
            addresses.append(work.address)
        self._calls[name](*addresses, self._words(left), target.stream.address, False)
        return _written(result, target)

    def _binary_quickly(
        self, name: str, a: Any, b: Any, out: Any, stream: Any, workspace: Any
    ) -> tuple[Any] | None:
        """The result, or None if the arrays are to be looked at more closely."""
        quick = self._quick
        seen = quick.look(a, stream)
        other = seen if b is a else quick.look(b, stream)
        if seen is None or other is None or type(b) is not type(a):
            return None
        if other.stream != seen.stream or other.shape != seen.shape:
            return None
        if out is None and name == "multiply_accumulate":
            return None
        made = quick.result(a, seen, out)
        if made is None or quick.overlap_partly(other.address, made[1], seen.words):
            return None
        addresses = [seen.address, other.address, made[1]]
        if name == "polynomial_product":
            work = quick.result(a, seen, workspace)
            if work is None:
                return None
            addresses.append(work[1])
        self._calls[name](*addresses, seen.words, seen.stream, True)
        return (made[0],)

    def sum_of_products(self, a: Any, b: Any, out: Any, check: Any, stream: Any) -> NoReturn:
        raise ParameterError(
            "sum_of_products runs on the CPU: use forward, multiply_accumulate and inverse"
        )

    def trace(self, x: Any, direction: str) -> NoReturn:
        raise ParameterError("a plan on a GPU has no trace: make one with device='cpu'")

    def _words(self, view: View) -> int:
        return math.prod(view.shape)

    def _view(self, field: str, x: Any, stream: Any) -> View:
        view = view_of(field, x, stream)
        if view.dtype != self._dtype:
            raise ArgumentTypeError(
                f"{field} has dtype {view.dtype}: need {self._dtype.name}, or a plan with "
                f"word_bits = {8 * view.dtype.itemsize}"
            )
        require_device(field, view, self.device)
        return view

    def _input(self, field: str, x: Any, stream: Any) -> View:
        view = self._view(field, x, stream)
        arguments.require_shape(field, view.shape, self._tail)
        return view

    def _output(self, field: str, out: Any, source: View) -> tuple[Any, View]:
        if out is None:
            if field == "accumulator":
                raise ArgumentTypeError("accumulator is None: need an array on the device")
            result = source.new(source.shape, source.dtype)
        else:
            result = out
        target = self._view(field, result, source.stream)
        if target.shape != source.shape:
            raise SizeError(
                f"{field} has shape {target.shape}: need {source.shape}, the shape of the input"
            )
        require_writable(field, target)
        return result, target

    def _require_reduced(self, field: str, view: View) -> None:
        with _named("x", field):
            self._plan.require_reduced(view.address, self._words(view), view.stream.address)


@contextmanager
def _named(argument: str, field: str) -> Iterator[None]:
    """Errors that begin with a name of the core's begin with the caller's."""
    try:
        yield
    except NttforgeError as error:
        raise _renamed(error, argument, field) from None


def _renamed(error: NttforgeError, argument: str, field: str) -> NttforgeError:
    text = str(error)
    if not text.startswith((f"{argument} ", f"{argument}[")):
        return error
    return type(error)(field + text.removeprefix(argument))


def _require_same_or_disjoint(field: str, x: View, other: str, y: View) -> None:
    size = math.prod(x.shape) * x.dtype.itemsize
    if x.address != y.address and x.address < y.address + size and y.address < x.address + size:
        raise SizeError(
            f"{field} and {other} overlap partly: pass the same array or arrays that do not overlap"
        )


def _written(result: Any, view: View) -> Any:
    if isinstance(result, DeviceArray):
        result._written_in(view.stream)
    return result
