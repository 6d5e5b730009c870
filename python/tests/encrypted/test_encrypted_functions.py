# SPDX-License-Identifier: Apache-2.0
"""Functions of encrypted arrays with halves of client and server, against NumPy and plain sets."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from function_costs import costs, row

import nttforge
from nttforge import ArraySpec, EncryptedArray, bfv, encrypted
from nttforge.encrypted import IntegerBits, OneHot, UnitVectors
from nttforge.integer_encoding import Keys

RNG = np.random.default_rng(11)
CODE = IntegerBits(4)
SIGNED = IntegerBits(5, signed=True)
#: Every pair of integers of 4 bits.
PAIRS = np.array(list(product(range(16), repeat=2)))


def keys_for(circuit: Callable[..., Any], specs: list[Any], **options: Any) -> Keys:
    choice = nttforge.choose(circuit, specs, **options)
    return choice.generate_keys(bfv.Context(choice.parameters))


@cache
def comparing() -> Keys:
    """Keys of whatever compares integers of up to 8 bits."""
    spec = IntegerBits(8).spec(256)
    return keys_for(lambda x, y: (encrypted.maximum(x, y), encrypted.equal(x, y)), [spec, spec])


def from_bytes(x: EncryptedArray, keys: Keys) -> EncryptedArray:
    """What a server has: bytes, and evaluation keys."""
    has_keys = keys.relinearization is not None or keys.rotations is not None
    return EncryptedArray.from_bytes(x.context, x.to_bytes(), keys.evaluation if has_keys else None)


def test_every_pair_of_small_integers_is_compared() -> None:
    spec = CODE.spec(256)
    keys = keys_for(lambda x, y: (encrypted.less(x, y), encrypted.equal(x, y)), [spec, spec])
    x, y = (from_bytes(CODE.encrypt(column, keys), keys) for column in PAIRS.T)
    a, b = PAIRS.T
    less, equal = encrypted.less(x, y), encrypted.equal(x, y)
    assert less.shape == equal.shape == (256,) and less.bounds == equal.bounds == (0, 1)
    assert (less.decrypt(keys) == (a < b)).all()
    assert (equal.decrypt(keys) == (a == b)).all()
    assert ((1 - encrypted.less(y, x)).decrypt(keys) == (a <= b)).all()
    with pytest.raises(nttforge.SizeError, match=r"array has shape \(256,\)"):
        CODE.decrypt(less, keys)


@pytest.mark.parametrize("public", [False, True])
def test_integers_at_the_ends_of_their_range(public: bool) -> None:
    keys = comparing()
    for code in (IntegerBits(8), SIGNED, IntegerBits(1), IntegerBits(3)):
        ends = [code.low, code.low + 1, code.high - 1, code.high]
        a, b = np.array(list(product(ends, repeat=2))).T
        x = code.encrypt(a, keys)
        y = code.encode(b) if public else code.encrypt(b, keys)
        assert (encrypted.less(x, y).decrypt(keys) == (a < b)).all()
        assert (encrypted.less(y, x).decrypt(keys) == (b < a)).all()
        assert (encrypted.equal(y, x).decrypt(keys) == (a == b)).all()
        assert (code.decrypt(encrypted.maximum(x, y), keys) == np.maximum(a, b)).all()
        assert (code.decrypt(encrypted.minimum(y, x), keys) == np.minimum(a, b)).all()


def test_a_single_integer_with_many_and_with_one() -> None:
    keys, values = comparing(), RNG.integers(0, 256, 40)
    code = IntegerBits(8)
    x, one = code.encrypt(values, keys), code.encrypt(values[7], keys)
    assert (encrypted.equal(x, one).decrypt(keys) == (values == values[7])).all()
    assert (encrypted.less(one, x).decrypt(keys) == (values[7] < values)).all()
    assert (encrypted.less(x, code.encode(100)).decrypt(keys) == (values < 100)).all()
    alone = encrypted.equal(one, code.encode(values[7]))
    assert alone.shape == () and int(alone.decrypt(keys)) == 1
    assert int(code.decrypt(encrypted.maximum(one, code.encode(255)), keys)) == 255
    # A comparison is a number like any other.
    chosen = encrypted.less(x, one) * 3 + 1
    assert (chosen.decrypt(keys) == (values < values[7]) * 3 + 1).all()


def test_what_is_no_integer_of_bits_is_refused() -> None:
    keys = comparing()
    x = CODE.encrypt([1, 2], keys)
    cases: list[tuple[Callable[[], Any], type[Exception], str]] = [
        (lambda: IntegerBits(0), nttforge.ParameterError, r"bits = 0 is not in \[1, 62\]"),
        (
            lambda: CODE.encode([3, 16]),
            nttforge.ParameterError,
            r"values\[1\] = 16 is not in \[0, 15\]",
        ),
        (
            lambda: SIGNED.encode(-17),
            nttforge.ParameterError,
            r"values = -17 is not in \[-16, 15\]",
        ),
        (lambda: CODE.encode([0.5]), nttforge.ArgumentTypeError, "values has dtype float64"),
        (lambda: CODE.encode([[1]]), nttforge.SizeError, r"values has shape \(1, 1\)"),
        (lambda: CODE.encode([]), nttforge.NttforgeError, "values has"),
        (
            lambda: encrypted.less(x, 3),
            nttforge.ArgumentTypeError,
            "y is no array of bits: encrypt with",
        ),
        (
            lambda: encrypted.less(x, np.array([3])),
            nttforge.ParameterError,
            "other values than 0 and 1",
        ),
        (
            lambda: encrypted.equal(x, EncryptedArray.encrypt([[7] * 4], keys)),
            nttforge.ParameterError,
            r"y holds values in .*: need bits, 0 and 1; encrypt with nttforge.encrypted.Integ",
        ),
        (
            lambda: encrypted.equal(x, SIGNED.encrypt([1, 2], keys)),
            nttforge.SizeError,
            "x has numbers of 4 bits and y of 8: encode both with the same IntegerBits",
        ),
        (
            lambda: encrypted.less(CODE.encode(1), CODE.encode(2)),
            nttforge.ArgumentTypeError,
            "x and y are both public: compare them with NumPy",
        ),
        (
            lambda: encrypted.less(x, CODE.encrypt([1, 2, 3], keys)),
            nttforge.SizeError,
            "do not broadcast",
        ),
        (lambda: SIGNED.decrypt(x, keys), nttforge.SizeError, r"array has shape \(2, 4\)"),
    ]
    for call, error, text in cases:
        with pytest.raises(error, match=text):
            call()


def test_tables_are_looked_up() -> None:
    table = RNG.integers(-(10**6), 10**6, 300)
    places = [0, 299, 7, 7]
    keys = keys_for(lambda index: encrypted.look_up(index, table), [OneHot(300).spec(4)])
    assert keys.relinearization is None
    index = from_bytes(OneHot(300).encrypt(places, keys), keys)
    found = encrypted.look_up(index, table)
    assert (found.decrypt(keys) == table[places]).all()
    # The sum of all entries would pass t/2; that of one does not.
    assert np.abs(table).sum() > keys.context.t > 2 * np.abs(table).max()
    assert found.bounds == (1 - 2**20, 2**20 - 1)  # of the table to a power of two
    same = nttforge.choose(
        lambda index: encrypted.look_up(index, np.full(300, -(10**6))), [OneHot(300).spec(4)]
    )
    assert same.rotations == keys.rotations.steps  # type: ignore[union-attr]
    one = encrypted.look_up(OneHot(300).encrypt(299, keys), table)
    assert one.shape == () and int(one.decrypt(keys)) == table[299]


def test_rows_of_a_table_and_encrypted_tables() -> None:
    wide = RNG.integers(-50, 50, (6, 8))
    secret = RNG.integers(-50, 50, 6)
    code = OneHot(6)

    def both(index: Any, table: Any) -> Any:
        return encrypted.look_up(index, wide), encrypted.look_up(index, table)

    keys = keys_for(both, [code.spec(3), ArraySpec((6,), -50, 50)])
    index, table = code.encrypt([5, 0, 5], keys), EncryptedArray.encrypt(secret, keys)
    rows, entries = both(index, table)
    assert (rows.decrypt(keys) == wide[[5, 0, 5]]).all()
    assert (entries.decrypt(keys) == secret[[5, 0, 5]]).all()


def test_a_matrix_of_more_entries_than_slots_takes_two_indices() -> None:
    matrix = RNG.integers(0, 1000, (64, 64))
    code = OneHot(64)

    def entry(row: Any, column: Any) -> Any:
        return encrypted.look_up(column, encrypted.look_up(row, matrix))

    keys = keys_for(entry, [code.spec(), code.spec()])
    found = entry(code.encrypt(3, keys), code.encrypt(61, keys))
    assert int(found.decrypt(keys)) == matrix[3, 61]


def test_histograms_and_sums_of_groups() -> None:
    groups, weights = RNG.integers(0, 5, 3000), RNG.integers(0, 100, 3000)
    code = OneHot(5)
    keys = keys_for(encrypted.histogram, [code.spec(3000, (0, 99))])
    counts = encrypted.histogram(from_bytes(code.encrypt(groups, keys), keys))
    assert (counts.decrypt(keys) == np.bincount(groups, minlength=5)).all()
    records = code.encrypt(groups, keys, weights=weights, bounds=(0, 99))
    expected = np.bincount(groups, weights, minlength=5)
    assert (encrypted.histogram(records).decrypt(keys) == expected).all()
    one = encrypted.histogram(code.encrypt([4], keys))
    assert one.decrypt(keys).tolist() == [0, 0, 0, 0, 1]


def test_votes_are_counted_by_whoever_has_no_key() -> None:
    code, votes = OneHot(3), RNG.integers(0, 3, 50)
    keys = keys_for(lambda ballot: ballot * 50, [code.spec()])
    assert keys.relinearization is None and keys.rotations is None
    ballots = [code.encrypt(vote, keys.public).to_bytes() for vote in votes]
    context = keys.context
    total = encrypted.tally(EncryptedArray.from_bytes(context, ballot) for ballot in ballots)
    assert (total.decrypt(keys) == np.bincount(votes, minlength=3)).all()
    assert total.bounds == (0, 50)


def test_what_is_no_vector_with_a_single_one_is_refused() -> None:
    code = OneHot(3)
    keys = keys_for(lambda x: x * 9, [code.spec(4)])
    many, one = code.encrypt([1, 2], keys), code.encrypt(1, keys)
    cases: list[tuple[Callable[[], Any], type[Exception], str]] = [
        (lambda: code.encrypt(3, keys), nttforge.ParameterError, r"indices = 3 is not in \[0, 2\]"),
        (lambda: code.encrypt([0, -1], keys), nttforge.ParameterError, r"indices\[1\] = -1"),
        (lambda: code.encode([0, 1], [1, 2, 3]), nttforge.SizeError, r"weights has shape \(3,\)"),
        (lambda: code.encrypt(1, keys, weights=2), nttforge.ParameterError, r"bounds = \(0, 1\)"),
        (lambda: encrypted.look_up(one, [1, 2]), nttforge.SizeError, r"table has shape \(2,\)"),
        (lambda: encrypted.look_up(one, [0.5] * 3), nttforge.ArgumentTypeError, "table has dtype"),
        (
            lambda: encrypted.look_up(one, many),
            nttforge.SizeError,
            "need an encrypted table of one",
        ),
        (lambda: encrypted.look_up([0, 1, 0], [1] * 3), nttforge.ArgumentTypeError, "index is no"),
        (lambda: encrypted.histogram(one), nttforge.SizeError, r"records has shape \(3,\)"),
        (lambda: encrypted.tally([]), nttforge.SizeError, "ballots is empty"),
        (lambda: encrypted.tally([one, many]), nttforge.ArgumentTypeError, r"ballots\[1\] is no"),
        (
            lambda: encrypted.tally([one, OneHot(2).encrypt(1, keys)]),
            nttforge.SizeError,
            r"ballots\[1\] has shape \(2,\) and those before \(3,\)",
        ),
    ]
    for call, error, text in cases:
        with pytest.raises(error, match=text):
            call()


@pytest.mark.parametrize(("count", "length"), [(3000, 12), (5, 16), (1, 1), (4096, 3)])
def test_similarities_are_cosines(count: int, length: int) -> None:
    vectors = RNG.normal(size=(count, length))
    query = RNG.normal(size=length)
    code = UnitVectors(length, scale=500)
    keys = keys_for(lambda q: encrypted.similarities(q, vectors), [code.spec()])
    assert keys.relinearization is None
    scores = encrypted.similarities(from_bytes(code.encrypt(query, keys), keys), vectors)
    cosines = vectors @ query / np.linalg.norm(vectors, axis=1) / np.linalg.norm(query)
    found = scores.decrypt(keys).ravel()
    assert np.abs(found[:count] - cosines).max() < np.sqrt(length) / 500
    assert (found[count:] == 0).all()
    k = min(count, 10)
    places, values = code.top(scores, k, count, keys)
    assert len(set(places.tolist())) == k and (np.diff(values) <= 0).all()
    assert values[0] == found[:count].max()
    # Exact in fixed point.
    words = [
        np.rint(500 * (v / np.linalg.norm(v, axis=-1, keepdims=True))) for v in (vectors, query)
    ]
    assert (np.rint(found[:count] * 500**2) == words[0] @ words[1]).all()


def test_similarities_of_more_vectors_than_slots() -> None:
    vectors = RNG.normal(size=(9000, 2))
    code = UnitVectors(2, scale=20)
    keys = keys_for(lambda q: encrypted.similarities(q, vectors), [code.spec()])
    scores = encrypted.similarities(code.encrypt([1, -1], keys), vectors)
    assert scores.layout.ciphertexts == -(-9000 // keys.context.n) > 1
    found = scores.decrypt(keys).ravel()[:9000]
    cosines = vectors @ [1, -1] / np.linalg.norm(vectors, axis=1) / np.sqrt(2)
    assert np.abs(found - cosines).max() < np.sqrt(2) / 20


def test_what_has_no_direction_is_refused() -> None:
    code = UnitVectors(3)
    keys = keys_for(lambda q: encrypted.similarities(q, np.eye(3)), [code.spec()])
    query = code.encrypt([1, 2, 2], keys)
    scores = encrypted.similarities(query, np.eye(3))
    cases: list[tuple[Callable[[], Any], type[Exception], str]] = [
        (
            lambda: code.encrypt([0, 0, 0], keys),
            nttforge.ParameterError,
            "vector has a vector without",
        ),
        (lambda: code.encrypt([1, np.nan, 0], keys), nttforge.ParameterError, "not finite"),
        (lambda: code.encrypt([1, 2], keys), nttforge.SizeError, r"vector has shape \(2,\)"),
        (
            lambda: encrypted.similarities(query, np.eye(4)),
            nttforge.SizeError,
            r"vectors has shape \(4, 4\) and query \(3,\): need equal lengths",
        ),
        (
            lambda: encrypted.similarities(query, [[1, 2, 3], [0, 0, 0]]),
            nttforge.ParameterError,
            "vectors has a vector without direction",
        ),
        (lambda: encrypted.similarities([1, 2, 2], np.eye(3)), nttforge.SizeError, "not encrypted"),
        (
            lambda: code.top(scores, 4, 3, keys),
            nttforge.ParameterError,
            r"k = 4 is not in \[1, 3\]",
        ),
    ]
    for call, error, text in cases:
        with pytest.raises(error, match=text):
            call()


def test_costs_are_those_of_the_page() -> None:
    page = (Path(__file__).parents[3] / "docs/can-i.md").read_text("utf-8")
    lines = [line for line in page.splitlines() if line.startswith("| `")]
    expected = [f"| {' | '.join(row(cost))} |" for cost in costs()]
    kept = [line for line in lines if any(line.startswith(cells) for cells in expected)]
    text = "write the table again: python python/tests/helpers/function_costs.py --measure"
    assert len(kept) == len(expected), text
