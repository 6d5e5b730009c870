# SPDX-License-Identifier: Apache-2.0
"""Programs that HEIR compiled: exact on BGV and BFV, within the carried bound on CKKS."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from heir_programs import PROGRAMS, source, text

import nttforge
from nttforge import (
    ArgumentTypeError,
    ContextError,
    FormatError,
    MissingKeyError,
    ParameterError,
    SizeError,
    UnsupportedError,
    bfv,
    ckks,
)
from nttforge_compilers import Argument, Graph, Program, Result
from nttforge_compilers.heir import interpreter

pytest.importorskip("xdsl")
EXACT = [(n, s) for n, p in PROGRAMS.items() for s in p.schemes if s != "ckks"]
REAL = [n for n, p in PROGRAMS.items() if "ckks" in p.schemes and not p.more]
#: What texts lose: constants have 32 bits, and functions are polynomials.
LOST = {"perceptron": 0.04, "real_matrix_vector": 1e-6}


def _drawn(name: str, seed: int = 7) -> list[Any]:
    program, random = PROGRAMS[name], np.random.default_rng(seed)
    if "f32" in source(name):
        return [random.uniform(program.low, program.high, shape) for shape in program.shapes]
    return [
        random.integers(int(program.low), int(program.high) + 1, shape) for shape in program.shapes
    ]


def _loaded(name: str, scheme: str, values: list[Any]) -> tuple[Any, list[Any]]:
    clear = {i: values[i] for i in PROGRAMS[name].clear}
    program = nttforge.heir.load(text(name, scheme), clear=clear)
    return program, [value for i, value in enumerate(values) if i not in clear]


@pytest.mark.parametrize(("name", "scheme"), EXACT)
def test_integers_are_exact(name: str, scheme: str) -> None:
    values = _drawn(name)
    program, secret = _loaded(name, scheme, values)
    expected = PROGRAMS[name].compute(*values)
    assert np.array_equal(program.run_plain(*secret), expected)
    context = program.context()
    keys = context.generate_keys(**program.required_keys())
    answer = program.run(*program.encrypt(*secret, keys=keys), keys=keys)
    found = program.decrypt(answer, keys)
    assert np.array_equal(found, expected) and np.shape(found) == np.shape(expected)


@pytest.mark.parametrize("name", REAL)
def test_real_numbers_are_within_the_carried_bound(name: str) -> None:
    values, high = _drawn(name), max(1.0, PROGRAMS[name].high)
    program, secret = _loaded(name, "ckks", values)
    plain = program.run_plain(*secret)
    assert np.allclose(plain, PROGRAMS[name].compute(*values), rtol=0, atol=LOST.get(name, 0))
    context = program.context(bound=high)
    keys = context.generate_keys(**program.required_keys())
    answer = program.run(*program.encrypt(*secret, keys=keys, bound=high), keys=keys)
    error = np.abs(program.decrypt(answer, keys) - plain).max()
    texts = answer if isinstance(answer, list) else [answer]
    assert error <= max(x.error for x in texts) < 1e-6


def test_a_matrix_is_one_map_and_a_function_one_polynomial() -> None:
    program, _ = _loaded("perceptron", "ckks", [])
    names = [operation.name for operation in program.graph.operations]
    assert names.count("linear_transform") == names.count("polynomial") == 1
    assert len(names) == 6 and program.rotations() == (1, 2, 3, 4)


def test_bootstraps_where_the_compiler_placed_them() -> None:
    program, values = _loaded("squarings", "ckks", _drawn("squarings"))
    assert program.bootstraps == 3
    with pytest.raises(ParameterError, match="bootstraps 3 times"):
        program.parameters()
    machine = program.bootstrapper(insecure_n=2**8)
    keys = machine.context.generate_keys(**program.required_keys())
    texts = program.encrypt(*values, keys=keys)
    with pytest.raises(MissingKeyError, match="bootstrap_keys is None"):
        program.run(*texts, keys=keys)
    answer = program.run(*texts, keys=keys, bootstrap_keys=machine.make_keys(keys))
    error = np.abs(program.decrypt(answer, keys) - PROGRAMS["squarings"].compute(*values)).max()
    assert error <= answer.error < 1e-5
    with pytest.raises(ParameterError, match="levels between bootstraps"):
        program.bootstrapper("boot15_31", insecure_n=2**8)


@pytest.mark.parametrize("scheme", ["bgv", "bfv"])
@pytest.mark.parametrize(("depth", "sums"), [(3, 0), (2, 5), (4, 9)])
def test_the_set_of_a_graph_has_room_for_its_noise(scheme: str, depth: int, sums: int) -> None:
    graph = Graph(1024, integers=True)
    x = graph.input()
    for _ in range(depth):
        for k in range(sums):
            x = graph.add("add", x, graph.rotate(x, 1 << k))
        x = graph.add("multiply", x, x)
    graph.outputs = [x]
    argument, result = Argument("x", 1, lambda v: [v]), Result(1, lambda rows: rows[0])
    program = Program("powers", scheme, graph, [argument], [result], t=65537)
    keys = program.context().generate_keys(**program.required_keys())
    values = np.random.default_rng(depth).integers(-(2**15), 2**15, 1024)
    answer = program.run(*program.encrypt(values, keys=keys), keys=keys)
    assert answer.predicted_noise_budget_bits > 0
    assert np.array_equal(program.decrypt(answer, keys), program.run_plain(values))


def test_a_run_needs_no_secret_and_says_which_keys_it_lacks() -> None:
    program, values = _loaded("dot_product", "bfv", _drawn("dot_product"))
    context = program.context()
    keys = context.generate_keys(**program.required_keys())
    texts = program.encrypt(*values, keys=keys)
    server = bfv.EvaluationKeys.from_bytes(context, keys.evaluation.to_bytes())
    answer = program.run(*texts, keys=server)
    assert program.decrypt(answer, keys) == values[0] @ values[1]
    few = context.generate_keys(rotations=[1])
    with pytest.raises(MissingKeyError, match="2"):
        program.run(*program.encrypt(*values, keys=few), keys=few)
    with pytest.raises(MissingKeyError, match="no relinearization key"):
        program.run(*texts)


def test_arguments_are_checked() -> None:
    program, values = _loaded("dot_product", "bgv", _drawn("dot_product"))
    with pytest.raises(SizeError, match="1 arguments are given: dot_product has 2"):
        program.run_plain(values[0])
    with pytest.raises(SizeError, match=r"argument 0 has the shape \(3,\): need \(8,\)"):
        program.run_plain([1, 2, 3], values[1])
    with pytest.raises(ParameterError, match="dtype float64: need integers"):
        program.run_plain(values[0] / 2, values[1])
    keys = bfv.Context(bfv.Parameters.preset(4096)).generate_keys()
    with pytest.raises(ArgumentTypeError, match="need a Ciphertext"):
        program.run(values[0], values[1], keys=keys)
    with pytest.raises(ContextError, match="is for BGV"):
        program.run(*program.encrypt(*values, keys=keys), keys=keys)
    with pytest.raises(ParameterError, match=r"clear=\{2: ...\}"):
        nttforge.heir.load(text("choice", "bgv"))
    with pytest.raises(ParameterError, match="the text has choice"):
        nttforge.heir.load(text("choice", "bgv"), "other")


def test_what_does_not_suit_a_preset_is_said() -> None:
    program, _ = _loaded("polynomial", "bgv", _drawn("polynomial"))
    program.t = 257
    with pytest.raises(ParameterError, match="no recommended set has a depth of 2 with 8 slots"):
        program.parameters()
    large, _ = _loaded("dot_product", "ckks", [])
    with pytest.raises(
        ParameterError, match=r"has 8 slots, 2 levels and room for numbers up to 2\^1803"
    ):
        large.parameters(bound=2.0**900, scale_bits=55, security="classical256")


WRONG = {
    "no text": (lambda t: "func.func @f() {", FormatError, "generic form"),
    "no str": (lambda t: t.encode(), FormatError, "text is a bytes"),
    "cut": (lambda t: t[: len(t) // 2], FormatError, "generic form"),
    "nested": (lambda t: "[" * 10**5, FormatError, "generic form"),
    "left out": (
        lambda t: t.replace("dense<[1, 0, 0, 0, 0, 0, 0, 0]>", "dense_resource<__elided__>"),
        FormatError,
        "numbers were left out",
    ),
    "unknown": (
        lambda t: t.replace('"bgv.rotate_cols"', '"bgv.rotate_rows"'),
        UnsupportedError,
        "dot_product: operation 'bgv.rotate_rows' is not supported",
    ),
    "dialect": (
        lambda t: t.replace('"bgv.add"', '"cggi.add"'),
        UnsupportedError,
        "operation 'cggi.add' is not supported",
    ),
    "scheme": (lambda t: t.replace("scheme.bgv,", ""), FormatError, "need one of scheme.bgv"),
    "t": (lambda t: t.replace("plaintextModulus", "other"), FormatError, "no plaintextModulus"),
    "slots": (
        lambda t: t.replace("requested_slot_count = 8", "requested_slot_count = 12"),
        SizeError,
        "slots = 12: need a power of two",
    ),
    "many slots": (
        lambda t: t.replace("requested_slot_count = 8", "requested_slot_count = 1099511627776"),
        SizeError,
        "need a power of two up to 65536",
    ),
    "helper": (
        lambda t: t.replace("dot_product__decrypt__result0", "other"),
        FormatError,
        "'dot_product__decrypt__result0' is missing",
    ),
    "entry": (lambda t: t.replace('"dot_product"', '"other"'), FormatError, "0 functions with"),
    "operand": (
        lambda t: t.replace('"bgv.mul"', '"bgv.mul_plain"'),
        FormatError,
        "operation 'bgv.mul_plain' takes a plaintext, and has none",
    ),
    "index": (
        lambda t: t.replace("{value = 0 : index}", "{value = -1 : index}"),
        FormatError,
        r"operation 'tensor.extract': indices \(-1,\) of a tensor of shape \(1,\)",
    ),
}


@pytest.mark.parametrize("how", WRONG)
def test_damaged_texts_are_refused_by_name(how: str) -> None:
    change, error, message = WRONG[how]
    good = text("dot_product", "bgv")
    bad = change(good)
    assert bad != good
    with pytest.raises(error, match=message):
        nttforge.heir.load(bad)


def test_tensors_and_loops_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    good, image = text("box_blur", "bgv"), np.ones(64, dtype=int)
    huge = good.replace("dense<0> : tensor<1x64xi16>", "dense<0> : tensor<1x99999999999xi16>")
    assert huge != good
    with pytest.raises(SizeError, match=r"tensor<1x99999999999x...>: need at most 16777216"):
        nttforge.heir.load(huge)
    program = nttforge.heir.load(good)
    endless = nttforge.heir.load(good.replace("{value = 64 : i32}", "{value = 2000000000 : i32}"))
    with pytest.raises(FormatError, match=r"indices \(64,\) of a tensor of shape \(64,\)"):
        endless.run_plain(image)
    monkeypatch.setattr(interpreter, "MOST_STEPS", 100)
    with pytest.raises(SizeError, match="box_blur__encrypt__arg0 takes more than 100 steps"):
        program.run_plain(image)


def test_presets_for_the_compiler() -> None:
    parameters = ckks.Parameters.preset(2**13, 36)
    found = json.loads(nttforge.heir.parameter_file(parameters))
    assert found["logN"] == 13 and found["logDefaultScale"] == 36
    assert tuple(found["Q"]) == parameters.q and tuple(found["P"]) == parameters.special
    with pytest.raises(ParameterError, match="several primes in a level"):
        nttforge.heir.parameter_file(ckks.Parameters.preset(2**14, word_bits=32))
    with pytest.raises(ParameterError, match="for CKKS alone"):
        nttforge.heir.parameter_file(bfv.Parameters.preset(4096))


class _HeirOpt:
    """Stands for HEIR's tool, which prints what was compiled in the generic form."""

    options: tuple[str, ...] = ()

    def run_binary(self, input: str, options: list[str]) -> str:
        self.options = tuple(options)
        return text(input, "bgv")


def _client(name: str, arguments: list[str], secret: list[int]) -> Any:
    tool = _HeirOpt()
    backend = nttforge.heir.Backend()
    client = backend.run_backend(None, tool, None, name, arguments, secret, name, False)
    assert "--mlir-print-op-generic" in tool.options
    return client


def test_the_backend_compiles_and_runs() -> None:
    client = _client("dot_product", ["x", "y"], [0, 1])
    client.func = lambda x, y: x @ y
    x, y = _drawn("dot_product")
    with pytest.raises(MissingKeyError, match=r"call setup\(\) first"):
        client.encrypt_x(x)
    assert client(x, y) == client.original(x, y) == x @ y
    first, second = client.encrypt_x(x), client.encrypt_y(y)
    assert client.decrypt_result(client.eval(first, second)) == x @ y
    with pytest.raises(ParameterError, match="was encrypted by encrypt_y"):
        client.eval(second, first)
    with pytest.raises(ArgumentTypeError, match="need what encrypt_x gives"):
        client.eval(x, y)
    with pytest.raises(AttributeError, match="encrypt_z"):
        client.encrypt_z(x)
    with pytest.raises(ParameterError, match="arguments scale in the clear"):
        _client("choice", ["a", "b", "scale"], [0, 1])
