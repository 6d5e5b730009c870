# SPDX-License-Identifier: Apache-2.0
"""Neural networks in ``.orion`` files, on CKKS: ``nttforge.models``.

Such a file holds a network that a compiler packed into diagonals and polynomials. To make one takes
PyTorch, to run it NumPy and nttforge alone. The guide is docs/compilers.md.
"""

from __future__ import annotations

import math
import os
import pathlib
import zlib
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from nttforge import FormatError, SizeError, UnsupportedError

from .container import Container, Field, open_container
from .graph import MOST_DEGREE, Graph
from .program import Argument, Program, Result, Vector

__all__ = ["Model", "load"]

MOST_NODES, MOST_TEXTS = 2**12, 2**8
_OPERATIONS = (
    "flatten", "linear_transform", "quad", "polynomial", "add", "mult", "bootstrap",
)  # fmt: skip
Texts = list[int]  # operations of a graph: the ciphertexts of one tensor


class Model(Program):
    """A network of an ``.orion`` file; made by :func:`load`.

    Examples
    --------
    >>> from nttforge_compilers import models
    >>> model = models.load("digits.orion")  # doctest: +SKIP
    >>> context = model.context("cuda")  # doctest: +SKIP
    >>> keys = context.generate_keys(**model.required_keys())  # doctest: +SKIP
    >>> text = model.encrypt(image, keys=keys)[0]  # doctest: +SKIP
    >>> scores = model.decrypt(model.run(text, keys=keys), keys)  # doctest: +SKIP
    """


def load(source: str | os.PathLike[str] | bytes, *, most_bytes: int = 2**30) -> Model:
    """A network.

    Parameters
    ----------
    source : path or bytes
        An ``.orion`` file of version 2, which may be compressed by gzip.
    most_bytes : int
        What a compressed file may be expanded to.

    Raises
    ------
    FormatError
        The file is damaged, or larger; the message names the field.
    UnsupportedError
        It has an operation that is not known, or another ring; the message names it.
    """
    name = "model"
    if isinstance(source, (bytes, bytearray, memoryview)):
        data = bytes(source)
    else:
        path = pathlib.Path(source)
        name, data = path.name.split(".")[0] or name, path.read_bytes()
    return _Reader(open_container(_expanded(data, most_bytes))).model(name)


def _expanded(data: bytes, most: int) -> bytes:
    """What gzip holds, if it is that."""
    if data[:2] != b"\x1f\x8b":
        return data
    reader = zlib.decompressobj(wbits=31)
    try:
        found = reader.decompress(data, most + 1)
    except zlib.error as error:
        raise FormatError(f"file is damaged gzip: {error}") from None
    if len(found) > most:
        raise FormatError(f"file is gzip of more than {most} bytes: state most_bytes")
    if not reader.eof:
        raise FormatError("file is damaged gzip: its end is missing")
    return found


