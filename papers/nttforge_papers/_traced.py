# SPDX-License-Identifier: Apache-2.0
"""Numbers that know where they come from, so that a report can be compared with its data.

``traced(document, name)`` replaces every number of a document by one that is equal to it and
carries its place, ``name:/rows/3/us``. Arithmetic keeps a record: a median divided by 1000 is
``["/", "name:/rows/3/us", 1000.0]``. ``evaluate`` computes such a record from the documents alone.
``recording`` collects the numbers that are formatted, for sentences. Code that knows nothing of
this works as before.
"""

from __future__ import annotations

import contextlib
import operator
from collections.abc import Callable, Iterator, Mapping
from contextvars import ContextVar
from typing import Any

#: A place in a document, a constant, or an operation with its operands.
Origin = str | float | list[Any]

_OPERATIONS: dict[str, Callable[..., Any]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
    "round": round,
    "paper": lambda value: value,
}
_recorded: ContextVar[list[tuple[str, Origin]] | None] = ContextVar("recorded", default=None)


class _Traced:
    """What both kinds of numbers do; ``origin`` says where the number is from."""

    origin: Origin

    def __add__(self, other: Any) -> Any:
        return _combined("+", self, other)

    def __radd__(self, other: Any) -> Any:
        return self if plain(other) == 0 else _combined("+", other, self)

    def __sub__(self, other: Any) -> Any:
        return _combined("-", self, other)

    def __rsub__(self, other: Any) -> Any:
        return _combined("-", other, self)

    def __mul__(self, other: Any) -> Any:
        return _combined("*", self, other)

    def __rmul__(self, other: Any) -> Any:
        return _combined("*", other, self)

    def __truediv__(self, other: Any) -> Any:
        return _combined("/", self, other)

    def __rtruediv__(self, other: Any) -> Any:
        return _combined("/", other, self)

    def __round__(self, digits: Any = None) -> Any:
        return _made(round(plain(self), digits), ["round", self.origin, digits])

    def __format__(self, spec: str) -> str:
        return _note(format(plain(self), spec), self.origin)

    def __str__(self) -> str:
        return _note(str(plain(self)), self.origin)

    __repr__ = __str__


class TracedFloat(_Traced, float):
    """A float of a document, or computed from some."""


class TracedInt(_Traced, int):
    """An integer of a document, or computed from some."""


def plain(value: Any) -> Any:
    """The number alone."""
    if isinstance(value, TracedInt):
        return int.__int__(value)
    return float.__float__(value) if isinstance(value, TracedFloat) else value


def origin_of(value: Any) -> Origin:
    """Where a number is from; a constant is its own origin."""
    return value.origin if isinstance(value, _Traced) else value


def _made(value: Any, origin: Origin) -> Any:
    made: Any = TracedInt(value) if isinstance(value, int) else TracedFloat(value)
    made.origin = origin
    return made


def _combined(sign: str, a: Any, b: Any) -> Any:
    if not isinstance(a, int | float) or not isinstance(b, int | float):
        return NotImplemented
    return _made(_OPERATIONS[sign](plain(a), plain(b)), [sign, origin_of(a), origin_of(b)])


def traced(value: Any, name: str, at: str = "") -> Any:
    """A copy of a document whose numbers carry their places."""
    if isinstance(value, dict):
        return {key: traced(item, name, f"{at}/{_escaped(key)}") for key, item in value.items()}
    if isinstance(value, list):
        return [traced(item, name, f"{at}/{i}") for i, item in enumerate(value)]
    if isinstance(value, bool) or not isinstance(value, int | float):
        return value
    return _made(value, f"{name}:{at}")


def _escaped(key: str) -> str:
    return key.replace("~", "~0").replace("/", "~1")


def of_paper(value: float) -> Any:
    """A number that a paper prints."""
    return _made(plain(value), ["paper", plain(value)])


def _note(text: str, origin: Origin) -> str:
    seen = _recorded.get()
    if seen is not None:
        seen.append((text, origin))
    return text


@contextlib.contextmanager
def recording() -> Iterator[list[tuple[str, Origin]]]:
    """Collects text and origin of the traced numbers that are formatted inside."""
    seen: list[tuple[str, Origin]] = []
    token = _recorded.set(seen)
    try:
        yield seen
    finally:
        _recorded.reset(token)


def recorded_so_far() -> list[tuple[str, Origin]]:
    """What was formatted since this was asked last, inside ``recording``; else nothing."""
    seen = _recorded.get()
    if seen is None:
        return []
    taken = list(seen)
    seen.clear()
    return taken


class Shown(str):
    """The text of a number, with its value and origin."""

    value: Any
    origin: Origin

    def __new__(cls, text: str, value: Any) -> Shown:
        made = super().__new__(cls, text)
        made.value, made.origin = plain(value), origin_of(value)
        return made

    def __format__(self, spec: str) -> str:
        return _note(super().__format__(spec), self.origin)


def evaluate(origin: Origin, documents: Mapping[str, Any]) -> Any:
    """The number that an origin says, from the documents by name.

    Raises
    ------
    KeyError, IndexError
        If the documents have no such place.
    """
    if isinstance(origin, list):
        sign, *operands = origin
        return _OPERATIONS[sign](
            *(evaluate(o, documents) if o is not None else None for o in operands)
        )
    if not isinstance(origin, str):
        return origin
    name, _, pointer = origin.partition(":")
    value = documents[name]
    for step in pointer.split("/")[1:]:
        key = step.replace("~1", "/").replace("~0", "~")
        value = value[int(key)] if isinstance(value, list) else value[key]
    return value


def leaves(origin: Origin) -> Iterator[str]:
    """The places in documents that an origin rests on; ``paper`` for a number of a paper."""
    if isinstance(origin, list):
        if origin[0] == "paper":
            yield "paper"
        for operand in origin[1:]:
            yield from leaves(operand)
    elif isinstance(origin, str):
        yield origin
