# SPDX-License-Identifier: Apache-2.0
"""Sets that are intersected by client and server, against plain sets."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import pytest

import nttforge
from nttforge import bfv
from nttforge.encrypted import SetIntersection
from nttforge.integer_encoding import Keys

RUN = SetIntersection(client_items=300, server_items=5000, salt=b"test", degree=4, error_bits=20)


@cache
def intersecting() -> Keys:
    choice = nttforge.choose(RUN.circuit, **RUN.needs)
    assert choice.relinearization and not choice.rotations
    return choice.generate_keys(bfv.Context(choice.parameters))


def test_sets_are_intersected() -> None:
    keys = intersecting()
    mine = [*(f"both {i}" for i in range(120)), *(f"mine {i}" for i in range(179)), "both 0"]
    theirs = [*(f"both {i}" for i in range(120)), *(f"theirs {i}" for i in range(4880))]
    question = bfv.Ciphertext.from_bytes(keys.context, RUN.encrypt(mine, keys).to_bytes())
    theirs_ready = RUN.prepare(theirs, keys.context.n)
    assert theirs_ready.answers > 1
    answer = RUN.answer(question, theirs_ready, keys.evaluation)
    assert answer.batch == theirs_ready.answers
    answer = bfv.Ciphertext.from_bytes(keys.context, answer.to_bytes())
    assert RUN.decrypt(answer, mine, keys) == [item.startswith("both") for item in mine]
    # What is no match is random, and other at every answer.
    first, second = (
        keys.decrypt(a, signed=False) for a in (answer, RUN.answer(question, theirs_ready, keys))
    )
    assert ((first == 0) == (second == 0)).all() and (first != second).mean() > 0.9


def test_items_of_all_types_and_sets_without_common_items() -> None:
    keys = intersecting()
    mine: list[int | str | bytes] = [1, "1", b"1", -5, 2**70]
    question = RUN.encrypt(mine, keys.public)
    for theirs, expected in (
        ([1, 2**70, 9], [True, False, False, False, True]),
        (["1"], [False, True, False, False, False]),
        ([b"1", -5], [False, False, True, True, False]),
        (range(2, 2000), [False] * 5),
    ):
        ready = RUN.prepare(theirs, keys.context.n)
        assert RUN.decrypt(RUN.answer(question, ready, keys), mine, keys) == expected


def test_polynomials_have_the_items_as_roots() -> None:
    """The server's half in plain arithmetic: every bin of every item, and no other."""
    ready = RUN.prepare(range(5000), 4096)
    for item in (0, 17, 4999):
        number, bins = RUN._hashed(item, 4096)
        for place in bins:
            values = [
                sum(int(c) * pow(number, k, RUN.t) for k, c in enumerate(rows[:, place])) % RUN.t
                for rows in ready._coefficients
            ]
            assert 0 in values
    number, bins = RUN._hashed("not there", 4096)
    for rows in ready._coefficients:
        assert sum(int(c) * pow(number, k, RUN.t) for k, c in enumerate(rows[:, bins[0]])) % RUN.t


def test_what_does_not_fit_an_intersection_is_refused() -> None:
    keys = intersecting()
    n = keys.context.n
    other = bfv.Context(bfv.Parameters.preset(4096)).generate_keys()
    cases: list[tuple[Callable[[], Any], type[Exception], str]] = [
        (lambda: SetIntersection(0, 5, b""), nttforge.ParameterError, "client_items = 0 is not in"),
        (lambda: SetIntersection(5, 5, "x"), nttforge.ArgumentTypeError, "salt: need at most 64"),
        (
            lambda: SetIntersection(9000, 10**6, b"", error_bits=40),
            nttforge.ParameterError,
            r"error_bits = 40 needs t of 6\d bits .*: take at most 3\d, or ask in several runs",
        ),
        (lambda: RUN.encrypt([], keys), nttforge.SizeError, "items has 0 different entries"),
        (lambda: RUN.encrypt(range(301), keys), nttforge.SizeError, "need 1 to client_items = 300"),
        (lambda: RUN.encrypt([0.5], keys), nttforge.ArgumentTypeError, "0.5 is a float: need int"),
        (lambda: RUN.encrypt([True], keys), nttforge.ArgumentTypeError, "True is a bool"),
        (lambda: RUN.encrypt([1], other), nttforge.ParameterError, "the context has n = 4096, t ="),
        (lambda: RUN.prepare([], n), nttforge.SizeError, "items is empty"),
        (lambda: RUN.prepare(range(5001), n), nttforge.SizeError, "more than server_items = 5000"),
        (
            lambda: RUN.answer(RUN.encrypt([1], keys), RUN.prepare([1], 2 * n), keys),
            nttforge.ParameterError,
            "server_set has n = ",
        ),
    ]
    for call, error, text in cases:
        with pytest.raises(error, match=text):
            call()
