# SPDX-License-Identifier: Apache-2.0
"""The schedules of the algorithm collection against the meaning of their values."""

from __future__ import annotations

import pytest

from nttforge.spec.number_theory import GOLDILOCKS
from nttforge.spec.transform import (
    ORDERS,
    RINGS,
    bit_reverse,
    default_root,
    forward,
    inverse,
    powers,
    reorder,
)
from nttforge_oracle.algorithms import (
    ALGORITHMS,
    DIRECTIONS,
    SCHEDULES,
    butterflies,
    run_stage,
    trace,
    tree_exponent,
)
from nttforge_oracle.fast import twiddles
from nttforge_oracle.vectors.rules import residues

Q, N = 97, 16


def transform_of(a, omega):
    n = len(a)
    return [sum(v * pow(omega, j * k, Q) for j, v in enumerate(a)) % Q for k in range(n)]


def stages_of(name, a, omega):
    x, table, out = list(a), powers(omega, len(a), Q), []
    for s in range(1, len(a).bit_length()):
        x = run_stage(x, butterflies(name, len(a), s), table, Q)
        out.append(x)
    return out


@pytest.mark.parametrize("name", sorted(ALGORITHMS))
@pytest.mark.parametrize("ring", RINGS)
@pytest.mark.parametrize("q", [97, GOLDILOCKS])
def test_the_last_step_is_the_transform(name, ring, q):
    for n in (1, 2, 4, 8, 16):
        a = residues(n, q)
        for radix in ALGORITHMS[name].radices:
            for i in ORDERS:
                for o in ORDERS:
                    x = forward(a, q, ring, i, o)
                    for direction, start, end in zip(DIRECTIONS, (a, x), (x, a), strict=True):
                        t = trace(start, q, name, ring, i, o, None, direction, radix)
                        assert (t["steps"][-1]["values"] if t["steps"] else start) == end
                    assert inverse(x, q, ring, i, o) == a


@pytest.mark.parametrize("name", sorted(SCHEDULES))
def test_a_stage_reads_and_writes_each_position_once(name):
    for n in (2, 8, 64):
        for s in range(1, n.bit_length()):
            stage = butterflies(name, n, s)
            assert sorted(p for b in stage for p in b.read) == list(range(n))
            assert sorted(p for b in stage for p in b.write) == list(range(n))
            assert all(0 <= b.exponent < max(1, n // 2) for b in stage)


@pytest.mark.parametrize("name", ["dit", "pease", "stockham", "dif"])
def test_values_after_a_stage_mean_what_the_documentation_says(name):
    omega, a = default_root(N, Q, "cyclic"), residues(N, Q)
    bits = N.bit_length() - 1
    reads = ALGORITHMS[name].input_order
    for s, x in enumerate(stages_of(name, reorder(a, reads), omega), 1):
        size, blocks = 2**s, N // 2**s
        for p, value in enumerate(x):
            if name in ("dit", "pease"):
                # Value k of the 2^s-point transform of every (n / 2^s)-th input.
                block, k = divmod(p, size) if name == "dit" else divmod(p, blocks)[::-1]
                inputs = a[bit_reverse(block, bits - s) :: blocks]
                assert value == transform_of(inputs, pow(omega, blocks, Q))[k]
            else:
                # Point j of the n / 2^s inputs whose transform gives the outputs = c mod 2^s.
                j, c = (p // size, p % size) if name == "stockham" else (p % blocks, p // blocks)
                c = c if name == "stockham" else bit_reverse(c, s)
                folded = sum(
                    a[j + m * blocks] * pow(omega, (j + m * blocks) * c, Q) for m in range(size)
                )
                assert value == folded % Q


def test_tree_exponents_are_those_of_the_twiddle_table():
    for ring in RINGS:
        root = default_root(N, Q, ring)
        table = twiddles(N, Q, ring)
        assert [pow(root, tree_exponent(N, ring, i), Q) for i in range(1, N)] == table[1:]


def test_bad_arguments():
    with pytest.raises(ValueError, match="six_step"):
        butterflies("six_step", 8, 1)
    with pytest.raises(ValueError, match="stage = 4"):
        butterflies("dit", 8, 4)
    with pytest.raises(ValueError, match="radix = 3"):
        trace([1, 2], 17, "radix_r", radix=3)
    with pytest.raises(ValueError, match="unknown"):
        trace([1, 2], 17, "dit", direction="sideways")


# What [Din24] prints, run as printed.


def printed_pease(x, q, masked=None, order=None):
    """Algorithm 1 of [Din24], line by line; ``masked`` adds the twiddle it leaves out.

    The printed c is read as the loop's s, the only counter there is.
    """
    n = len(x)
    bits = n.bit_length() - 1
    x, y = reorder(x, "bit_reversed"), [0] * n
    for s in order or range(bits, 0, -1):
        base = ~(0xFFFFFFF << (s - 1)) & 0xFFFFFFFF
        for r in range(n // 2):
            f1, f2 = x[r << 1], x[(r << 1) + 1]
            if masked is not None:
                table, exponent = masked
                f2 = f2 * table[exponent(r, base) % n]
            y[r] = (f1 + f2) % q
            y[r + n // 2] = (f1 - f2) % q
        x, y = y, x
    return x


def test_the_printed_pease_is_the_walsh_hadamard_transform():
    for n in (2, 4, 8, 16):
        a = residues(n, Q)
        hadamard = [
            sum(v * (-1) ** (i & k).bit_count() for i, v in enumerate(a)) % Q for k in range(n)
        ]
        printed = printed_pease(a, Q)
        assert printed == reorder(hadamard, "bit_reversed")
        # The transform of its equation (1) only at n = 2.
        assert (printed == forward(a, Q, "cyclic", output_order="natural")) == (n == 2)


def test_the_printed_base_is_the_complement_of_the_mask_that_is_missing():
    a, omega = residues(N, Q), default_root(N, Q, "cyclic")
    x, table = forward(a, Q, "cyclic", output_order="natural"), powers(omega, N, Q)
    assert printed_pease(a, Q, (table, lambda r, base: r & ~base)) == x
    assert printed_pease(a, Q, (table, lambda r, base: r & base)) != x
    # The stages must run from s = L down to 1 as printed, since the mask shrinks.
    wrong = printed_pease(a, Q, (table, lambda r, base: r & ~base), range(1, 5))
    assert wrong != x


def test_the_printed_mask_keeps_high_bits_too():
    # ~(0xFFFFFFF << (s - 1)) of 32 bits: harmless while r < 2^28 only.
    assert [~(0xFFFFFFF << (s - 1)) & 0xFFFFFFFF for s in (1, 4)] == [0xF0000000, 0x80000007]
