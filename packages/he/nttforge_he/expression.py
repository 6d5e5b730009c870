# SPDX-License-Identifier: Apache-2.0
"""Computations as text: a small part of Python's expressions, read without running any Python."""

from __future__ import annotations

import ast
import math
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from nttforge.errors import FormatError, MissingKeyError, NoiseError, NttforgeError, shortened

__all__ = ["FUNCTIONS", "Expression", "parse"]

_MOST_CHARACTERS = 10_000
_MOST_NESTING = 50
_MOST_OPERATIONS = 1000
_MOST_BITS = 64

#: What may be called, how, and which arguments are numbers.
FUNCTIONS: dict[str, tuple[str, int, int]] = {
    "roll": ("roll(x, shift)", 2, 2),
    "sum": ("sum(x), sum(x, axis)", 1, 2),
    "mean": ("mean(x), mean(x, axis)", 1, 2),
    "dot": ("dot(x, y)", 2, 2),
    "convolve": ("convolve(x, y)", 2, 2),
    "polynomial": ("polynomial(x, [c0, c1, ...])", 2, 2),
    "precision": ("precision(x, error)", 2, 2),
}

_OPERATORS: dict[type, tuple[str, Callable[[Any, Any], Any]]] = {
    ast.Add: ("+", lambda a, b: a + b),
    ast.Sub: ("-", lambda a, b: a - b),
    ast.Mult: ("*", lambda a, b: a * b),
    ast.MatMult: ("@", lambda a, b: a @ b),
    ast.Pow: ("**", lambda a, b: a**b),
}


@dataclass(frozen=True)
class Expression:
    """A checked expression; made by :func:`parse`."""

    text: str
    names: tuple[str, ...]
    operations: int
    _body: ast.expr

    def evaluate(
        self, values: Mapping[str, Any], progress: Callable[[int, str], None] | None = None
    ) -> Any:
        """The value with these arrays for the names.

        Parameters
        ----------
        values : mapping
            An :class:`EncryptedArray` for each of :attr:`names`.
        progress : callable, optional
            Called with the number and the text of each operation before it is computed.

        Raises
        ------
        NttforgeError
            As the operation; the message begins with the part of the text that it is.
        """
        return _Walk(self.text, values, progress).value(self._body)


def parse(text: str) -> Expression:
    """Reads an expression.

    Names stand for encrypted arrays. There are ``+ - * @ **``, numbers, lists of numbers, indices
    and slices, and the functions of :data:`FUNCTIONS`.

    Raises
    ------
    FormatError
        It is none; the message says where and what is allowed.

    Examples
    --------
    >>> parse("roll(a*b, 1) + 3*c").names
    ('a', 'b', 'c')
    """
    if not isinstance(text, str):
        raise FormatError(f"expression is a {type(text).__name__}: need text")
    if len(text) > _MOST_CHARACTERS:
        raise FormatError(
            f"expression has {len(text)} characters: at most {_MOST_CHARACTERS} are read; compute "
            "it in parts"
        )
    text = text.strip()
    _require_shallow(text)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")  # such as of 1or2, which is read as 1 or 2
            tree = ast.parse(text, mode="eval")
    except SyntaxError as error:
        raise FormatError(
            f"expression {shortened(text, 80)!r} cannot be read at character {error.offset or 1}: "
            f"{error.msg}"
        ) from None
    except (ValueError, MemoryError, RecursionError, Warning) as error:
        raise FormatError(f"expression cannot be read: {type(error).__name__}") from None
    check = _Check(text)
    check.node(tree.body, 0)
    if not check.names:
        raise FormatError(
            f"expression {shortened(text, 80)!r} names no encrypted array: nothing to compute"
        )
    return Expression(text, tuple(check.names), check.operations, tree.body)


