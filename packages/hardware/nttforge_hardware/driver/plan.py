# SPDX-License-Identifier: Apache-2.0
"""What NttPlan does with ``device="rtl"``: transforms on a design that Verilator compiled."""

from __future__ import annotations

import json
import threading
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import NDArray

from nttforge import _arguments as arguments
from nttforge import _core
from nttforge.arrays import new_array
from nttforge.errors import ParameterError, SizeError
from nttforge.ntt._host_plan import HostPlan

from ..plan.engine import MIN_ENGINE_BITS, EngineParameters
from ..tools.programs import tool_version, verilator_root
from .bus import SimulatedBus, compiled_design
from .engines import EngineDriver

if TYPE_CHECKING:
    from nttforge.typing import Ring

_DEFAULTS: Mapping[str, Any] = {
    "dp": 4,
    "pp": 1,
    "engines": 1,
    "core": "auto",
    "pipeline": "small",
}


class RtlPlan(HostPlan):
    """Transforms run on engines with loaded moduli, products of residues on the CPU.

    One frame of a polynomial and limb at a time goes through registers and DMA channels, cycle by
    cycle.
    """

    name = "rtl"

    def __init__(
        self, spec: _core.NttSpec, recipe: Mapping[str, Any] | None, limb_axis: bool
    ) -> None:
        super().__init__(_core.NttPlan(spec, 1), limb_axis)
        chosen = dict(_DEFAULTS) | dict(recipe or {})
        chosen.pop("target", None)
        if unknown := set(chosen) - set(_DEFAULTS):
            raise ParameterError(
                f"recipe has {', '.join(sorted(unknown))}: with device = 'rtl' it has "
                + ", ".join(_DEFAULTS)
            )
        spec = self.spec
        _require_supported(spec)
        moduli = list(spec.moduli)
        n, bits = spec.n, max(MIN_ENGINE_BITS, max(moduli).bit_length())
        if recipe is None or "dp" not in recipe:
            chosen["dp"] = min(chosen["dp"], n // 2)
        sets = -(-len(set(moduli)) // max(1, chosen["engines"]))
        ring = cast("Ring", spec.ring)
        parameters = EngineParameters(n, bits, sets=sets, ring=ring, **chosen)
        self.design, program = compiled_design(parameters)
        for q in moduli:
            self.design.core_of(q)
        self._chosen = chosen
        self._bus = SimulatedBus(program)
        self._driver = EngineDriver(self._bus, self.design)
        self._lock = threading.Lock()  # one call at a time has the bus
        self._word = np.dtype(np.uint32 if bits <= 32 else np.uint64)
        order = np.arange(n).reshape(chosen["dp"], n // chosen["dp"])
        self._blocks = order.T.reshape(n)  # coefficient of each place of a frame
        self._reverse = _bit_reversal(n)

    @staticmethod
    def tools() -> str:
        """The simulator; what is missing of it raises UnsupportedError (``nttforge.devices``)."""
        verilator_root()
        return tool_version("verilator", "Verilator")

    @property
    def recipe_json(self) -> str:
        chosen = self._chosen | {"core": self.design.core.kind}
        return json.dumps({"target": "rtl", **chosen, "sets": self.design.parameters.sets})

    @property
    def cycles(self) -> int:
        """Clock cycles of the design since the plan was made."""
        with self._lock:
            return self._bus.cycles

    def unary(self, name: str, x: Any, out: Any, check: bool | None, stream: Any) -> NDArray[Any]:
        _require_no_stream(stream)
        source = self._input("x", x, True)  # residues too large would stop the design
        result = self._result("out", out, source.shape)
        arguments.require_same_or_disjoint("x", source, "out", result)
        result[...] = self._transform(source, name)
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
        if name != "polynomial_product":
            return super().binary(name, a, b, out, check, stream, workspace)
        _require_no_stream(stream)
        left, right = self._input("a", a, True), self._input("b", b, True)
        arguments.require_equal_shapes(left.shape, right.shape)
        result = self._result("out", out, left.shape)
        for field, array in (("a", left), ("b", right)):
            arguments.require_same_or_disjoint(field, array, "out", result)
        values = self._transform(left, "forward")
        self.core.multiply(values, self._transform(right, "forward"), values)
        result[...] = self._transform(values, "inverse")
        return result

    def sum_of_products(
        self, a: Any, b: Any, out: Any, check: bool | None, stream: Any
    ) -> NDArray[Any]:
        _require_no_stream(stream)
        left, right = self._input("a", a, True), self._input("b", b, True)
        arguments.require_equal_shapes(left.shape, right.shape)
        if left.ndim <= len(self._tail) or left.shape[0] == 0:
            raise SizeError(
                f"a has shape {left.shape}: need an axis of terms, at least one, before those of "
                "a polynomial"
            )
        result = self._result("out", out, left.shape[1:])
        total = new_array(left.shape[1:], self._dtype)
        total[...] = 0
        for one, other in zip(
            self._transform(left, "forward"), self._transform(right, "forward"), strict=True
        ):
            self.core.multiply_accumulate(one, other, total)
        result[...] = self._transform(total, "inverse")
        return result

    def _result(self, field: str, out: Any, shape: tuple[int, ...]) -> NDArray[Any]:
        if out is None:
            return new_array(shape, self._dtype)
        return arguments.output(field, out, self._dtype, shape)

    def _transform(self, x: NDArray[Any], direction: str) -> NDArray[Any]:
        """All rows, polynomial by polynomial, the limbs of each in turn."""
        spec, n = self.spec, self.spec.n
        rows = x.reshape(-1, n)
        moduli = self._moduli * (len(rows) // len(self._moduli))
        forward = direction == "forward"
        # Coefficients of a frame are in blocks, values in bit-reversed order.
        coefficients = self._blocks
        if spec.input_order == "bit_reversed":
            coefficients = self._reverse[coefficients]
        values = np.arange(n)
        if spec.output_order == "natural":
            values = self._reverse
        taken, given = (coefficients, values) if forward else (values, coefficients)
        frames = [
            (q, row[taken].astype(self._word).tobytes(), direction)
            for q, row in zip(moduli, rows, strict=True)
        ]
        out = new_array(x.shape, self._dtype)
        flat = out.reshape(-1, n)
        with self._lock:
            results = self._driver.run(frames)
        for row, words in zip(flat, results, strict=True):
            row[given] = np.frombuffer(words, self._word)
        return out


def _require_no_stream(stream: Any) -> None:
    if stream is not None:
        raise ParameterError("stream goes with device = 'cuda' only: leave it out")


def _require_supported(spec: _core.NttSpec) -> None:
    if spec.transform != "ntt":
        raise ParameterError("transform = 'dgt' does not go with device = 'rtl': use 'ntt'")
    if not 8 <= spec.n <= 1 << 16:
        raise ParameterError(f"n = {spec.n} with device = 'rtl' must be in 8 ... 65536")
    order = 2 * spec.n if spec.ring == "negacyclic" else spec.n
    for limb, (q, root) in enumerate(zip(spec.moduli, spec.roots, strict=True)):
        if root != (smallest := _core.smallest_root_of_unity(order, q)):
            raise ParameterError(
                f"roots[{limb}] = {root}: a design has the smallest root modulo q = {q}, "
                f"{smallest}; leave roots out"
            )


def _bit_reversal(n: int) -> NDArray[np.int64]:
    bits = n.bit_length() - 1
    index, result = np.arange(n), np.zeros(n, dtype=np.int64)
    for i in range(bits):
        result |= (index >> i & 1) << (bits - 1 - i)
    return result
