# SPDX-License-Identifier: Apache-2.0
"""The algorithm collection stage by stage: which positions and twiddles each stage combines.

``butterflies`` is the schedule that a hardware or GPU implementation can be wired from; ``trace``
the values after every step. Positions are addresses of one array of n words (or, out of place,
of the array read and the array written). docs/algorithms.md says it in words.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from nttforge.spec.transform import (
    ORDERS,
    Order,
    Ring,
    bit_reverse,
    default_root,
    log2_exact,
    powers,
    reorder,
)

DIRECTIONS = ("forward", "inverse")


@dataclass(frozen=True)
class Butterfly:
    """Two values in, two out, and the exponent of omega that goes with them.

    ``before`` True: (u + w v, u - w v); False: (u + v, (u - v) w); w = omega^exponent.
    """

    read: tuple[int, int]
    write: tuple[int, int]
    exponent: int
    before: bool


@dataclass(frozen=True)
class Algorithm:
    """Orders of an algorithm, and whether its inverse undoes its stages (product-tree ones)."""

    name: str
    input_order: Order
    output_order: Order
    mirrored: bool = False
    radices: tuple[int, ...] = (2,)


ALGORITHMS = {
    a.name: a
    for a in (
        Algorithm("dit", "bit_reversed", "natural"),
        Algorithm("dif", "natural", "bit_reversed"),
        Algorithm("flat", "bit_reversed", "natural"),
        Algorithm("pease", "bit_reversed", "natural"),
        Algorithm("pease_nc", "bit_reversed", "natural"),
        Algorithm("six_step", "natural", "natural"),
        Algorithm("stockham", "natural", "natural"),
        Algorithm("recursive", "natural", "natural"),
        Algorithm("radix_r", "natural", "bit_reversed", True, (2, 4, 8, 16)),
    )
}


def _dit(n: int, s: int) -> list[Butterfly]:
    half = 2 ** (s - 1)
    out = []
    for r in range(n // 2):
        block, k = divmod(r, half)
        i = 2 * half * block + k
        out.append(Butterfly((i, i + half), (i, i + half), k * n // (2 * half), True))
    return out


def _recursive(n: int, s: int) -> list[Butterfly]:
    """DIT, whose first stage fetches the inputs from their natural places."""
    if s > 1:
        return _dit(n, s)
    bits = log2_exact(n)
    return [
        Butterfly((bit_reverse(b.read[0], bits), bit_reverse(b.read[1], bits)), b.write, 0, True)
        for b in _dit(n, 1)
    ]


def _dif(n: int, s: int) -> list[Butterfly]:
    half = n // 2**s
    out = []
    for r in range(n // 2):
        block, k = divmod(r, half)
        i = 2 * half * block + k
        out.append(Butterfly((i, i + half), (i, i + half), k * n // (2 * half), False))
    return out


def _pease(n: int, s: int) -> list[Butterfly]:
    share = n // 2**s
    return [
        Butterfly((2 * r, 2 * r + 1), (r, r + n // 2), r // share * share, True)
        for r in range(n // 2)
    ]


def _stockham(n: int, s: int) -> list[Butterfly]:
    m = 2 ** (s - 1)
    out = []
    for r in range(n // 2):
        p, c = divmod(r, m)
        to = 2 * m * p + c
        out.append(Butterfly((r, r + n // 2), (to, to + m), p * m, False))
    return out


SCHEDULES: dict[str, Callable[[int, int], list[Butterfly]]] = {
    "dit": _dit,
    "flat": _dit,
    "recursive": _recursive,
    "dif": _dif,
    "pease": _pease,
    "pease_nc": _pease,
    "stockham": _stockham,
}


def butterflies(algorithm: str, n: int, stage: int) -> list[Butterfly]:
    """The n/2 butterflies of one stage, 1 ... log2 n, in the order of the inner loop.

    For the algorithms whose every stage is butterflies with powers of omega: all but six_step and
    radix_r.

    Examples
    --------
    >>> [b.read for b in butterflies("pease", 8, 2)], [b.write for b in butterflies("pease", 8, 2)]
    ([(0, 1), (2, 3), (4, 5), (6, 7)], [(0, 4), (1, 5), (2, 6), (3, 7)])
    >>> [b.exponent for b in butterflies("pease", 8, 2)]
    [0, 0, 2, 2]
    """
    if algorithm not in SCHEDULES:
        raise ValueError(f"algorithm = {algorithm!r} must be one of {sorted(SCHEDULES)}")
    if not 1 <= stage <= log2_exact(n):
        raise ValueError(f"stage = {stage} must be in 1 ... {log2_exact(n)}")
    return SCHEDULES[algorithm](n, stage)


def run_stage(x: Sequence[int], stage: Sequence[Butterfly], table: list[int], q: int) -> list[int]:
    """Values after a stage; ``table`` holds the powers of omega.

    Examples
    --------
    >>> run_stage([1, 2], butterflies("dit", 2, 1), [1, 16], 17)
    [3, 16]
    """
    y = [0] * len(x)
    for b in stage:
        u, v = x[b.read[0]], x[b.read[1]]
        w = table[b.exponent]
        y[b.write[0]] = (u + (v * w if b.before else v)) % q
        y[b.write[1]] = (u - v * w if b.before else (u - v) * w) % q
    return y


def _transpose(x: Sequence[int], rows: int, columns: int) -> list[int]:
    return [x[r * columns + c] for c in range(columns) for r in range(rows)]


def _rows(x: Sequence[int], size: int, table: list[int], q: int) -> list[int]:
    """The transform of each row of ``size`` points by its sum."""
    step = len(table) // size
    out = []
    for first in range(0, len(x), size):
        row = x[first : first + size]
        out += [
            sum(v * table[j * k % size * step] for j, v in enumerate(row)) % q for k in range(size)
        ]
    return out


def _six_step(x: list[int], table: list[int], q: int) -> list[list[int]]:
    n = len(x)
    n1 = 2 ** (log2_exact(n) // 2)
    n2 = n // n1
    stages = [_transpose(x, n1, n2)]
    stages.append(_rows(stages[-1], n1, table, q))
    stages.append([v * table[(i // n1) * (i % n1)] % q for i, v in enumerate(stages[-1])])
    stages.append(_transpose(stages[-1], n2, n1))
    stages.append(_rows(stages[-1], n2, table, q))
    stages.append(_transpose(stages[-1], n1, n2))
    return stages


def tree_exponent(n: int, ring: Ring, i: int) -> int:
    """Exponent e of root^e = W[i], i = m + j: psi for the negacyclic, omega for the cyclic ring.

    Examples
    --------
    >>> [tree_exponent(8, "negacyclic", i) for i in range(1, 8)]
    [4, 2, 6, 1, 5, 3, 7]
    >>> [tree_exponent(8, "cyclic", i) for i in range(1, 8)]
    [0, 0, 2, 0, 2, 1, 3]
    """
    if ring == "negacyclic":
        return bit_reverse(i, log2_exact(n))
    level = i.bit_length() - 1
    return bit_reverse(i - (1 << level), level) * n >> (level + 1)


def _tree(
    x: list[int], q: int, ring: Ring, root: int, radix: int, forward: bool
) -> list[list[int]]:
    """Product-tree stages; those of one pass count as one stage."""
    n, per_pass = len(x), log2_exact(radix)
    bits = log2_exact(n)
    first = bits % per_pass or per_pass
    ends = [first + i * per_pass for i in range((bits - first) // per_pass + 1)] if bits else []
    if not forward:
        ends = [e - (first if e == first else per_pass) for e in reversed(ends)]
    stages = []
    for d in range(1, bits + 1) if forward else range(bits, 0, -1):
        m, half = 2 ** (d - 1), n // 2**d
        y = list(x)
        for j in range(m):
            w = pow(root, tree_exponent(n, ring, m + j), q)
            for i in range(2 * half * j, 2 * half * j + half):
                u, v = x[i], x[i + half]
                y[i] = (u + (w * v if forward else v)) % q
                y[i + half] = (u - w * v if forward else (u - v) * w) % q
        x = y
        if (d if forward else d - 1) in ends:
            stages.append(x)
    return stages


def trace(
    a: Sequence[int],
    q: int,
    algorithm: str,
    ring: Ring = "negacyclic",
    input_order: Order = "natural",
    output_order: Order = "bit_reversed",
    root: int | None = None,
    direction: str = "forward",
    radix: int | None = None,
) -> dict[str, Any]:
    """Every step of a transform, as docs/format.md writes it.

    Forward: "twist" by psi^j (negacyclic ring, all but radix_r); "bit_reverse" if the input order
    is not the algorithm's; the stages; "bit_reverse" if the output order is not. Inverse: the same
    from the values to the coefficients with the inverse root, then "scale" by 1/n, or psi^-j / n.

    Examples
    --------
    >>> steps = trace([1, 2, 3, 4], 17, "stockham", output_order="natural")["steps"]
    >>> [(s["name"], s.get("index")) for s in steps], steps[-1]["values"]
    ([('twist', None), ('stage', 1), ('stage', 2)], [15, 13, 11, 16])
    """
    info = ALGORITHMS[algorithm]
    radix = info.radices[0] if radix is None else radix
    if radix not in info.radices:
        raise ValueError(f"radix = {radix} must be one of {info.radices}")
    if direction not in DIRECTIONS or input_order not in ORDERS or output_order not in ORDERS:
        raise ValueError("direction, input_order or output_order is unknown")
    n = len(a)
    root = default_root(n, q, ring) if root is None else root
    forward = direction == "forward"
    used = root if forward else pow(root, -1, q)
    twisted = ring == "negacyclic" and not info.mirrored
    table = powers(used * used % q if twisted else used, n, q)
    twist = reorder(powers(used, n, q), input_order)  # psi^j where coefficient j stands
    ends = (input_order, output_order) if forward else (output_order, input_order)
    own = (info.input_order, info.output_order)
    own = own[::-1] if info.mirrored and not forward else own

    x = list(a)
    steps: list[dict[str, object]] = []

    def step(name: str, values: list[int], index: int | None = None) -> list[int]:
        steps.append(
            {"name": name, **({} if index is None else {"index": index}), "values": values}
        )
        return values

    if forward and twisted:
        x = step("twist", [v * w % q for v, w in zip(x, twist, strict=True)])
    if ends[0] != own[0]:
        x = step("bit_reverse", reorder(x, "bit_reversed"))
    if algorithm == "six_step":
        stages = _six_step(x, table, q)
    elif algorithm == "radix_r":
        stages = _tree(x, q, ring, used, radix, forward)
    else:
        stages = []
        for s in range(1, log2_exact(n) + 1):
            stages.append(
                run_stage(stages[-1] if stages else x, butterflies(algorithm, n, s), table, q)
            )
    for s, values in enumerate(stages, 1):
        x = step("stage", values, s)
    if ends[1] != own[1]:
        x = step("bit_reverse", reorder(x, "bit_reversed"))
    if not forward:
        scale = pow(n, -1, q)
        x = step(
            "scale",
            [v * (w if twisted else 1) * scale % q for v, w in zip(x, twist, strict=True)],
        )
    return {
        "format": "nttforge-trace",
        "version": 1,
        "n": n,
        "q": q,
        "root": root,
        "ring": ring,
        "input_order": input_order,
        "output_order": output_order,
        "algorithm": algorithm,
        "radix": radix,
        "direction": direction,
        "input": list(a),
        "steps": steps,
    }
