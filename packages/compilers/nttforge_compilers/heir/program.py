# SPDX-License-Identifier: Apache-2.0
"""Programs out of the texts that heir-opt writes, and parameters in the form that it reads."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from nttforge import FormatError, ParameterError, SizeError, UnsupportedError, ckks

from ..graph import Graph
from ..program import Argument, Program, Result, Vector
from . import text as mlir
from .interpreter import Encoded, Interpreter, Wire, boxed

__all__ = ["load", "parameter_file"]

_HELPER = re.compile(r"(.+)__(encrypt__arg|decrypt__result)(\d+)")


def load(
    text: str, name: str | None = None, *, clear: Mapping[int, ArrayLike] | None = None
) -> Program:
    """A program that HEIR compiled for BGV, BFV or CKKS.

    Parameters
    ----------
    text : str
        What ``heir-opt --mlir-to-bgv`` (``-bfv``, ``-ckks``) writes with
        ``--mlir-print-op-generic``.
    name : str, optional
        Of the function, where the text has several.
    clear : mapping of int to array
        Arguments in the clear by their number, such as weights: they become constants.

    Raises
    ------
    FormatError
        The text is not in MLIR's generic form, or is damaged; the message names the field.
    UnsupportedError
        It has an operation that is not known, which the message names, or xdsl is missing.
    SizeError
        A tensor or a loop is too large.

    Examples
    --------
    >>> from nttforge_compilers import heir
    >>> program = heir.load(DOUBLED)  # doctest: +SKIP
    >>> context = program.context()  # doctest: +SKIP
    >>> keys = context.generate_keys(**program.required_keys())  # doctest: +SKIP
    >>> answer = program.run(*program.encrypt([1, 2], keys=keys), keys=keys)  # doctest: +SKIP
    >>> program.decrypt(answer, keys)  # doctest: +SKIP
    array([2, 4])
    """
    module, given = mlir.parse(text), dict(clear or {})
    functions: dict[str, Any] = {}
    for operation in module.ops:
        if mlir.name_of(operation) != "func.func":
            raise UnsupportedError(f"operation {mlir.name_of(operation)!r} stands in the module")
        functions[str(mlir.attribute(operation, "sym_name"))] = operation
    scheme, t = _scheme(module)
    slots = _slots(module)
    name = _entry(functions, name)
    entry = functions[name]
    kinds = [argument.type for argument in entry.regions[0].blocks[0].args]
    graph = Graph(slots, integers=scheme != "ckks")

    wires: list[Any] = []
    arguments = []
    for i, kind in enumerate(kinds):
        shape = mlir.shape_of(kind, f"{name}: argument {i}")
        if not mlir.is_ciphertext(kind):
            if i not in given:
                raise ParameterError(
                    f"{name}: argument {i} is in the clear: state it with clear={{{i}: ...}}"
                )
            wires.append(_numbers(given[i], kind, shape, f"{name}: argument {i}"))
            continue
        count = math.prod(shape or ())
        if not 1 <= count <= 2**12:
            raise SizeError(f"{name}: argument {i} has {count} ciphertexts: need 1 to {2**12}")
        texts = [Wire(graph.input()) for _ in range(count)]
        wires.append(texts[0] if shape is None else boxed(texts, shape))
        pack = _packer(functions, name, i, count, graph)
        arguments.append(Argument(f"{name}: argument {i}", count, pack))
    results = []
    for i, found in enumerate(Interpreter(functions, graph).call(name, wires)):
        shape = found.shape if isinstance(found, np.ndarray) else None
        texts = list(found.ravel()) if shape is not None else [found]
        for made in texts:
            if not isinstance(made, Wire):
                raise UnsupportedError(f"{name}: result {i} is not encrypted: it is a constant")
            graph.outputs.append(made.number)
        unpack = _unpacker(functions, name, i, shape, graph, scheme)
        results.append(Result(len(texts), unpack))
    return Program(name, scheme, graph, arguments, results, t)


def parameter_file(parameters: ckks.Parameters) -> str:
    """A parameter set in the form that HEIR's option ``parameter-file`` reads.

    Examples
    --------
    >>> from nttforge import ckks
    >>> from nttforge_compilers import heir
    >>> heir.parameter_file(ckks.Parameters.preset(2**13, 36))[:13]
    '{"logN": 13, '
    """
    if not isinstance(parameters, ckks.Parameters):
        raise ParameterError(
            f"parameters is a {type(parameters).__name__}: HEIR reads files for CKKS alone"
        )
    one_each = tuple((0, level) for level in range(1, len(parameters.q) + 1))
    if parameters.levels != one_each:
        raise ParameterError(
            "parameters has several primes in a level: HEIR has one, as sets of 64-bit words"
        )
    scale = round(math.log2(parameters.scale))
    fields = {
        "logN": parameters.n.bit_length() - 1,
        "Q": list(parameters.q),
        "P": list(parameters.special),
        "logDefaultScale": scale,
    }
    return json.dumps(fields)


def _scheme(module: Any) -> tuple[str, int]:
    """The scheme of a module, and the plaintext modulus of one for integers."""
    found = [s for s in ("bgv", "bfv", "ckks") if f"scheme.{s}" in module.attributes]
    if len(found) != 1:
        raise FormatError(
            f"module has the schemes {found}: need one of scheme.bgv, scheme.bfv, scheme.ckks"
        )
    if found[0] == "ckks":
        return "ckks", 0
    t = _parameter(module, r"plaintextModulus = (\d{1,18})\b")
    if t is None:
        raise FormatError("bgv.schemeParam has no plaintextModulus: need that of the program")
    return found[0], t


def _slots(module: Any) -> int:
    """The period of vectors: what was asked for, or a row of slots."""
    count = mlir.attribute(module, "scheme.requested_slot_count")
    if isinstance(count, int):
        return count
    log_n = _parameter(module, r"logN = (\d{1,2})\b")
    if log_n is None:
        raise FormatError("module has no scheme.requested_slot_count: need the length of vectors")
    return 1 << max(0, log_n - 1)


def _parameter(module: Any, pattern: str) -> int | None:
    """An integer among the parameters of the scheme, which are a text."""
    for name in ("bgv.schemeParam", "ckks.schemeParam"):
        if found := re.search(pattern, str(module.attributes.get(name, ""))):
            return int(found.group(1))
    return None


def _entry(functions: dict[str, Any], name: str | None) -> str:
    """The function that is computed: the one that others encrypt and decrypt for."""
    found = {m.group(1) for f in functions if (m := _HELPER.fullmatch(f))} & set(functions)
    if name is not None:
        if name not in found:
            raise ParameterError(f"name = {name!r}: the text has {', '.join(sorted(found))}")
        return name
    if len(found) != 1:
        raise FormatError(
            f"text has {len(found)} functions with helpers that encrypt and decrypt"
            + (f": name one of {', '.join(sorted(found))}" if found else "; need one")
        )
    return found.pop()


def _packer(functions: dict[str, Any], name: str, i: int, count: int, graph: Graph) -> Any:
    """Runs the function that encrypts an argument, up to encryption."""
    helper = f"{name}__encrypt__arg{i}"
    if helper not in functions:
        raise FormatError(f"function {helper!r} is missing, which packs argument {i}")
    kinds = [argument.type for argument in functions[helper].regions[0].blocks[0].args]
    shape = mlir.shape_of(kinds[0], helper)

    def pack(value: Any) -> list[Vector]:
        number = _numbers(value, kinds[0], shape, f"{name}: argument {i}")
        inputs = [number, *[None] * (len(kinds) - 1)]
        found = Interpreter(functions, graph).call(helper, inputs)[0]
        texts = list(found.ravel()) if isinstance(found, np.ndarray) else [found]
        if len(texts) != count or not all(isinstance(text, Encoded) for text in texts):
            raise FormatError(f"function {helper!r} does not give {count} ciphertexts")
        return [_period(text.values, graph.slots, helper) for text in texts]

    return pack


def _numbers(value: Any, kind: Any, shape: tuple[int, ...] | None, where: str) -> Any:
    """What a user gives for an argument, checked: an array of its shape, or a number."""
    real = mlir.is_real(kind)
    given = np.asarray(value, dtype=np.float64 if real else None)
    if not real and given.dtype.kind not in "biu":
        raise ParameterError(f"{where} has dtype {given.dtype}: need integers")
    if given.shape != (shape or ()):
        raise SizeError(f"{where} has the shape {given.shape}: need {shape or ()}")
    if real and not np.isfinite(given).all():
        raise ParameterError(f"{where} has NaN or infinity: need finite numbers")
    number = given if real else given.astype(np.int64)
    return number if shape is not None else number.item()


def _period(values: Vector, slots: int, where: str) -> Vector:
    if not len(values) or slots % len(values):
        raise SizeError(f"{where} packs {len(values)} numbers: need a divisor of {slots} slots")
    return np.resize(values, slots)


def _unpacker(
    functions: dict[str, Any], name: str, i: int, shape: Any, graph: Graph, scheme: str
) -> Any:
    """Runs the function that decrypts a result, behind decryption."""
    helper = f"{name}__decrypt__result{i}"
    if helper not in functions:
        raise FormatError(f"function {helper!r} is missing, which unpacks result {i}")
    others = len(functions[helper].regions[0].blocks[0].args) - 1

    def unpack(vectors: list[Vector]) -> Any:
        texts = [
            Encoded(row.astype(np.float64 if scheme == "ckks" else np.int64)) for row in vectors
        ]
        given = texts[0] if shape is None else boxed(texts, shape)
        return Interpreter(functions, graph).call(helper, [given, *[None] * others])[0]

    return unpack
