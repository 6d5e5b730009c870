# SPDX-License-Identifier: Apache-2.0
"""What bad input to transforms gets: field, value, what is allowed, a remedy; no change."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import nttforge
from nttforge import NttPlan, targets

PLANS = [
    (dict(n=3, moduli=17), "ParameterError", ["n = 3", "power of two"]),
    (dict(n=0, moduli=17), "ParameterError", ["n = 0", "power of two"]),
    (dict(n=-8, moduli=17), "ParameterError", ["n = -8", "power of two"]),
    (dict(n=2**29, moduli=17), "ParameterError", ["n = 536870912", "2^24 on CPUs", "2^28 on GPUs"]),
    (
        dict(n=2**25, moduli=2**64 - 2**32 + 1),
        "UnsupportedError",
        ["n = 33554432", "2^24 on CPUs", "2^28 on GPUs"],
    ),
    (dict(n="8", moduli=17), "ArgumentTypeError", ["n = '8'", "need an integer"]),
    (dict(n=8, moduli=15), "ParameterError", ["15", "prime"]),
    (dict(n=8, moduli=1), "ParameterError", ["1"]),
    (dict(n=8, moduli=-17), "ParameterError", ["moduli = -17"]),
    (dict(n=8, moduli=2**64), "ParameterError", ["moduli = 18446744073709551616", "2^64 - 1"]),
    (dict(n=8, moduli=4611686018427388073), "ParameterError", ["4611686018427388073", "62"]),
    (dict(n=64, moduli=97), "ParameterError", ["97", "n = 64", "128", "ntt_primes"]),
    (dict(n=64, moduli=97, ring="cyclic"), "ParameterError", ["97", "64"]),
    (dict(n=8, moduli=[]), "ParameterError", ["moduli"]),
    (dict(n=8, moduli=[17, 18]), "ParameterError", ["18"]),
    (dict(n=8, moduli=[17, 9.0]), "ArgumentTypeError", ["moduli[1] = 9.0", "float"]),
    (dict(n=8, moduli="17"), "ArgumentTypeError", ["moduli = '17'"]),
    (dict(n=8, moduli=17, ring="torus"), "ParameterError", ["ring = 'torus'", "'negacyclic'"]),
    (dict(n=8, moduli=17, input_order="x"), "ParameterError", ["input_order = 'x'", "'natural'"]),
    (
        dict(n=8, moduli=17, output_order=1),
        "ParameterError",
        ["output_order = 1", "'bit_reversed'"],
    ),
    (dict(n=8, moduli=17, word_bits=16), "ParameterError", ["word_bits = 16", "32", "64"]),
    (dict(n=8, moduli=2**40 - 87, word_bits=32), "ParameterError", [str(2**40 - 87)]),
    (dict(n=4, moduli=17, roots=3), "ParameterError", ["3", "17"]),
    (dict(n=4, moduli=[17], roots=[2, 2]), "ParameterError", ["roots"]),
    (dict(n=4, moduli=[17], roots=3), "ArgumentTypeError", ["roots = 3", "one per modulus"]),
    (dict(n=4, moduli=17, roots=[3]), "ArgumentTypeError", ["roots is a list", "one integer"]),
    (dict(n=4, moduli=7, transform="dgt", roots=3), "ArgumentTypeError", ["roots = 3", "a pair"]),
    (dict(n=8, moduli=17, threads=-1), "ParameterError", ["threads = -1", "[0, 1024]"]),
    (dict(n=8, moduli=17, threads=5000), "ParameterError", ["threads = 5000", "[0, 1024]"]),
    (dict(n=8, moduli=17, target="mmx"), "ParameterError", ["mmx", "scalar"]),
    (dict(n=8, moduli=17, recipe={"target": "scalar"}), "FormatError", ["arithmetic"]),
    (dict(n=8, moduli=17, recipe={}, threads=2), "ParameterError", ["recipe", "threads"]),
    (dict(n=8, moduli=17, recipe="scalar"), "ArgumentTypeError", ["recipe is a str"]),
    (dict(n=8, moduli=17, wisdom="w.json"), "ArgumentTypeError", ["wisdom is a str", "load"]),
    (dict(n=8, moduli=np.array(17)), "ArgumentTypeError", ["moduli = array(17)"]),
]


@pytest.mark.parametrize(("keywords", "error", "parts"), PLANS, ids=lambda v: str(v)[:60])
def test_bad_plan(keywords: dict[str, Any], error: str, parts: list[str]) -> None:
    before = repr(keywords)
    with pytest.raises(getattr(nttforge, error)) as caught:
        NttPlan(**keywords)
    for part in parts:
        assert part in str(caught.value), str(caught.value)
    assert repr(keywords) == before


def test_a_target_of_another_machine() -> None:
    missing = set(targets.all_targets()) - set(nttforge.available_targets())
    for name in missing:
        with pytest.raises(nttforge.UnsupportedError, match=name):
            NttPlan(8, 17, target=name)
    if not missing:
        pytest.skip("every target runs here")


def test_a_recipe_that_does_not_fit() -> None:
    recipe = NttPlan(64, 257).recipe
    recipe["arithmetic"] = ["goldilocks"]
    with pytest.raises(nttforge.NttforgeError, match="goldilocks"):
        NttPlan(64, 257, recipe=recipe)
    recipe["arithmetic"] = ["abacus"]
    with pytest.raises(nttforge.NttforgeError, match="abacus"):
        NttPlan(64, 257, recipe=recipe)


U64 = np.uint64
GOOD = np.arange(8, dtype=U64)
TERMS = np.arange(24, dtype=U64).reshape(3, 8) % 3


class _Refuses:
    """An array of another library that cannot be exported, as PyTorch's with gradients."""

    def __dlpack_device__(self) -> tuple[int, int]:
        return (1, 0)

    def __dlpack__(self, **_: Any) -> Any:
        raise BufferError("needs gradients")