class _Reader:
    """Makes a graph of a file's nodes and edges."""

    def __init__(self, container: Container) -> None:
        self._file, header = container, container.header
        ring = header["params"]["ring_type"].text()
        if ring != "standard":
            raise UnsupportedError(
                f"header.params.ring_type = {ring!r} is not supported: compile for 'standard', "
                "with logn one larger, which has as many slots"
            )
        self._diagonals: dict[int, dict[int, Any]] = {}
        self._slots = 1 << (header["params"]["logn"].integer(2, 17) - 1)
        fused = header["config"].get("fuse_modules", True).value
        self._fused = fused is True
        self._graph = Graph(self._slots)
        self._nodes: dict[str, Field] = {}
        for node in header["graph"]["nodes"].items(MOST_NODES):
            key = node["name"].text()
            if key in self._nodes:
                raise FormatError(f"{node.place}.name = {key!r} is there twice")
            self._nodes[key] = node
        self._sources: dict[str, list[str]] = {key: [] for key in self._nodes}
        for edge in header["graph"]["edges"].items(4 * MOST_NODES):
            ends = edge["src"].text(), edge["dst"].text()
            for end in ends:
                if end not in self._nodes:
                    raise FormatError(f"{edge.place} names {end!r:.60}, which is no node")
            self._sources[ends[1]].append(ends[0])

    def model(self, name: str) -> Model:
        """The network as a program of one tensor."""
        header, graph = self._file.header, self._graph
        first, last = (header["graph"][end].text(*self._nodes) for end in ("input", "output"))
        if self._sources[first]:
            raise FormatError(f"header.graph.input = {first!r} has a source: need a node without")
        shape = self._shape(first, "input")
        count = max(1, math.ceil(math.prod(self._shape(first, "fhe_input")) / self._slots))
        if self._nodes[first]["op"].value == "linear_transform":
            count = self._nodes[first]["config"]["num_input_cts"].integer(1, MOST_TEXTS)
        if math.prod(shape) > count * self._slots:
            raise FormatError(f"graph.input has the shape {shape}: {count} ciphertexts hold less")
        made: dict[str, Texts] = {}
        entrance = [graph.input() for _ in range(count)]
        for key in self._ordered():
            given = [made[source] for source in self._sources[key]]
            if key == first:
                given = [entrance]
            made[key] = self._made(key, given)
        graph.outputs = made[last]
        result = self._shape(last, "output")
        if math.prod(result) > len(graph.outputs) * self._slots:
            raise FormatError(f"graph.output has the shape {result}: its ciphertexts hold less")
        argument = Argument("input", count, self._packer(shape, count))
        unpack = _unpacker(math.prod(result))
        return Model(name, "ckks", graph, [argument], [Result(len(graph.outputs), unpack)])

    def _shape(self, key: str, which: str) -> tuple[int, ...]:
        """A shape that a node or one before it states, without the batch."""
        seen = 0
        while seen <= len(self._nodes):
            shapes = self._nodes[key].get("shape", {})
            if which in (shapes.value or {}):
                return tuple(f.integer(1, 2**24) for f in shapes[which].items(8))[1:] or (1,)
            if which.endswith("input") or not self._sources[key]:
                break
            key, seen = self._sources[key][0], seen + 1
        raise FormatError(f"{self._nodes[key].place}.shape.{which} is missing")

    def _ordered(self) -> list[str]:
        """Nodes behind their sources."""
        waiting = {key: len(sources) for key, sources in self._sources.items()}
        users: dict[str, list[str]] = {key: [] for key in self._nodes}
        for key, sources in self._sources.items():
            for source in sources:
                users[source].append(key)
        ready, order = [key for key, count in waiting.items() if not count], list[str]()
        while ready:
            order.append(key := ready.pop())
            for user in users[key]:
                waiting[user] -= 1
                if not waiting[user]:
                    ready.append(user)
        if len(order) != len(self._nodes):
            raise FormatError("header.graph.edges go in a circle")
        return order

    def _made(self, key: str, given: list[Texts]) -> Texts:
        node = self._nodes[key]
        name = node["op"].text()
        if name not in _OPERATIONS:
            raise UnsupportedError(
                f"{node.place}.op = {name!r:.60} is not supported: {', '.join(_OPERATIONS)} are"
            )
        need = 2 if name in ("add", "mult") else 1
        if len(given) != need or len({len(texts) for texts in given}) != 1:
            raise FormatError(
                f"{node.place} ({name}) has {len(given)} sources: need {need}, of as many "
                "ciphertexts each"
            )
        if name == "flatten":
            return given[0]
        if name == "linear_transform":
            return self._linear_transform(node, given[0])
        if name == "polynomial":
            return [self._polynomial(node, x) for x in given[0]]
        if name == "bootstrap":
            return [self._bootstrap(node, x) for x in given[0]]
        pairs = zip(given[0], given[-1], strict=True)  # quad: with itself
        short = "add" if name == "add" else "multiply"
        return [self._graph.add(short, x, y) for x, y in pairs]

    def _linear_transform(self, node: Field, given: Texts) -> Texts:
        graph, config, blobs = self._graph, node["config"], node["blob_refs"]
        columns = config["num_input_cts"].integer(1, MOST_TEXTS)
        rows = config["num_output_cts"].integer(1, MOST_TEXTS)
        folds = config["output_rotations"].integer(0, self._slots.bit_length() - 1)
        if columns != len(given):
            raise FormatError(
                f"{config.place}.num_input_cts = {columns}: {len(given)} ciphertexts come in"
            )
        made = []
        for row in range(rows):
            total: int | None = None
            for column, x in enumerate(given):
                field = blobs.get(f"diag_{row}_{column}", None)
                if field.value is None:
                    continue
                part = graph.linear_transform(x, self._rows(field))
                total = part if total is None else graph.add("add", total, part)
            if total is None:
                raise FormatError(f"{blobs.place} has no diag_{row}_0 ... diag_{row}_{columns - 1}")
            for k in range(1, folds + 1):
                total = graph.add("add", total, graph.rotate(total, self._slots >> k))
            bias = blobs.get(f"bias_{row}", None)
            if bias.value is not None:
                total = graph.add_plain(total, self._file.vector(bias, self._slots))
            made.append(total)
        return made

    def _rows(self, field: Field) -> dict[int, Any]:
        """The diagonals of a blob, which many blocks may share: the memory is that of the file."""
        number = field.integer(0, len(self._file.blobs) - 1)
        if number not in self._diagonals:
            self._diagonals[number] = self._file.diagonals(field, self._slots)
        return self._diagonals[number]

    def _polynomial(self, node: Field, x: int) -> int:
        graph, config = self._graph, node["config"]
        basis = config["basis"].text("chebyshev", "monomial")
        coefficients = [c.number() for c in config["coeffs"].items(MOST_DEGREE + 1)]
        if not self._fused:
            x = graph.multiply_plain(x, config["prescale"].number())
            x = graph.add_plain(x, config["constant"].number())
        after = config["postscale"].number()
        row = [after * c for c in coefficients]  # a product in place of two levels
        if not row:
            raise FormatError(f"{config.place}.coeffs is empty: need one at least")
        return graph.polynomial(x, row, "chebyshev" if basis == "chebyshev" else "power")

    def _bootstrap(self, node: Field, x: int) -> int:
        """(x + constant) prescale in [-1, 1], with zeros behind it, and back again."""
        graph, config = self._graph, node["config"]
        shift, factor = config["constant"].number(), config["prescale"].number()
        held = math.prod(f.integer(1, 2**24) for f in node["shape"]["fhe_input"].items(8))
        mask = np.zeros(self._slots)
        mask[:held] = factor
        x = graph.multiply_plain(graph.add_plain(x, shift), mask)
        x = graph.multiply_plain(graph.add("bootstrap", x), config["postscale"].number())
        return graph.add_plain(x, -shift)

    def _packer(self, shape: tuple[int, ...], count: int) -> Callable[[ArrayLike], list[Vector]]:
        slots = self._slots

        def pack(value: ArrayLike) -> list[Vector]:
            given = np.asarray(value, dtype=np.float64)
            if given.size != math.prod(shape):
                raise SizeError(f"input has the shape {given.shape}: need {shape}")
            row = np.zeros(count * slots)
            row[: given.size] = given.ravel()
            return list(row.reshape(count, slots))

        return pack


def _unpacker(size: int) -> Callable[[list[Vector]], Vector]:
    return lambda vectors: np.concatenate(vectors)[:size]
