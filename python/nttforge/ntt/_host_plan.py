# SPDX-License-Identifier: Apache-2.0
"""What NttPlan does with ``device="cpu"``: calls on arrays in host memory.

:class:`nttforge.cuda._plan.DevicePlan` has the same methods.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from .. import _arguments as arguments
from .. import _core
from ..arrays import new_array
from ..errors import ParameterError, SizeError
from .algorithms import NttTrace, trace_of

if TYPE_CHECKING:
    from ..typing import Direction
    from .explorer import Wisdom

_MERGED = "merged"
_TERMS_AT_ONCE = 4  # sums of as many products are reduced once


class HostPlan:
    """A compiled plan of the CPU engine, and the checks of the arrays it is given."""

    name = "cpu"

    def __init__(self, core: _core.NttPlan | _core.IncompleteNttPlan, limb_axis: bool) -> None:
        self.core = core
        self._moduli = list(core.spec.moduli)
        column = np.array(self._moduli, dtype=np.uint64)[:, None]
        self._column = column if limb_axis else column.reshape(())
        n = core.spec.n
        self._tail = (len(self._moduli), n) if limb_axis else (n,)
        self._axes = len(self._tail)
        self._dtype: np.dtype[Any] = np.dtype(np.uint64 if core.spec.word_bits == 64 else np.uint32)

    @property
    def spec(self) -> _core.NttSpec:
        return self.core.spec

    @property
    def recipe_json(self) -> str:
        return str(self.core.recipe_json)

    def unary(self, name: str, x: Any, out: Any, check: bool | None, stream: Any) -> NDArray[Any]:
        _require_no_stream(stream)
        source = self._input("x", x, check)
        result = self._output("out", out, source.shape, ("x", source))
        getattr(self.core, name)(source, result)
        return result

    def binary(
        self,
        name: str,
        a: Any,
        b: Any,
        out: Any,
        check: bool | None,
        stream: Any,
        workspace: Any = None,
    ) -> NDArray[Any]:
        _require_no_stream(stream)
        left = self._input("a", a, check)
        right = self._input("b", b, check)
        arguments.require_equal_shapes(left.shape, right.shape)
        field = "accumulator" if name == "multiply_accumulate" else "out"
        result = self._output(field, out, left.shape, ("a", left), ("b", right))
        if field == "accumulator" and check is not False:
            self._require_reduced(field, result)
        arrays = [left, right, result]
        if name == "polynomial_product":
            arrays.append(new_array(result.shape, self._dtype))
        getattr(self.core, name)(*arrays)
        return result

    def sum_of_products(
        self, a: Any, b: Any, out: Any, check: bool | None, stream: Any
    ) -> NDArray[Any]:
        _require_no_stream(stream)
        left = self._input("a", a, check)
        right = self._input("b", b, check)
        arguments.require_equal_shapes(left.shape, right.shape)
        if left.ndim <= len(self._tail) or left.shape[0] == 0:
            raise SizeError(
                f"a has shape {left.shape}: need an axis of terms, at least one, before those of "
                f"a polynomial"
            )
        if out is None:
            result = new_array(left.shape[1:], self._dtype)
        else:
            result = arguments.output("out", out, self._dtype, left.shape[1:])
            arguments.require_disjoint("a", left, "out", result)
            arguments.require_disjoint("b", right, "out", result)
        terms = min(left.shape[0], _TERMS_AT_ONCE)
        what = "the workspace of a sum of products"
        workspace = new_array((2 * terms, *result.shape), self._dtype, what)
        self.core.sum_of_products(left, right, result, workspace)
        return result

    def trace(self, x: Any, direction: Direction) -> NttTrace:
        array = self._input("x", x, True)
        flat = np.ascontiguousarray(array.reshape(-1), dtype=np.uint64)
        return trace_of(self.core.spec, self.core.recipe_json, direction, flat)

    def _is_ready(self, x: Any) -> bool:
        """Whether an argument can be used as it is; all others are looked at more closely."""
        if type(x) is not np.ndarray or x.dtype is not self._dtype or x.ndim > 32:
            return False
        flags = x.flags
        return x.shape[-self._axes :] == self._tail and flags.c_contiguous and flags.aligned

    def _input(self, name: str, x: Any, check: bool | None) -> NDArray[Any]:
        def moduli_of(shape: tuple[int, ...]) -> NDArray[np.uint64]:
            arguments.require_shape(name, shape, self._tail)
            return self._column

        array: NDArray[Any] = (
            x if self._is_ready(x) else arguments.words(name, x, self._dtype, moduli_of)
        )
        if check is not False:
            self._require_reduced(name, array)
        return array

    def _output(
        self, field: str, out: Any, shape: tuple[int, ...], *inputs: tuple[str, NDArray[Any]]
    ) -> NDArray[Any]:
        """The array for the result: a new one, or ``out``, which may be one of the inputs."""
        result: NDArray[Any]
        if self._is_ready(out) and out.shape == shape and out.flags.writeable:
            result = out
        elif out is None and field == "out":
            return new_array(shape, self._dtype)
        else:
            result = arguments.output(field, out, self._dtype, shape)
        for name, x in inputs:
            arguments.require_same_or_disjoint(name, x, field, result)
        return result

    def _require_reduced(self, name: str, x: NDArray[Any]) -> None:
        try:
            self.core.require_reduced(x)
        except ParameterError:
            # Say it in the words and indices of the caller's array.
            found = np.argwhere(np.asarray(x) >= self._column)
            if len(found) == 0:  # another thread has changed the array since
                raise
            index = tuple(int(i) for i in found[0])
            raise arguments.not_reduced(name, x, index, self._column) from None


def core_plan(
    spec: _core.NttSpec,
    threads: int,
    target: str | None,
    recipe: Mapping[str, Any] | None,
    algorithm: str | None,
    radix: int | None,
    wisdom: Wisdom | None,
    batch: int,
) -> _core.NttPlan:
    """The compiled plan that the arguments of NttPlan ask for."""
    collected = algorithm not in (None, _MERGED)
    if radix is not None and not collected:
        raise ParameterError(f"radix = {radix} goes with an algorithm of the collection only")
    if wisdom is not None and (collected or recipe is not None):
        raise ParameterError("wisdom is given together with recipe or algorithm: give one of them")
    if recipe is not None:
        if target is not None or threads or algorithm is not None:
            raise ParameterError(
                "recipe is given together with target, threads or algorithm: "
                "set them inside the recipe"
            )
        return _core.NttPlan(spec, json.dumps(dict(recipe)))
    threads = threads or _core.default_threads()
    if collected:
        if target not in (None, "scalar"):
            raise ParameterError(f"target = {target!r}: the algorithm collection is scalar")
        radix = arguments.integer("radix", 0 if radix is None else radix, 0, 2**16)
        chosen = json.loads(_core.algorithm_recipe(spec, str(algorithm), radix))
        return _core.NttPlan(spec, json.dumps(chosen | {"threads": threads}))
    known = None if wisdom is None else wisdom._core.find(spec, threads, batch, target)
    if known is not None:
        return _core.NttPlan(spec, known)
    if target is not None:
        # Exactly this target, even where the explorer would predict a lower one to be faster.
        _core.require_target(str(target))
        return _core.NttPlan(spec, _core.candidate_recipes(spec, [str(target)], threads)[0][0])
    return _core.NttPlan(spec, threads)


def _require_no_stream(stream: Any) -> None:
    if stream is not None:
        raise ParameterError("stream is given and the plan runs on the CPU: leave it out")
