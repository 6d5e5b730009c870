# SPDX-License-Identifier: Apache-2.0
"""Measured precision against numbers that are exact."""

from __future__ import annotations

import math

import numpy as np
import pytest

from nttforge import ParameterError, SizeError, ckks


def test_each_statistic_of_known_errors() -> None:
    errors = np.array([[2.0**-3, 0, 2.0**-5, 2.0**-4], [0, 2.0**-2, 2.0**-4, 2.0**-4]])
    found = ckks.precision_statistics(1 + errors, np.ones((2, 4))).real
    assert (found.worst, found.median, found.best) == (2, 4, math.inf)
    assert found.mean == pytest.approx(-math.log2(errors.mean()))
    assert found.l2 == pytest.approx(-math.log2(np.linalg.norm(errors) / math.sqrt(8)))


def test_parts_and_distances() -> None:
    found = ckks.precision_statistics([3 + 4j, 0.5], [0, 0.5])
    assert 2**-found.real.worst == pytest.approx(3)
    assert 2**-found.imaginary.worst == pytest.approx(4)
    assert 2**-found.complex.worst == pytest.approx(5)
    assert found.complex.best == math.inf


def test_tiny_errors_do_not_vanish_in_squares_and_none_is_infinite() -> None:
    assert ckks.precision_statistics(2.0**-600, 0).real.l2 == 600
    same = ckks.precision_statistics([1, 2j], [1, 2j])
    assert {same.complex.worst, same.complex.l2, same.real.mean} == {math.inf}


def test_bad_arguments() -> None:
    with pytest.raises(SizeError, match=r"values has shape \(2,\) and expected \(1,\)"):
        ckks.precision_statistics([1, 2], [1])
    with pytest.raises(ParameterError, match=r"expected\[1\] = nan"):
        ckks.precision_statistics([1, 2], [1, math.nan])
    with pytest.raises(ParameterError, match=r"beyond 2\^1024"):
        ckks.precision_statistics([1.7e308], [-1.7e308])
