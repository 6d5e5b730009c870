# SPDX-License-Identifier: Apache-2.0
"""The algorithm collection: published NTT algorithms that a plan runs by name, and their traces."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, cast, get_args

import numpy as np
from numpy.typing import NDArray

from .. import _core
from ..errors import FormatError, ParameterError
from ..typing import AlgorithmName, Direction, Order, Ring
from .spec import ORDERS, RINGS, spec_of

__all__ = ["Algorithm", "NttTrace", "TraceStep", "algorithms"]

_VERSION = 1
_STEPS = ("twist", "bit_reverse", "stage", "scale")
_HEADER: dict[str, tuple[str, ...]] = {
    "ring": RINGS,
    "input_order": ORDERS,
    "output_order": ORDERS,
    "direction": get_args(Direction),
}


@dataclass(frozen=True)
class Algorithm:
    """One member of the collection; ``NttPlan(..., algorithm=name)`` runs it.

    ``mirrored``: the inverse undoes the stages, and psi is merged into the twiddles; otherwise the
    inverse is the same algorithm with the inverse root, and the negacyclic ring is twisted.
    """

    name: AlgorithmName
    title: str
    source: str
    input_order: Order
    output_order: Order
    mirrored: bool
    on_the_fly: bool
    radices: tuple[int, ...]


def algorithms() -> list[Algorithm]:
    """The algorithm collection, in the order of docs/algorithms.md.

    Examples
    --------
    >>> [a.name for a in algorithms()][:3]
    ['dit', 'dif', 'flat']
    """
    return [
        Algorithm(
            cast("AlgorithmName", name),
            title,
            source,
            cast("Order", first),
            cast("Order", last),
            mirrored,
            on_the_fly,
            radices,
        )
        for name, title, source, first, last, mirrored, on_the_fly, radices in (
            _core.algorithm_infos()
        )
    ]


@dataclass(frozen=True, eq=False)
class TraceStep:
    """The residues after one step, by position; ``index`` counts stages from 1, else it is 0."""

    name: str
    index: int
    values: NDArray[np.uint64]


@dataclass(frozen=True, eq=False)
class NttTrace:
    """Every step of one transform of one limb, from :meth:`NttPlan.trace` or a file.

    docs/algorithms.md says which positions and twiddles each stage combines; docs/format.md has
    the JSON form.

    Examples
    --------
    >>> from nttforge import NttPlan
    >>> plan = NttPlan(4, 17, "cyclic", output_order="natural", algorithm="stockham")
    >>> trace = plan.trace([1, 2, 3, 4])
    >>> [(step.name, step.index, step.values.tolist()) for step in trace.steps]
    [('stage', 1, [4, 15, 6, 9]), ('stage', 2, [10, 7, 15, 6])]
    >>> NttTrace.from_json(trace.to_json(hex=True)).difference(trace) is None
    True
    """

    n: int
    q: int
    root: int
    ring: Ring
    input_order: Order
    output_order: Order
    algorithm: AlgorithmName
    radix: int
    direction: Direction
    input: NDArray[np.uint64]
    steps: tuple[TraceStep, ...]

    def to_json(self, hex: bool = False) -> str:
        """The trace as JSON, values as integers or as hexadecimal strings of one width."""
        width = (int(self.q - 1).bit_length() + 3) // 4

        def values(x: NDArray[np.uint64]) -> list[Any]:
            return [f"{v:0{width}x}" for v in x.tolist()] if hex else x.tolist()

        document: dict[str, Any] = {"format": "nttforge-trace", "version": _VERSION}
        if hex:
            document["encoding"] = "hex"
        names = ("n", "q", "root", "ring", "input_order", "output_order", "algorithm", "radix")
        document |= {name: getattr(self, name) for name in (*names, "direction")}
        document["input"] = values(self.input)
        document["steps"] = [
            {
                "name": step.name,
                **({"index": step.index} if step.name == "stage" else {}),
                "values": values(step.values),
            }
            for step in self.steps
        ]
        return json.dumps(document)

    @classmethod
    def from_json(cls, text: str | bytes) -> NttTrace:
        """Reads what :meth:`to_json` writes, from any source: everything is checked.

        Raises
        ------
        FormatError
            The text is not a trace; the message says where and what is allowed.
        """
        document = _parse(text)
        allowed = {"format", "version", "encoding", *_NUMBERS, *_HEADER, "algorithm"}
        _members("trace", document, allowed | {"input", "steps"}, optional={"encoding"})
        if document["format"] != "nttforge-trace" or document["version"] != _VERSION:
            raise FormatError(
                f"trace: format = {document['format']!r}, version = {document['version']!r}: "
                f"need 'nttforge-trace', {_VERSION}"
            )
        encoding = document.get("encoding", "integer")
        _choice("encoding", encoding, ("integer", "hex"))
        for name, choices in _HEADER.items():
            _choice(name, document[name], choices)
        known = {a.name: a for a in algorithms()}
        _choice("algorithm", document["algorithm"], tuple(known))
        n = _number("n", document["n"], 1, _core.MAX_TRACE_SIZE)
        if n & (n - 1):
            raise FormatError(f"trace: n = {n} is not a power of two")
        q = _number("q", document["q"], 2, 2**64 - 1)
        root = _number("root", document["root"], 1, q - 1)
        radix = _number("radix", document["radix"], 2, 16)
        if radix not in known[document["algorithm"]].radices:
            raise FormatError(
                f"trace: radix = {radix} is none of algorithm {document['algorithm']}, which has "
                f"{known[document['algorithm']].radices}"
            )
        decode = _decoder(n, q, encoding == "hex")
        return cls(
            n,
            q,
            root,
            document["ring"],
            document["input_order"],
            document["output_order"],
            document["algorithm"],
            radix,
            document["direction"],
            decode("input", document["input"]),
            _steps(document["steps"], n, decode),
        )

    def difference(self, other: NttTrace) -> str | None:
        """Return None if both say the same, else where they part first, as one line.

        The transforms must be the same (size, prime, root, ring, orders, algorithm, direction).
        """
        for name in ("n", "q", "root", *_HEADER, "algorithm", "radix"):
            mine, theirs = getattr(self, name), getattr(other, name)
            if mine != theirs:
                return f"{name} is {mine!r} and {theirs!r}"
        if (line := _differs("input", self.input, other.input)) is not None:
            return line
        for mine, theirs in zip(self.steps, other.steps, strict=False):
            if (mine.name, mine.index) != (theirs.name, theirs.index):
                return f"a step is {_title(mine)} and {_title(theirs)}"
            if (line := _differs(_title(mine), mine.values, theirs.values)) is not None:
                return line
        if len(self.steps) != len(other.steps):
            return f"there are {len(self.steps)} and {len(other.steps)} steps"
        return None


_NUMBERS = ("n", "q", "root", "radix")


def _title(step: TraceStep) -> str:
    return f"stage {step.index}" if step.name == "stage" else step.name


def _differs(title: str, a: NDArray[np.uint64], b: NDArray[np.uint64]) -> str | None:
    at = np.flatnonzero(a != b)
    if at.size == 0:
        return None
    i = int(at[0])
    return f"{title}, position {i}: {int(a[i])} and {int(b[i])} ({at.size} of {a.size} differ)"


def _parse(text: str | bytes) -> dict[str, Any]:
    def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        members = dict(pairs)
        if len(members) != len(pairs):
            raise FormatError("trace: a member is repeated")
        return members

    try:
        document = json.loads(text, object_pairs_hook=unique)
    except (ValueError, RecursionError) as error:  # JSONDecodeError and UnicodeDecodeError too
        raise FormatError(f"trace: not JSON: {error}") from None
    if not isinstance(document, dict):
        raise FormatError(f"trace: need a JSON object, got {type(document).__name__}")
    return document


def _members(
    where: str, members: Mapping[str, Any], allowed: set[str], optional: set[str] | None = None
) -> None:
    for name in sorted(members.keys() - allowed):
        raise FormatError(
            f"{where}: unknown member {name!r}; allowed: {', '.join(sorted(allowed))}"
        )
    for name in sorted(allowed - members.keys() - (optional or set())):
        raise FormatError(f"{where}: member {name!r} is missing")


def _choice(name: str, value: object, allowed: tuple[str, ...]) -> None:
    if value not in allowed:
        raise FormatError(f"trace: {name} = {value!r} is not one of {', '.join(allowed)}")


def _number(name: str, value: object, low: int, high: int) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
        raise FormatError(f"trace: {name} = {value!r}: need an integer in [{low}, {high}]")
    return value


def _decoder(n: int, q: int, hexadecimal: bool) -> Any:
    def residue(name: str, i: int, value: object) -> int:
        number = value
        if hexadecimal:
            plain = isinstance(value, str) and 0 < len(value) <= 16
            digits = set("0123456789abcdefABCDEF")
            number = int(str(value), 16) if plain and set(str(value)) <= digits else None
        if isinstance(number, bool) or not isinstance(number, int) or not 0 <= number < q:
            kind = "hexadecimal digits" if hexadecimal else "an integer"
            raise FormatError(f"trace: {name}[{i}] = {value!r}: need {kind} in [0, q), q = {q}")
        return number

    def decode(name: str, values: object) -> NDArray[np.uint64]:
        if not isinstance(values, list) or len(values) != n:
            found = f"{len(values)} values" if isinstance(values, list) else type(values).__name__
            raise FormatError(f"trace: {name} has {found}: need a list of n = {n}")
        return np.array([residue(name, i, v) for i, v in enumerate(values)], dtype=np.uint64)

    return decode


def _steps(steps: object, n: int, decode: Any) -> tuple[TraceStep, ...]:
    most = n.bit_length() + 6  # stages (six_step has six), twist, two reorderings, scale
    if not isinstance(steps, list) or len(steps) > most:
        raise FormatError(f"trace: steps: need a list of at most {most} for n = {n}")
    out: list[TraceStep] = []
    stages = 0
    for i, step in enumerate(steps):
        where = f"steps[{i}]"
        if not isinstance(step, dict):
            raise FormatError(f"trace: {where} is not an object")
        stage = step.get("name") == "stage"
        _members(f"trace: {where}", step, {"name", "values"} | ({"index"} if stage else set()))
        _choice(f"{where}.name", step["name"], _STEPS)
        if stage:
            stages += 1
            _number(f"{where}.index", step["index"], stages, stages)
        values = decode(f"{where}.values", step["values"])
        out.append(TraceStep(step["name"], stages if stage else 0, values))
    return tuple(out)


def trace_of(
    core_spec: _core.NttSpec, recipe_json: str, direction: Direction, x: NDArray[np.uint64]
) -> NttTrace:
    """What :meth:`NttPlan.trace` does once its arguments are checked."""
    if direction not in _HEADER["direction"]:
        raise ParameterError(f"direction = {direction!r} is not one of 'forward', 'inverse'")
    steps = _core.trace_steps(core_spec, recipe_json, direction == "inverse", x)
    recipe = json.loads(recipe_json)
    spec = spec_of(core_spec)
    return NttTrace(
        spec.n,
        spec.moduli[0],
        spec.roots[0],
        spec.ring,
        spec.input_order,
        spec.output_order,
        recipe["algorithm"],
        recipe["radix"],
        direction,
        x,
        tuple(TraceStep(name, i, np.frombuffer(v, dtype="<u8")) for name, i, v in steps),
    )