def _nested(axes: int) -> list[Any]:
    x: list[Any] = [1] * 8
    for _ in range(axes - 1):
        x = [x]
    return x


def _read_only() -> np.ndarray:
    x = GOOD.copy()
    x.flags.writeable = False
    return x


def _unaligned() -> np.ndarray:
    return np.frombuffer(bytearray(65), dtype=np.uint8)[1:].view(U64)


def _overlapping() -> tuple[np.ndarray, np.ndarray]:
    base = np.zeros(12, dtype=U64)
    return base[:8], base[4:]


ARRAYS = [
    (
        "forward",
        (np.zeros(8),),
        {},
        "ArgumentTypeError",
        ["x has dtype float64: need uint64", "numpy.rint(x).astype(numpy.int64)", "2^53"],
    ),
    ("forward", (np.zeros(8, complex),), {}, "ArgumentTypeError", ["complex128", "are integers"]),
    ("forward", (np.full(8, -17),), {}, "ParameterError", ["x[0] = -17", "(-q, q)", "x % 17"]),
    ("forward", (np.zeros((2, 7), np.int8),), {}, "SizeError", ["x has shape (2, 7)"]),
    ("forward", (np.zeros(8, np.uint32),), {}, "ArgumentTypeError", ["uint32", "uint64"]),
    ("forward", (GOOD.astype(">u8"),), {}, "ArgumentTypeError", [">u8", "uint64"]),
    ("forward", (np.zeros(7, U64),), {}, "SizeError", ["x has shape (7,)", "(..., 8)"]),
    ("forward", (np.zeros((8, 2), U64),), {}, "SizeError", ["x has shape (8, 2)"]),
    ("forward", (np.zeros((), U64),), {}, "SizeError", ["x has shape ()"]),
    (
        "forward",
        (np.zeros(16, U64)[::2],),
        {},
        "SizeError",
        ["not C-contiguous", "ascontiguousarray"],
    ),
    ("forward", (np.zeros((8, 8), U64).T,), {}, "SizeError", ["x is not C-contiguous", "strides"]),
    ("forward", (_unaligned(),), {}, "SizeError", ["x is not aligned to 8 bytes"]),
    ("forward", ("12345678",), {}, "ArgumentTypeError", ["x is a str"]),
    ("forward", (None,), {}, "ArgumentTypeError", ["x is a NoneType"]),
    ("forward", (_Refuses(),), {}, "UnsupportedError", ["x cannot", "DLPack: needs gradients"]),
    ("forward", (_nested(33),), {}, "SizeError", ["x has 33 axes", "32"]),
    ("forward", ([1, 2, 3, 4, 5, 6, 7, 17],), {}, "ParameterError", ["x[7] = 17", "q = 17"]),
    ("forward", ([1, 2, 3, 4, 5, 6, 7, -17],), {}, "ParameterError", ["x[7] = -17", "v % 17"]),
    ("forward", ([1, 2, 3, 4, 5, 6, 7, 2**70],), {}, "ParameterError", [f"x[7] = {2**70}"]),
    ("forward", ([1, 2, 3, 4, 5, 6, 7, 1.5],), {}, "ArgumentTypeError", ["x[7] = 1.5", "float"]),
    ("forward", ([[1, 2], [3]],), {}, "ArgumentTypeError", ["x[0] = [1, 2]", "list"]),
    (
        "forward",
        (np.ma.array(GOOD, mask=GOOD == 3),),
        {},
        "ArgumentTypeError",
        ["masked", "x.data"],
    ),
    ("inverse", (np.full((2, 8), 17, U64),), {}, "ParameterError", ["x[0, 0] = 17"]),
    ("forward", (GOOD,), dict(out=np.zeros(9, U64)), "SizeError", ["out has shape (9,)", "(8,)"]),
    ("forward", (GOOD,), dict(out=np.zeros((1, 8), U64)), "SizeError", ["out has shape (1, 8)"]),
    (
        "forward",
        (GOOD,),
        dict(out=np.zeros(8)),
        "ArgumentTypeError",
        ["out has dtype float64", "nttforge.empty((8,), numpy.uint64)"],
    ),
    ("forward", (GOOD,), dict(out=_read_only()), "SizeError", ["out is read-only", "copy"]),
    ("forward", (GOOD,), dict(out=[0] * 8), "ArgumentTypeError", ["out is a list"]),
    ("multiply", (GOOD, np.zeros(9, U64)), {}, "SizeError", ["b has shape (9,)"]),
    ("multiply", (GOOD, np.zeros((2, 8), U64)), {}, "SizeError", ["(8,)", "(2, 8)", "equal"]),
    ("multiply", (GOOD, np.full(8, 20, U64)), {}, "ParameterError", ["b[0] = 20"]),
    (
        "multiply_accumulate",
        (GOOD, GOOD, _read_only()),
        {},
        "SizeError",
        ["accumulator is read-only"],
    ),
    (
        "multiply_accumulate",
        (GOOD, GOOD, np.full(8, 17, U64)),
        {},
        "ParameterError",
        ["accumulator[0] = 17"],
    ),
    (
        "multiply_accumulate",
        (GOOD, GOOD, np.zeros(4, U64)),
        {},
        "SizeError",
        ["accumulator has shape"],
    ),
    ("sum_of_products", (GOOD, GOOD), {}, "SizeError", ["a has shape (8,)", "axis of terms"]),
    ("sum_of_products", (TERMS[:0], TERMS[:0]), {}, "SizeError", ["(0, 8)", "at least one"]),
    ("sum_of_products", (TERMS, TERMS[:2]), {}, "SizeError", ["(3, 8)", "(2, 8)", "equal"]),
    ("sum_of_products", (TERMS, TERMS), dict(out=TERMS[0]), "SizeError", ["out", "overlap"]),
    ("sum_of_products", (TERMS, TERMS), dict(out=TERMS.copy()), "SizeError", ["out has shape (3"]),
    ("sum_of_products", (TERMS + 17, TERMS), {}, "ParameterError", ["a[0, 0] = 17"]),
    ("polynomial_product", (GOOD, np.zeros(8)), {}, "ArgumentTypeError", ["b has dtype float64"]),
]


