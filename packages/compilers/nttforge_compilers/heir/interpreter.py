# SPDX-License-Identifier: Apache-2.0
"""Functions of HEIR's texts carried out: what is in the clear is computed, ciphertexts are traced.

A ciphertext is a :class:`Wire`, which names an operation of a graph, and what is encoded a
:class:`Encoded` vector; tensors of either are arrays of objects. Loops have bounds in the clear,
so that they are carried out as they stand.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nttforge import FormatError, SizeError, UnsupportedError

from ..graph import Graph
from . import text as mlir

__all__ = ["Encoded", "Interpreter", "Wire", "boxed"]

MOST_STEPS = 2**24


@dataclass(frozen=True, eq=False)
class Wire:
    """A ciphertext: the number of the operation that makes it."""

    number: int


@dataclass(frozen=True, eq=False)
class Encoded:
    """Numbers as they lie in slots, encoded, or encrypted by a client."""

    values: NDArray[Any]


@dataclass(frozen=True, eq=False)
class _Diagonals:
    """A linear transform that was made ready."""

    numbers: list[int]
    rows: NDArray[Any]


def _divided(x: Any, y: Any) -> Any:
    """Towards 0, as arith.divsi."""
    return np.sign(x) * np.sign(y) * (abs(x) // abs(y))


_BINARY: dict[str, Callable[[Any, Any], Any]] = {
    "addi": operator.add,
    "subi": operator.sub,
    "muli": operator.mul,
    "divsi": _divided,
    "divui": operator.floordiv,
    "floordivsi": operator.floordiv,
    "ceildivsi": lambda x, y: -(-x // y),
    "remsi": lambda x, y: x - y * _divided(x, y),
    "remui": operator.mod,
    "andi": operator.and_,
    "ori": operator.or_,
    "xori": operator.xor,
    "minsi": np.minimum,
    "maxsi": np.maximum,
    "addf": operator.add,
    "subf": operator.sub,
    "mulf": operator.mul,
    "divf": operator.truediv,
    "minimumf": np.minimum,
    "maximumf": np.maximum,
}
#: By the number of arith's predicate; unsigned ones compare numbers that are not negative.
_COMPARE = (
    operator.eq,
    operator.ne,
    operator.lt,
    operator.le,
    operator.gt,
    operator.ge,
    operator.lt,
    operator.le,
    operator.gt,
    operator.ge,
)
_SAME = ("index_cast", "extsi", "extui", "trunci", "extf", "truncf")
#: What levels need, which look after themselves.
_OF_LEVELS = ("relinearize", "rescale", "level_reduce", "modulus_switch")


class Interpreter:
    """Carries out functions of one module.

    Parameters
    ----------
    functions : mapping of str to operation
    graph : Graph
        Gets the operations on ciphertexts.
    """

    def __init__(self, functions: Mapping[str, Any], graph: Graph) -> None:
        self._functions, self._graph, self._steps = functions, graph, 0
        self._where = ""

    def call(self, name: str, arguments: Sequence[Any]) -> list[Any]:
        """The results of a function."""
        if name not in self._functions:
            raise FormatError(f"function {name!r} is called and not defined")
        outer, self._where = self._where, name
        regions = self._functions[name].regions
        if not regions or not regions[0].blocks:
            raise UnsupportedError(f"function {name!r} has no body")
        found = self._region(regions[0], arguments, {})
        self._where = outer
        return found

    def _region(self, region: Any, arguments: Sequence[Any], outer: dict[Any, Any]) -> list[Any]:
        """What the last operation of a region of one block gives."""
        blocks = list(region.blocks)
        if len(blocks) != 1 or len(blocks[0].args) != len(arguments):
            raise UnsupportedError(
                f"{self._where}: a region has {len(blocks)} blocks; need one, with "
                f"{len(arguments)} arguments"
            )
        values = {**outer, **dict(zip(blocks[0].args, arguments, strict=True))}
        for operation in blocks[0].ops:
            self._steps += 1
            if self._steps > MOST_STEPS:
                raise SizeError(f"{self._where} takes more than {MOST_STEPS} steps")
            name = mlir.name_of(operation)
            operands = [values[operand] for operand in operation.operands]
            if name in ("func.return", "scf.yield", "affine.yield"):
                return operands
            results = self._operation(name, operation, operands, values)
            values.update(zip(operation.results, results, strict=True))
        return []

    def _operation(
        self, name: str, operation: Any, operands: list[Any], values: dict[Any, Any]
    ) -> list[Any]:
        dialect, _, short = name.partition(".")
        if name in ("scf.for", "affine.for"):
            return self._for(name, operation, operands, values)
        if name == "scf.if":
            regions = operation.regions
            return self._region(regions[0] if operands[0] else regions[1], (), values)
        if name == "func.call":
            return self.call(mlir.attribute(operation, "callee"), operands)
        try:
            if dialect == "arith":
                found = self._arith(short, operation, operands)
            elif dialect == "tensor":
                found = self._tensor(short, operation, operands)
            elif dialect in ("bgv", "ckks", "lwe", "kernel"):
                found = self._encrypted(name, short, operation, operands)
            else:
                found = NotImplemented
        except (IndexError, TypeError, ValueError, KeyError) as error:
            if isinstance(error, (FormatError, SizeError)):
                raise
            raise FormatError(f"{self._where}: operation {name!r}: {error}") from error
        if found is NotImplemented:
            raise UnsupportedError(
                f"{self._where}: operation {name!r} is not supported; docs/compilers.md lists "
                "those that are"
            )
        return [found]

    def _for(
        self, name: str, operation: Any, operands: list[Any], values: dict[Any, Any]
    ) -> list[Any]:
        if name == "scf.for":
            (low, high, step), carried = operands[:3], operands[3:]
        else:
            low, high = (
                _constant_map(operation, f"{which}BoundMap") for which in ("lower", "upper")
            )
            step, carried = mlir.attribute(operation, "step"), operands
        if step < 1:
            raise FormatError(f"{self._where}: {name} has the step {step}: need 1 or more")
        for i in range(int(low), int(high), int(step)):
            self._steps += 1
            carried = self._region(operation.regions[0], [i, *carried], values)
        return carried

    def _arith(self, short: str, operation: Any, operands: list[Any]) -> Any:
        if short == "constant":
            value = operation.properties.get("value", operation.attributes.get("value"))
            return mlir.elements(value, f"{self._where}: a constant")
        if short in _BINARY:
            return _BINARY[short](*operands)
        if short in _SAME:
            return operands[0]
        if short == "cmpi":
            return _COMPARE[mlir.attribute(operation, "predicate")](*operands)
        if short == "select":
            return operands[1] if operands[0] else operands[2]
        if short == "negf":
            return -operands[0]
        if short == "sitofp":
            return np.asarray(operands[0], dtype=np.float64)[()]
        return NotImplemented

    def _tensor(self, short: str, operation: Any, operands: list[Any]) -> Any:
        kind = operation.results[0].type
        shape: Any = mlir.shape_of(kind, f"{self._where}: the result of tensor.{short}")
        if short == "extract":
            found = operands[0][_place(operands[0], operands[1:])]
            return found.item() if isinstance(found, np.generic) else found
        if short == "insert":
            made = operands[1].copy()
            made[_place(made, operands[2:])] = operands[0]
            return made
        if short == "empty":
            return np.empty(shape, object) if mlir.is_ciphertext(kind) else _zeros(kind, shape)
        if short == "splat":
            made = np.empty(shape, np.asarray(operands[0]).dtype)
            made[...] = operands[0]
            return made
        if short == "from_elements":
            boxed = any(isinstance(value, (Wire, Encoded)) for value in operands)
            made = np.empty(len(operands), object) if boxed else np.array(operands)
            made[:] = operands
            return made.reshape(shape)
        if short == "extract_slice":
            return operands[0][_slices(operation, operands[1:])].reshape(shape)
        if short == "insert_slice":
            made = operands[1].copy()
            where = _slices(operation, operands[2:])
            made[where] = operands[0].reshape(made[where].shape)
            return made
        if short in ("expand_shape", "collapse_shape"):
            return operands[0].reshape(shape)
        if short == "concat":
            return np.concatenate(operands, axis=mlir.attribute(operation, "dim"))
        return NotImplemented

    def _encrypted(self, name: str, short: str, operation: Any, operands: list[Any]) -> Any:
        graph, dialect = self._graph, name.split(".", maxsplit=1)[0]
        if dialect == "lwe":
            return self._client(short, operation, operands)
        if short in _OF_LEVELS:
            return operands[0]
        size = max((x.size for x in operands if _is_boxed(x)), default=0)
        if size:  # tensors of ciphertexts, one by one
            rows = [x.ravel() if _is_boxed(x) else [x] * size for x in operands]
            each = [
                self._encrypted(name, short, operation, list(row))
                for row in zip(*rows, strict=True)
            ]
            shape = next(x.shape for x in operands if _is_boxed(x))
            return NotImplemented if NotImplemented in each else boxed(each, shape)
        if dialect == "kernel":
            return self._kernel(short, operation, operands)
        if short in ("add", "sub", "mul"):
            x, y = (self._wire(name, operand) for operand in operands)
            return Wire(graph.add("multiply" if short == "mul" else short, x, y))
        if short in ("add_plain", "sub_plain", "mul_plain"):
            return self._with_plain(name, short, operands)
        if short == "negate":
            return Wire(graph.add("negate", self._wire(name, operands[0])))
        if short in ("rotate", "rotate_cols"):
            step = operands[1] if len(operands) > 1 else mlir.attribute(operation, "static_shift")
            return Wire(graph.rotate(self._wire(name, operands[0]), int(step)))
        if short == "bootstrap":
            return Wire(graph.add("bootstrap", self._wire(name, operands[0])))
        return NotImplemented

    def _client(self, short: str, operation: Any, operands: list[Any]) -> Any:
        """What the owner of the keys does: numbers to slots and back."""
        kind, where = operation.results[0].type, f"{self._where}: the result of lwe.{short}"
        shape = mlir.shape_of(kind, where)
        if short == "rlwe_encode":
            row = np.asarray(operands[0])
            if shape is None:
                return Encoded(np.atleast_1d(row).ravel())
            return boxed([Encoded(r) for r in row.reshape(math.prod(shape), -1)], shape)
        if short in ("rlwe_encrypt", "rlwe_decrypt"):
            return operands[0]
        if short == "rlwe_decode":
            texts = operands[0].ravel() if isinstance(operands[0], np.ndarray) else [operands[0]]
            length = math.prod(shape or ()) // len(texts)
            found = np.concatenate([text.values[:length] for text in texts])
            if not mlir.is_real(kind):
                found = np.rint(found).astype(np.int64)
            return found[0] if shape is None else found.reshape(shape)
        return NotImplemented

    def _with_plain(self, name: str, short: str, operands: list[Any]) -> Any:
        graph, first = self._graph, operands[0]
        plain = first if isinstance(first, Encoded) else operands[1]
        if not isinstance(plain, Encoded):
            raise FormatError(f"{self._where}: operation {name!r} takes a plaintext, and has none")
        x = self._wire(name, operands[1] if plain is first else first)
        if short == "mul_plain":
            return Wire(graph.multiply_plain(x, plain.values))
        if short == "sub_plain" and plain is first:
            x = graph.add("negate", x)
        elif short == "sub_plain":
            return Wire(graph.add_plain(x, -plain.values))
        return Wire(graph.add_plain(x, plain.values))

    def _kernel(self, short: str, operation: Any, operands: list[Any]) -> Any:
        graph = self._graph
        if short == "prepare_linear_transform":
            numbers = mlir.attribute(operation, "diagonal_indices")
            rows = np.asarray(operands[0], dtype=np.float64)
            if (chosen := mlir.attribute(operation, "source_row_indices")) is not None:
                rows = rows[[_place(rows, (row, 0))[0] for row in chosen]]
            if rows.ndim != 2 or len(rows) != len(numbers):
                raise FormatError(
                    f"{self._where}: {len(numbers)} diagonal_indices for a tensor of shape "
                    f"{rows.shape}: need a row for each"
                )
            return _Diagonals([int(number) for number in numbers], rows)
        if short == "apply_linear_transform":
            x = self._wire("kernel.apply_linear_transform", operands[0])
            found: dict[int, NDArray[Any]] = {}
            for number, row in zip(operands[1].numbers, operands[1].rows, strict=True):
                step = number % graph.slots
                found[step] = found[step] + row if step in found else row
            return Wire(graph.linear_transform(x, found))
        if short == "eval_chebyshev":
            x = self._wire("kernel.eval_chebyshev", operands[0])
            coefficients = mlir.attribute(operation, "coefficients")
            return Wire(graph.polynomial(x, coefficients, "chebyshev"))
        return NotImplemented

    def _wire(self, name: str, operand: Any) -> int:
        if not isinstance(operand, Wire):
            kind = type(operand).__name__
            raise FormatError(f"{self._where}: operation {name!r} takes a ciphertext, not {kind}")
        return operand.number


def _is_boxed(value: Any) -> bool:
    return isinstance(value, np.ndarray) and value.dtype == object


def boxed(values: Sequence[Any], shape: Any) -> NDArray[Any]:
    """A tensor of what are no numbers."""
    made = np.empty(len(values), object)
    made[:] = values
    return made.reshape(shape)


def _zeros(kind: Any, shape: Any) -> NDArray[Any]:
    return np.zeros(shape, np.float64 if mlir.is_real(kind) else np.int64)


def _place(array: Any, indices: Sequence[Any]) -> tuple[int, ...]:
    """Indices that are inside: negative ones are none of MLIR's."""
    place = tuple(int(index) for index in indices)
    if len(place) != array.ndim or not all(
        0 <= i < n for i, n in zip(place, array.shape, strict=True)
    ):
        raise IndexError(f"indices {place} of a tensor of shape {array.shape}")
    return place


def _slices(operation: Any, operands: Sequence[Any]) -> tuple[slice, ...]:
    """What a slice selects; numbers that are not static stand among the operands, in order."""
    dynamic, found = list(operands), []
    for name in ("static_offsets", "static_sizes", "static_strides"):
        row = mlir.attribute(operation, name)
        found.append([dynamic.pop(0) if number == -(2**63) else number for number in row])
    selected = []
    for offset, size, stride in zip(*found, strict=True):
        if offset < 0 or size < 0 or stride < 1:
            raise IndexError(f"a slice of offset {offset}, size {size} and stride {stride}")
        selected.append(slice(int(offset), int(offset + (size - 1) * stride + 1), int(stride)))
    return tuple(selected)


def _constant_map(operation: Any, name: str) -> int:
    """The number of an affine map without arguments."""
    given = operation.properties.get(name, operation.attributes.get(name))
    results: Any = getattr(getattr(given, "data", None), "results", ())
    value = getattr(results[0], "value", None) if len(results) == 1 else None
    if value is None:
        raise UnsupportedError(f"affine.for has the {name} {given}: need a number")
    return int(value)
