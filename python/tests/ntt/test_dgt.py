# SPDX-License-Identifier: Apache-2.0
"""The DGT from Python and the command line, against the oracle."""

from __future__ import annotations

import json
import pickle
import random

import numpy as np
import pytest

import nttforge
from nttforge import NttPlan
from nttforge.cli import main
from nttforge.spec.transform import bit_reverse, polynomial_product
from nttforge_oracle import dgt

TARGETS = nttforge.available_targets()
PRIMES = [7, 31, 127, 17, 257, 1073741311, 2**31 - 1, 4503599626846207, 2**61 - 1, 2**62 - 57]


def _cases():
    for q in PRIMES:
        for n in (2, 4, 16, 64, 256):
            if nttforge.transform_support(q).max_n_dgt >= n:
                yield q, n


def _values(pairs, order):
    bits = (len(pairs) - 1).bit_length()
    if order == "bit_reversed":
        pairs = [pairs[bit_reverse(k, bits)] for k in range(len(pairs))]
    return [re for re, _ in pairs] + [im for _, im in pairs]


@pytest.mark.parametrize("target", TARGETS)
def test_transforms_and_products_equal_the_oracle(target):
    rng = random.Random(5)
    cases = list(_cases())
    assert len(cases) > 15
    for q, n in cases:
        a, b = ([rng.randrange(q) for _ in range(n)] for _ in range(2))
        expected = dgt.forward(a, q)
        for order in ("natural", "bit_reversed"):
            plan = NttPlan(n, q, output_order=order, target=target, transform="dgt")
            x = plan.forward(a)
            assert x.tolist() == _values(expected, order)
            assert plan.inverse(x).tolist() == a
            assert plan.spec.roots == dgt.twist_root(n, q)
        assert plan.polynomial_product(a, b).tolist() == polynomial_product(a, b, q)


def test_any_is_a_dgt_only_where_an_ntt_is_missing():
    assert NttPlan(512, 1073741311, transform="any").spec.transform == "dgt"
    assert NttPlan(512, 12289, transform="any").spec.transform == "ntt"
    assert NttPlan(512, [12289, 1073741311], transform="any").spec.transform == "dgt"
    plan = pickle.loads(pickle.dumps(NttPlan(512, 1073741311, transform="any")))
    x = np.arange(512, dtype=np.uint64)
    assert (plan.inverse(plan.forward(x)) == x).all()
    again = NttPlan(512, 1073741311, transform="dgt", roots=plan.spec.roots)
    assert (again.forward(x) == plan.forward(x)).all()


def test_errors_name_the_largest_n():
    with pytest.raises(nttforge.ParameterError, match=r"transform = dgt, which .* n = 512"):
        NttPlan(512, 1073741311)
    with pytest.raises(nttforge.ParameterError, match=r"neither .* with this q use n <= 512;"):
        NttPlan(1024, 1073741311, transform="dgt")
    with pytest.raises(nttforge.ParameterError, match="cyclic has no DGT"):
        NttPlan(8, 1073741311, ring="cyclic", transform="dgt")
    with pytest.raises(nttforge.ParameterError, match="transform"):
        NttPlan(8, 17, transform="fft")
    with pytest.raises(nttforge.ParameterError, match="not a DGT root"):
        NttPlan(8, 1073741311, transform="dgt", roots=[0, 1])


def test_command_line(capsys):
    assert (
        main(["ntt", "--q", "7", "--transform", "dgt", "--times", "0,1,0,0", "1", "2", "3", "4"])
        == 0
    )
    assert capsys.readouterr().out.split() == ["3", "1", "2", "3"]
    assert main(["plan", "--n", "512", "--q", "1073741311", "--transform", "any", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["spec"]["transform"] == "dgt"


def test_repr_says_what_differs() -> None:
    for plan in (
        NttPlan(8, 7, transform="dgt"),
        NttPlan(4, [17], roots=[9]),
        NttPlan(8, 97, algorithm="dit"),
    ):
        again = eval(repr(plan))
        assert again.spec == plan.spec and again.recipe == plan.recipe