@pytest.mark.parametrize(("method", "arrays", "keywords", "error", "parts"), ARRAYS)
def test_bad_array(
    method: str, arrays: tuple[Any, ...], keywords: dict[str, Any], error: str, parts: list[str]
) -> None:
    plan = NttPlan(8, 17)
    everything = [*arrays, *keywords.values()]
    before = [a.copy() if isinstance(a, np.ndarray) else repr(a) for a in everything]
    with pytest.raises(getattr(nttforge, error)) as caught:
        getattr(plan, method)(*arrays, **keywords)
    for part in parts:
        assert part in str(caught.value), str(caught.value)
    for a, b in zip(everything, before, strict=True):
        assert (a == b).all() if isinstance(a, np.ndarray) else repr(a) == b


def test_integers_too_long_to_print() -> None:
    with pytest.raises(nttforge.ParameterError, match="moduli = an integer of 16610 bits"):
        NttPlan(8, 10**5000)
    with pytest.raises(nttforge.ParameterError, match=r"x\[7\] = an integer of 16610 bits"):
        NttPlan(8, 17).forward([0] * 7 + [10**5000])


def test_partial_overlap() -> None:
    x, out = _overlapping()
    with pytest.raises(nttforge.SizeError, match="x and out overlap partly"):
        NttPlan(8, 17).forward(x, out=out)
    assert not x.any() and not out.any()


def test_an_unreduced_residue_is_named_by_place() -> None:
    plan = NttPlan(8, [17, 97])
    x = np.zeros((3, 2, 8), dtype=U64)
    x[1, 1, 5] = 97
    with pytest.raises(nttforge.ParameterError) as caught:
        plan.forward(x)
    assert str(caught.value).startswith("x[1, 1, 5] = 97 is not in [0, q) with q = 97")
    assert x[1, 1, 5] == 97


@pytest.mark.skipif(np.lib.NumpyVersion(np.__version__) < "2.0.0", reason="NumPy 1 has 32 axes")
def test_arrays_of_too_many_axes() -> None:
    plan = NttPlan(8, 17)
    x = np.zeros((1,) * 40 + (8,), U64)
    for call in (
        lambda: plan.forward(x),
        lambda: plan.forward(x, out=x),
        lambda: plan.multiply(x, x),
    ):
        with pytest.raises(nttforge.SizeError, match="has 41 axes: need 32 at most"):
            call()
    assert plan.forward(x[(0,) * 9]).ndim == 32


def test_a_root_may_be_a_numpy_integer() -> None:
    for root in (np.uint64(9), np.array(9)):
        assert NttPlan(4, 17, roots=root).spec.roots == (9,)