def _require_shallow(text: str) -> None:
    """Python's own parser runs out of stack, or warns, for what no computation needs."""
    depth = signs = 0
    for c in text:
        if (ord(c) < 32 and c not in "\t") or c in "\\'\"#" or ord(c) == 127:
            raise FormatError(
                f"expression has the character {c!r}: it is one line of names, numbers, operators "
                "and calls"
            )
        depth += (c in "([{") - (c in ")]}")
        signs = signs + 1 if c in "+-~ \t*" else 0
        if depth > _MOST_NESTING or signs > _MOST_NESTING:
            raise FormatError(
                f"expression is nested deeper than {_MOST_NESTING}: compute it in parts"
            )


class _Check:
    """Walks a tree once and refuses all that is not in the list."""

    def __init__(self, text: str) -> None:
        self._text = text
        self.names: list[str] = []
        self.operations = 0

    def _error(self, node: ast.AST, what: str) -> FormatError:
        at = getattr(node, "col_offset", 0)
        part = shortened(ast.get_source_segment(self._text, node) or "", 40)
        return FormatError(f"expression, character {at + 1}, {part!r}: {what}")

    def _count(self, node: ast.AST) -> None:
        self.operations += 1
        if self.operations > _MOST_OPERATIONS:
            raise self._error(node, f"more than {_MOST_OPERATIONS} operations: compute it in parts")

    def node(self, node: ast.expr, depth: int) -> bool:
        """Checks a node; whether its value is encrypted."""
        if depth > 4 * _MOST_NESTING:
            raise self._error(node, f"nested deeper than {4 * _MOST_NESTING}: compute it in parts")
        if isinstance(node, ast.Name):
            if node.id in FUNCTIONS:
                raise self._error(node, f"a function is called: {FUNCTIONS[node.id][0]}")
            if node.id not in self.names:
                self.names.append(node.id)
            return True
        if isinstance(node, (ast.Constant, ast.List)):
            self.number(node, isinstance(node, ast.List))
            return False
        if isinstance(node, ast.UnaryOp):
            if not isinstance(node.op, (ast.USub, ast.UAdd)):
                raise self._error(node, "of one operand there are - and + only")
            if isinstance(node.operand, ast.List):
                raise self._error(node, "a sign of a list: write it at each number")
            self._count(node)
            return self.node(node.operand, depth + 1)
        if isinstance(node, ast.BinOp):
            return self._binary(node, depth)
        if isinstance(node, ast.Subscript):
            return self._subscript(node, depth)
        if isinstance(node, ast.Call):
            return self._call(node, depth)
        raise self._error(
            node,
            "not allowed: an expression has names of arrays, numbers, + - * @ **, indices, and "
            f"{', '.join(FUNCTIONS)}",
        )

    def number(self, node: ast.expr, several: bool = False, nested: int = 1) -> None:
        """A number, or a list of numbers, perhaps with a sign."""
        if several and isinstance(node, ast.List):
            if not node.elts:
                raise self._error(node, "the list is empty")
            inner_lists = {len(e.elts) if isinstance(e, ast.List) else None for e in node.elts}
            if len(inner_lists) > 1:
                raise self._error(node, "rows of a matrix have one length")
            for element in node.elts:
                self.number(element, nested < 2 and isinstance(element, ast.List), nested + 1)
            return
        inner = node
        if isinstance(inner, ast.UnaryOp) and isinstance(inner.op, (ast.USub, ast.UAdd)):
            inner = inner.operand
        value = inner.value if isinstance(inner, ast.Constant) else None
        if type(value) not in (int, float):
            raise self._error(node, "need a number")
        assert isinstance(value, (int, float))
        if isinstance(value, float) and not math.isfinite(value):
            raise self._error(node, "the number is not finite")
        if isinstance(value, int) and value.bit_length() > _MOST_BITS:
            raise self._error(node, f"the number has more than {_MOST_BITS} bits")

    def integer(self, node: ast.expr, what: str) -> None:
        """An integer with a sign."""
        self.number(node)
        inner = node.operand if isinstance(node, ast.UnaryOp) else node
        if not isinstance(inner, ast.Constant) or type(inner.value) is not int:
            raise self._error(node, f"{what} is an integer")

    def _binary(self, node: ast.BinOp, depth: int) -> bool:
        if type(node.op) not in _OPERATORS:
            raise self._error(
                node,
                "the operator is none of + - * @ **; to divide, multiply by the inverse with a "
                "scale, or divide what is decrypted",
            )
        self._count(node)
        left = self.node(node.left, depth + 1)
        if isinstance(node.op, ast.Pow):
            self.integer(node.right, "an exponent")
            right = False
            if not left:
                raise self._error(node, "a power of a plain number: write the number")
        else:
            right = self.node(node.right, depth + 1)
        if not (left or right):
            raise self._error(node, "both operands are plain numbers: write their result")
        return True

    def _subscript(self, node: ast.Subscript, depth: int) -> bool:
        if not self.node(node.value, depth + 1):
            raise self._error(node, "an index goes with an encrypted array")
        self._count(node)
        items = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        for item in items:
            if isinstance(item, ast.Slice):
                for end in (item.lower, item.upper, item.step):
                    if end is not None:
                        self.integer(end, "an end of a slice")
            else:
                self.integer(item, "an index")
        return True

    def _call(self, node: ast.Call, depth: int) -> bool:
        name = node.func.id if isinstance(node.func, ast.Name) else None
        if name not in FUNCTIONS:
            raise self._error(node, f"no such function; there are {', '.join(FUNCTIONS)}")
        form, least, most = FUNCTIONS[name]
        if node.keywords or not least <= len(node.args) <= most:
            raise self._error(node, f"write {form}")
        self._count(node)
        if not self.node(node.args[0], depth + 1):
            raise self._error(node, f"the first argument is an encrypted array: {form}")
        for argument in node.args[1:]:
            if name in ("roll", "sum", "mean"):
                self.integer(argument, "a shift" if name == "roll" else "an axis")
            elif name == "precision":
                self.number(argument)
            elif name == "polynomial":
                if not isinstance(argument, ast.List):
                    raise self._error(node, f"write {form}")
                self.number(argument, True)
            else:
                self.node(argument, depth + 1)
        return True


