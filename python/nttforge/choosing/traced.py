# SPDX-License-Identifier: Apache-2.0
"""What stands for ciphertexts while a user's function is recorded: ranges in, ranges out."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from .. import _arguments as arguments
from ..circuits import Diagonals
from ..errors import ArgumentTypeError, ParameterError, SizeError
from ..integer_encoding.linear_map import matrix_bounds, matrix_of
from ..rlwe.comparisons import Incomparable
from ..rlwe.rotations import folded, sum_steps
from .noise import Noise, NoiseRules
from .times import Work

_MOST_BITS = 256  # of a step's values; t has far fewer, and results may not be larger

#: What may be done with shrunk ciphertexts.
_OF_ANSWERS = ("add", "sub", "negate", "shrink")

#: The noise of a step from that of its operands.
Rule = Callable[[NoiseRules, Sequence[Noise]], Noise]


@dataclass(frozen=True)
class TracedStep:
    """One operation: what it is called, what its result holds and how its noise comes about."""

    name: str
    operands: tuple[int, ...]
    low: int
    high: int
    parts: int
    rule: Rule
    work: Callable[[int], Work]  # of a row length
    shrunk: bool = False  # it, or what it was made of, is an answer to be sent


@dataclass
class Recorder:
    """The operations of one run of a function, in order, and what they need."""

    steps: list[TracedStep] = field(default_factory=list)
    rotations: list[Callable[[int], Iterable[int]]] = field(default_factory=list)  # of a row length
    swaps: list[Callable[[int], bool]] = field(default_factory=list)  # of columns, likewise
    relinearization: bool = False
    ciphertexts: int = 1  # of the largest input, which every operation is counted for
    places: list[int] = field(default_factory=list)  # steps that a plan may have bootstrapped
    bootstraps: int = 0  # that the function asks for itself
    largest: int = 1  # absolute value of inputs and plaintexts
    slots: int = 1  # that some operation or operand needs
    slots_for: str = "a ciphertext"
    modulus: int | None = None  # values wrap around it

    def add(
        self,
        name: str,
        operands: Sequence[Traced],
        bounds: tuple[int, int],
        parts: int,
        rule: Rule,
        work: Callable[[int], Work] | str = "",
    ) -> Traced:
        """The result of an operation. Slots behind what was encrypted hold 0.

        ``work`` is the name of one operation in the table of times, or says how many of each.
        """
        bounds = self.wrapped(*bounds)
        bits = max(abs(bound) for bound in bounds).bit_length()
        if bits > _MOST_BITS:
            raise ParameterError(
                f"step {len(self.steps) + 1} ({name}) has values of up to {bits} bits, and t has "
                "59 at most: scale the data down, compute fewer products, or say modular=True with "
                "t=... if arithmetic modulo t is meant"
            )
        shrunk = any(operand._step.shrunk for operand in operands)
        if shrunk and name not in _OF_ANSWERS:
            raise ParameterError(
                f"step {len(self.steps) + 1} ({name}): an operand was shrunk, which leaves it for "
                "sums alone: shrink what is sent, last"
            )
        indices = tuple(operand._index for operand in operands)
        once: Work = {work: 1} if isinstance(work, str) and work else {}
        times = (lambda row: once) if isinstance(work, str) else work
        shrunk = shrunk or name == "shrink"
        self.steps.append(TracedStep(name, indices, *bounds, parts, rule, times, shrunk))
        return Traced(self, len(self.steps) - 1)

    def passed(self, text: Any, keys: Any) -> Any:
        """Notes a place where a plan may have the text bootstrapped."""
        if isinstance(text, Traced):
            self.places.append(text._index)
        return text

    def wrapped(self, low: int, high: int) -> tuple[int, int]:
        """The range of values in [low, high] modulo :attr:`modulus`, signed."""
        if self.modulus is None:
            return low, high
        least, most = -(self.modulus // 2), (self.modulus - 1) // 2
        return (low, high) if least <= low and high <= most else (least, most)

    def need_slots(self, count: int, what: str) -> None:
        """At least so many slots."""
        if count > self.slots:
            self.slots, self.slots_for = count, what

    def plain(self, name: str, value: Any) -> tuple[int, int, float | None]:
        """Range of a plaintext operand, and the sum of its coefficients if that is known."""
        if isinstance(value, (int, np.integer)) and not isinstance(value, bool):
            low = high = int(value)
            norm: float | None = float(abs(low))
        elif isinstance(value, (np.ndarray, list, tuple)):
            array = np.asarray(value)
            if array.dtype.kind not in "iu" or array.ndim != 1 or not array.size:
                raise ArgumentTypeError(
                    f"{name}: an operand of dtype {array.dtype} and shape {array.shape} is no row "
                    "of slots; need integers, rounded and scaled first, of shape (m,)"
                )
            self.need_slots(array.size, f"an array of {array.size} integers")
            low, high = min(0, int(array.min())), max(0, int(array.max()))
            norm = None
        else:
            raise ArgumentTypeError(
                f"{name}: an operand is a {type(value).__name__}; a recorded function takes "
                "ciphertexts, integers and arrays of integers"
            )
        self.largest = max(self.largest, abs(low), abs(high))
        return low, high, norm


class Traced(Incomparable):
    """Stands for a :class:`Ciphertext` of slots while a function is recorded.

    Has its operators and methods, and :attr:`low` and :attr:`high`, between which its values are.
    Keys are not looked at: any object, also None, stands for them.
    """

    __slots__ = ("_index", "_recorder")
    _instead_of_comparing = (
        "a recorded function has no values, and must compute the same for all: decrypt its results "
        "and compare those"
    )
    __array_ufunc__ = None  # numpy arrays on the left leave the operation to this class

    def __init__(self, recorder: Recorder, index: int) -> None:
        self._recorder = recorder
        self._index = index

    @property
    def _step(self) -> TracedStep:
        return self._recorder.steps[self._index]

    @property
    def low(self) -> int:
        """No value is below."""
        return self._step.low

    @property
    def high(self) -> int:
        """No value is above."""
        return self._step.high

    @property
    def parts(self) -> int:
        """2, or 3 after a product."""
        return self._step.parts

    def _require_two_parts(self, what: str) -> None:
        if self.parts != 2:
            raise ParameterError(
                f"{what}: an operand has 3 parts, this operation needs 2: relinearize it first"
            )

    def _sum(self, other: Any, sign: int, name: str) -> Traced:
        if isinstance(other, Traced):
            low, high = (other.low, other.high) if sign > 0 else (-other.high, -other.low)
            bounds = (self.low + low, self.high + high)
            parts = max(self.parts, other.parts)
            return self._recorder.add(name, (self, other), bounds, parts, NoiseRules.add, "add")
        low, high, _ = self._recorder.plain(name, other)
        low, high = (low, high) if sign > 0 else (-high, -low)
        bounds = (self.low + low, self.high + high)
        return self._recorder.add(
            name, (self,), bounds, self.parts, NoiseRules.add_plain, "plain sum"
        )

    def __add__(self, other: Any) -> Traced:
        return self._sum(other, 1, "add")

    __radd__ = __add__

    def __sub__(self, other: Any) -> Traced:
        return self._sum(other, -1, "sub")

    def __rsub__(self, other: Any) -> Traced:
        return (-self)._sum(other, 1, "sub")

    def __neg__(self) -> Traced:
        bounds = (-self.high, -self.low)
        return self._recorder.add("negate", (self,), bounds, self.parts, NoiseRules.same, "add")

    def __mul__(self, other: Any) -> Traced:
        if not isinstance(other, Traced):
            low, high, norm = self._recorder.plain("multiply", other)
            bounds = _product((self.low, self.high), (low, high))
            rule = NoiseRules.multiply_plain(norm)
            name = "multiply by a plaintext" if norm is None else f"multiply by {low}"
            work = "plain product" if norm is None else "constant"
            return self._recorder.add(name, (self,), bounds, self.parts, rule, work)
        self._require_two_parts("multiply")
        other._require_two_parts("multiply")
        bounds = _product((self.low, self.high), (other.low, other.high))
        if self._index == other._index and self.low <= 0 <= self.high:
            bounds = (0, bounds[1])
        return self._recorder.add(
            "multiply", (self, other), bounds, 3, NoiseRules.multiply, "product"
        )

    __rmul__ = __mul__

    def square(self) -> Traced:
        """``self * self``."""
        return self * self

    def relinearize(self, key: Any = None) -> Traced:
        """Three parts to two."""
        if self.parts == 2:
            return self
        self._recorder.relinearization = True
        return self._same("relinearize", NoiseRules.key_switch, "relinearize")

    def rotate_rows(self, step: int, keys: Any = None) -> Traced:
        """As :meth:`Ciphertext.rotate_rows`."""
        self._require_two_parts("rotate_rows")
        step = arguments.integer("step", step, -(2**16), 2**16)
        self._recorder.need_slots(2 * (abs(step) + 1), f"a rotation by {step}")
        self._recorder.rotations.append(lambda row: (step,))
        rule = NoiseRules.key_switch if step else NoiseRules.same
        return self._same(f"rotate by {step}", rule, "rotate" if step else "")

    def rotate_many(self, steps: Iterable[int], keys: Any = None) -> list[Traced]:
        """As :meth:`Ciphertext.rotate_many`."""
        return [self.rotate_rows(step) for step in steps]

    def swap_columns(self, keys: Any = None) -> Traced:
        """As :meth:`Ciphertext.swap_columns`."""
        self._require_two_parts("swap_columns")
        self._recorder.swaps.append(lambda row: True)
        return self._same("swap columns", NoiseRules.key_switch, "rotate")

    def inner_sum(self, span: int, keys: Any = None) -> Traced:
        """As :meth:`Ciphertext.inner_sum`."""
        self._require_two_parts("inner_sum")
        span = arguments.integer("span", span, 1, 2**16, "a power of two up to n")
        if span & (span - 1):
            raise ParameterError(f"span = {span} must be a power of two; pad with zeros")
        self._recorder.need_slots(span, f"a sum over {span} slots")
        self._recorder.rotations.append(
            lambda row: [1 << i for i in range(min(span, row).bit_length() - 1)]
        )
        self._recorder.swaps.append(lambda row: span > row)
        return self._repeated(f"sum over {span} slots", span)

    def sum_axis(self, shape: Sequence[int], axis: int, keys: Any = None) -> Traced:
        """As :meth:`Ciphertext.sum_axis`."""
        self._require_two_parts("sum_axis")
        steps = sum_steps(shape, axis)
        self._recorder.need_slots(2 * shape[0] * shape[1], f"matrices of shape {tuple(shape)}")
        self._recorder.rotations.append(lambda row: steps)
        return self._repeated(f"sum over axis {axis} of {tuple(shape)}", shape[axis])

    def dot(self, other: Any, span: int, keys: Any = None) -> Traced:
        """As :meth:`Ciphertext.dot`."""
        product: Traced = self * other
        return product.relinearize().inner_sum(span)

    def matmul(
        self, matrix: Any, keys: Any = None, *, block: int | None = None, repeated: bool = False
    ) -> Traced:
        """As :meth:`Ciphertext.matmul`, of a matrix of integers."""
        self._require_two_parts("matmul")
        values = matrix_of(matrix)
        rows, columns = (int(size) for size in values.shape)
        least = block or 1 << (max(rows, columns) - 1).bit_length()
        self._recorder.need_slots(2 * least, f"vectors of {least} slots")
        self._recorder.largest = max(self._recorder.largest, int(np.abs(values).max()))

        def layout(row: int) -> Diagonals:
            return Diagonals.of((rows, columns), row, block, repeated)

        self._recorder.rotations.append(lambda row: layout(row).rotations(row))
        bounds = matrix_bounds(values, self.low, self.high)
        rule = NoiseRules.linear_map(layout)
        name = f"matrix {rows} x {columns}"
        return self._recorder.add(name, (self,), bounds, 2, rule, lambda row: _work(layout(row)))

    def shrink(self, min_budget_bits: float = 10, *, bound: str = "heuristic") -> Traced:
        """As :meth:`Ciphertext.shrink`: the parameters leave ``min_budget_bits`` to be kept."""
        budget = float(min_budget_bits)
        if not 0 <= budget <= 1000:
            raise ParameterError(
                f"min_budget_bits = {min_budget_bits!r} must be in 0 ... 1000 bits"
            )
        rule = NoiseRules.shrunk(budget)
        bounds = (self.low, self.high)
        return self._recorder.add("shrink", (self,), bounds, self.parts, rule, "")

    def bootstrap(self, keys: Any = None, **options: Any) -> Traced:
        """As :meth:`Ciphertext.bootstrap`: asks for a set that has bootstraps."""
        self._require_two_parts("bootstrap")
        self._recorder.bootstraps += 1
        return self._same("bootstrap", NoiseRules.bootstrapped, "bootstrap")

    def mod_switch(self, level: int | None = None) -> Traced:
        """Not recorded: a choice of parameters is one for BFV without levels."""
        raise ParameterError("mod_switch: recorded functions have no levels; leave it out")

    def mapped(
        self, name: str, layout: Diagonals, steps: list[int], bounds: tuple[int, int], largest: int
    ) -> Traced:
        """A linear map of an encrypted array, whose rotations are known."""
        self._require_two_parts("matmul")
        self._recorder.rotations.append(lambda row: steps)
        self._recorder.largest = max(self._recorder.largest, largest)
        rule = NoiseRules.linear_map(lambda row: layout)
        work = _work(layout)
        work["plain product"] = work.pop("prepared product")  # its diagonals are encoded each time
        return self._recorder.add(name, (self,), bounds, 2, rule, lambda row: work)

    def bounded(self, low: int, high: int) -> None:
        """Says what whoever computed this knows better: its range."""
        low, high = self._recorder.wrapped(low, high)
        self._recorder.steps[self._index] = replace(self._step, low=low, high=high)

    def _same(self, name: str, rule: Rule, work: str) -> Traced:
        return self._recorder.add(name, (self,), (self.low, self.high), 2, rule, work)

    def _repeated(self, name: str, count: int) -> Traced:
        bounds = (count * self.low, count * self.high)
        rule, rotations = NoiseRules.rotated_sums(count), count.bit_length() - 1
        work = {"rotate": rotations, "add": rotations}
        return self._recorder.add(name, (self,), bounds, 2, rule, lambda row: work)

    def __repr__(self) -> str:
        return f"<Traced, {self.parts} parts, values in [{self.low}, {self.high}]>"


def _work(layout: Diagonals) -> dict[str, float]:
    """Rotations of baby steps share a decomposition, and are counted as half of one."""
    baby, giant = len(layout.baby_steps), len(layout.giant_steps)
    return {"rotate": 0.5 * baby + giant, "prepared product": 0.5 * baby * giant, "add": giant}


def _product(a: tuple[int, int], b: tuple[int, int]) -> tuple[int, int]:
    corners = [x * y for x in a for y in b]
    return min(corners), max(corners)


def input_range(name: str, value: Any) -> tuple[int, int, int]:
    """Lowest and highest value of an input, 0 among them, and the slots it takes."""
    if isinstance(value, np.ndarray):
        if value.dtype.kind not in "iu" or not value.size:
            raise ArgumentTypeError(f"inputs[{name}] has dtype {value.dtype}: need integers")
        return min(0, int(value.min())), max(0, int(value.max())), value.shape[-1]
    if isinstance(value, range):
        value = (min(value), max(value)) if len(value) else ()
    bounds = arguments.integers(f"inputs[{name}]", value, -(2**62), 2**62)
    if len(bounds) != 2 or bounds[0] > bounds[1]:
        raise SizeError(
            f"inputs[{name}] = {value!r}: need the lowest and the highest value, a range or an "
            "array of integers"
        )
    return min(0, bounds[0]), max(0, bounds[1]), 1


def rotation_steps(recorder: Recorder, n: int) -> list[int]:
    """Steps whose keys the recorded operations need for rows of n/2 slots."""
    row = n // 2
    return sorted({folded(s, row) for steps in recorder.rotations for s in steps(row)} - {0})
