# SPDX-License-Identifier: Apache-2.0
"""What bad parameter sets get: field, value, what is allowed, a remedy; no change."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from typing import Any

import pytest

import nttforge
from nttforge import bfv

P = bfv.Parameters
Q = [int(q) for q in nttforge.ntt_primes(4096, 36, 2)]
SPECIAL = nttforge.ntt_primes(4096, 37)[0]

PARAMETERS: list[tuple[Callable[[], Any], str, list[str]]] = [
    (lambda: P.preset(3000), "ParameterError", ["n", "3000"]),
    (lambda: P.preset(2**16), "ParameterError", ["n", "65536"]),
    (lambda: P.preset(4096, 1), "ParameterError", ["t = 1"]),
    (lambda: P.preset(4096, 2**60), "ParameterError", ["t = 1152921504606846976", "2^60 - 1"]),
    (
        lambda: P.preset(4096, security="classical512"),
        "ParameterError",
        ["security = 'classical512'"],
    ),
    (
        lambda: P.preset(4096, security_table="hes2030"),
        "ParameterError",
        ["security_table = 'hes2030'", "guidelines2024", "hes2018"],
    ),
    (
        lambda: P.preset(1024, security="classical192"),
        "ParameterError",
        ["n = 1024", "classical192", "2024 security guidelines", "2048"],
    ),
    (
        lambda: P.custom(4096, 65537, Q, SPECIAL),  # 109 bits: what the table of 2018 allows
        "ParameterError",
        ["106", "109", "2024 security guidelines"],
    ),
    (lambda: P.preset(4096, word_bits=16), "ParameterError", ["word_bits = 16", "32"]),
    (lambda: P.preset(8192, digit_primes=9), "ParameterError", ["digit_primes = 9", "[0, 2]"]),
    (lambda: P.preset(2048, digit_primes=1), "ParameterError", ["digit_primes = 1", "n = 2048"]),
    (lambda: P.preset(8192, digit_primes=-1), "ParameterError", ["digit_primes = -1"]),
    (lambda: P.preset(8192, digit_primes=2.0), "ArgumentTypeError", ["digit_primes = 2.0"]),
    (lambda: P.custom(4096, 2, Q, [SPECIAL, 0]), "ParameterError", ["special[1] = 0"]),
    (lambda: P.custom(4096, 2, Q, [SPECIAL, Q[1]]), "ParameterError", ["special[1]", "q[1]"]),
    (
        lambda: P.custom(4096, 2, Q, [SPECIAL] * 2),
        "ParameterError",
        ["special[0] and special[1] are both"],
    ),
    (lambda: P.custom(4096, 2, Q, SPECIAL, digit_primes=3), "ParameterError", ["[1, 2]"]),
    (lambda: P.custom(4096, 2, Q, digit_primes=2), "ParameterError", ["without special primes"]),
    (lambda: P.custom(4096, 2, Q, "13"), "ArgumentTypeError", ["special = '13'"]),
    (lambda: P.preset(4096.0), "ArgumentTypeError", ["n = 4096.0", "need an integer"]),
    (lambda: P.badawi2018(1024), "ParameterError", ["n", "1024"]),
    (lambda: P.custom(4096, 65537, [], SPECIAL), "ParameterError", ["q"]),
    (lambda: P.custom(4096, 65537, [Q[0], Q[0]], SPECIAL), "ParameterError", [str(Q[0])]),
    (lambda: P.custom(4096, 65537, [Q[0], Q[1] + 2]), "ParameterError", [str(Q[1] + 2), "prime"]),
    (lambda: P.custom(4096, 65537, [2**31 - 1]), "ParameterError", [str(2**31 - 1), "8192"]),
    (lambda: P.custom(4096, 65537, [2**63]), "ParameterError", [str(2**63)]),
    (lambda: P.custom(4096, Q[0], Q, SPECIAL), "ParameterError", ["t", str(Q[0])]),
    (lambda: P.custom(4096, 65537, Q, Q[0]), "ParameterError", ["special", str(Q[0])]),
    (lambda: P.custom(100, 2, Q), "ParameterError", ["n = 100", "power of two"]),
    (
        lambda: P.custom(4096, 2, nttforge.ntt_primes(4096, 50, 4)),
        "ParameterError",
        ["insecure_by_request"],
    ),
    (lambda: P.custom(4096, 2, Q, secret="hollow"), "ParameterError", ["secret = 'hollow'"]),
    (lambda: P.custom(4096, 2, Q, error="none"), "ParameterError", ["error = 'none'"]),
    (lambda: P.custom(4096, 2, 17), "ArgumentTypeError", ["q = 17", "int"]),
    (lambda: P.from_bytes(b""), "FormatError", ["0 bytes", "truncated"]),
    (lambda: P.from_bytes("text"), "ArgumentTypeError", ["data is a str"]),
]


@pytest.mark.parametrize(("call", "error", "parts"), PARAMETERS)
def test_bad_parameters(call: Callable[[], Any], error: str, parts: list[str]) -> None:
    with pytest.raises(getattr(nttforge, error)) as caught:
        call()
    for part in parts:
        assert part in str(caught.value), str(caught.value)


def test_insecure_parameters_are_asked_for_by_name_again_when_read() -> None:
    paper = bfv.Parameters.badawi2018(2048)
    with pytest.raises(nttforge.ParameterError, match="allow_insecure"):
        bfv.Parameters.from_bytes(paper.to_bytes())
    assert bfv.Parameters.from_bytes(paper.to_bytes(), allow_insecure=True) == paper
    assert pickle.loads(pickle.dumps(paper)) == paper  # a pickle is trusted anyway


def test_whoever_reads_parameters_says_by_which_table_they_are_secure() -> None:
    old = bfv.Parameters.preset(4096, security_table="hes2018")
    assert old.modulus_bits > 106
    with pytest.raises(nttforge.ParameterError) as caught:
        bfv.Parameters.from_bytes(old.to_bytes())
    assert "exceeds the 106 bits for 128-bit classical security by the 2024" in str(caught.value)
    assert str(caught.value).endswith("or pass security_table = hes2018 if you accept theirs")
    assert bfv.Parameters.from_bytes(old.to_bytes(), security_table="hes2018") == old
    assert bfv.Parameters.from_bytes(old.to_bytes(), allow_insecure=True) == old
    assert pickle.loads(pickle.dumps(old)) == old
    new = bfv.Parameters.preset(4096)
    assert bfv.Parameters.from_bytes(new.to_bytes(), security_table="hes2018") == new
    with pytest.raises(nttforge.ParameterError, match="security_table = 'mine' is not one of"):
        bfv.Parameters.from_bytes(new.to_bytes(), security_table="mine")  # type: ignore[arg-type]
