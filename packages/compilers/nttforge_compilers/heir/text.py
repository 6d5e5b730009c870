# SPDX-License-Identifier: Apache-2.0
"""MLIR's generic text form read by xdsl, which is imported here alone."""

from __future__ import annotations

import math
import re
from typing import Any

import numpy as np

from nttforge import FormatError, SizeError, UnsupportedError

__all__ = ["attribute", "elements", "is_ciphertext", "name_of", "parse", "shape_of"]

MOST_ELEMENTS = 2**24  # of one tensor
_TENSOR = re.compile(r"tensor<((?:\d+x)+)")
_LEFT_OUT = re.compile(r"dense(?:_resource)?<\s*__elided__")


def parse(text: str) -> Any:
    """The module of a text, an operation of xdsl.

    Raises
    ------
    UnsupportedError
        xdsl is not installed.
    FormatError
        The text is not in MLIR's generic form.
    """
    try:
        from xdsl.context import Context
        from xdsl.dialects.builtin import Builtin
        from xdsl.parser import Parser
        from xdsl.utils.exceptions import ParseError, VerifyException
    except ImportError:
        raise UnsupportedError(
            "HEIR's texts are read by xdsl, on Python 3.11 or newer: pip install 'xdsl>=0.75,<0.76'"
        ) from None
    if not isinstance(text, str):
        raise FormatError(f"text is a {type(text).__name__}: need what heir-opt wrote, a str")
    if _LEFT_OUT.search(text):
        raise FormatError(
            "text has a constant whose numbers were left out: run heir-opt without "
            "--mlir-elide-elementsattrs-if-larger"
        )
    for found in set(_TENSOR.findall(text)):  # xdsl would make arrays of them
        if math.prod(map(int, found[:-1].split("x"))) > MOST_ELEMENTS:
            raise SizeError(f"text has a tensor<{found}...>: need at most {MOST_ELEMENTS} elements")
    context = Context(allow_unregistered=True)
    context.load_dialect(Builtin)
    try:
        return Parser(context, text).parse_module()
    except (ParseError, VerifyException, ValueError, RecursionError) as error:
        said = str(error).strip().splitlines() or [type(error).__name__]
        raise FormatError(
            f"text is not MLIR in generic form (heir-opt --mlir-print-op-generic): {said[-1]}"
        ) from error


def name_of(operation: Any) -> str:
    """The name of an operation, with its dialect."""
    given = getattr(operation, "op_name", None)
    return str(given.data if given is not None else operation.name)


def attribute(operation: Any, name: str) -> Any:
    """An attribute or property as Python's numbers, or the attribute itself; None if absent."""
    found = operation.properties.get(name, operation.attributes.get(name))
    return None if found is None else _plain(found)


def _plain(found: Any) -> Any:
    kind = type(found).__name__
    if kind in ("IntegerAttr", "FloatAttr"):
        return found.value.data
    if kind == "DenseArrayBase":
        return list(found.get_values())
    if kind == "ArrayAttr":
        return [_plain(value) for value in found.data]
    if kind == "DictionaryAttr":
        return {key: _plain(value) for key, value in found.data.items()}
    if kind in ("StringAttr", "SymbolRefAttr"):
        return found.data if kind == "StringAttr" else found.root_reference.data
    return found


def shape_of(kind: Any, where: str) -> tuple[int, ...] | None:
    """The shape of a tensor's type, checked; None of other types."""
    if type(kind).__name__ != "TensorType":
        return None
    shape = tuple(int(length) for length in kind.get_shape())
    if min(shape, default=1) < 0 or math.prod(shape) > MOST_ELEMENTS:
        raise SizeError(
            f"{where} has the shape {shape}: need known lengths and at most {MOST_ELEMENTS} "
            "elements"
        )
    return shape


def is_ciphertext(kind: Any) -> bool:
    """Whether a type is that of ciphertexts, or of tensors of them."""
    inner = getattr(kind, "element_type", kind)
    return "lwe_ciphertext" in str(getattr(getattr(inner, "attr_name", None), "data", ""))


def is_real(kind: Any) -> bool:
    """Whether numbers of a type, or of its elements, are floating."""
    inner = getattr(kind, "element_type", kind)
    return type(inner).__name__ in ("Float16Type", "Float32Type", "Float64Type", "BFloat16Type")


def elements(value: Any, where: str) -> Any:
    """The numbers of a constant: an int, a float, or an array."""
    if type(value).__name__ != "DenseIntOrFPElementsAttr":
        found = _plain(value)
        if isinstance(found, (int, float)):
            return found
        raise UnsupportedError(f"{where} is a constant of kind {type(value).__name__}")
    shape = shape_of(value.type, where)
    numbers = np.array(value.get_values(), dtype=np.float64 if is_real(value.type) else np.int64)
    if numbers.size == 1:
        return np.full(shape or (), numbers.ravel()[0])
    if numbers.size != math.prod(shape or ()):
        raise FormatError(f"{where} has {numbers.size} numbers for the shape {shape}")
    return numbers.reshape(shape or ())