class _Walk:
    """Computes the value of a checked tree."""

    def __init__(
        self, text: str, values: Mapping[str, Any], progress: Callable[[int, str], None] | None
    ) -> None:
        self._text, self._values, self._progress = text, values, progress
        self._done = 0

    def value(self, node: ast.expr) -> Any:
        if isinstance(node, ast.Name):
            return self._values[node.id]
        if isinstance(node, (ast.Constant, ast.List)):
            return ast.literal_eval(node)
        if isinstance(node, ast.UnaryOp):
            operand = self.value(node.operand)
            negative = isinstance(node.op, ast.USub)
            return self._run(node, lambda: -operand if negative else operand)
        if isinstance(node, ast.BinOp):
            left, right = self.value(node.left), self.value(node.right)
            apply = _OPERATORS[type(node.op)][1]
            return self._run(node, lambda: apply(left, right))
        if isinstance(node, ast.Subscript):
            array, index = self.value(node.value), _index(node.slice)
            return self._run(node, lambda: array[index])
        assert isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
        name = node.func.id
        array, *rest = [self.value(argument) for argument in node.args]
        method = {"precision": "with_precision", "dot": "__matmul__"}.get(name, name)
        return self._run(node, lambda: getattr(array, method)(*rest))

    def _run(self, node: ast.expr, compute: Callable[[], Any]) -> Any:
        part = shortened(ast.get_source_segment(self._text, node) or "", 60)
        self._done += 1
        if self._progress is not None:
            self._progress(self._done, part)
        try:
            return compute()
        except (MissingKeyError, NoiseError):
            raise
        except NttforgeError as error:
            raise type(error)(f"in {part!r}: {error}") from None


def _index(node: ast.expr) -> Any:
    if isinstance(node, ast.Tuple):
        return tuple(_index(item) for item in node.elts)
    if isinstance(node, ast.Slice):
        ends = (node.lower, node.upper, node.step)
        return slice(*(None if end is None else ast.literal_eval(end) for end in ends))
    return ast.literal_eval(node)
