# SPDX-License-Identifier: Apache-2.0
"""The figures to reach, and what a merged document says of each.

Speeds are compared run by run: same machine, same core, the best of the rounds. A ratio above 1
means that we are faster. The verdict takes the worst n and direction; ``worst`` and ``best`` say
where.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from .documents import Row, select

VECTOR_512 = ("avx512", "avx512_ifma")
DIRECTIONS = ("forward", "inverse")


@dataclass(frozen=True)
class Measured:
    """One comparison: ratio, where, and the largest ratio that our kernel's bound allows."""

    ratio: float
    where: str
    allowed: float | None = None


@dataclass
class Verdict:
    """A goal and what was measured.

    Attributes
    ----------
    at_least : bool
        Whether ratios must be at least ``required`` (speed against a peer) or at most (share of
        something).
    """

    goal: str
    required: float
    at_least: bool
    measured: list[Measured] = field(default_factory=list)

    @property
    def worst(self) -> Measured | None:
        pick = min if self.at_least else max
        return pick(self.measured, key=lambda m: m.ratio, default=None)

    @property
    def best(self) -> Measured | None:
        pick = max if self.at_least else min
        return pick(self.measured, key=lambda m: m.ratio, default=None)

    @property
    def verdict(self) -> str:
        """pass, short, or not measured."""
        worst = self.worst
        if worst is None:
            return "not measured"
        good = worst.ratio >= self.required if self.at_least else worst.ratio <= self.required
        return "pass" if good else "short"

    @property
    def reachable(self) -> int | None:
        """How many comparisons the bound of our kernels allows to reach it; None: not known."""
        if not self.at_least or not any(m.allowed for m in self.measured):
            return None
        return sum((m.allowed or 0) >= self.required for m in self.measured)

    @property
    def reached(self) -> int:
        """How many of the comparisons reach the goal."""
        return sum(
            m.ratio >= self.required if self.at_least else m.ratio <= self.required
            for m in self.measured
        )

    def to_json(self) -> dict[str, Any]:
        """The goal as the merged document keeps it."""
        return {
            "goal": self.goal,
            "required": self.required,
            "at_least": self.at_least,
            "verdict": self.verdict,
            "reached": self.reached,
            "reachable": self.reachable,
            "measured": [_plain(m) for m in self.measured],
        }


def _plain(measured: Measured) -> dict[str, Any]:
    kept: dict[str, Any] = {"ratio": round(measured.ratio, 4), "where": measured.where}
    if measured.allowed is not None:
        kept["allowed_by_bound"] = round(measured.allowed, 4)
    return kept


def judge(document: dict[str, Any]) -> list[Verdict]:
    """Every goal against a merged (and annotated) document, in the order of the table."""
    rows = document["results"]
    verdicts = [Verdict(text, required, True, list(find(rows))) for text, required, find in _SPEEDS]
    verdicts.append(
        Verdict(
            "50-bit IFMA: share of the 9-operation bound with tail",
            1.25,
            False,
            list(_to_bound(rows)),
        )
    )
    verdicts.append(
        Verdict("fused polynomial product, share of its parts", 0.9, False, list(_fused(rows)))
    )
    verdicts.append(Verdict("two threads on 8 limbs, against one", 1.9, True, list(_threads(rows))))
    for operations, required in _BFV:
        name = ", ".join(operations)
        verdicts.append(
            Verdict(
                f"BFV {name}, against the best peer", required, True, list(_bfv(rows, operations))
            )
        )
    verdicts.append(
        Verdict("BFV add in place, share of its memory bound", 1.2, False, list(_add(rows)))
    )
    return verdicts


Finder = Callable[[list[Row]], Iterator[Measured]]


def _against(
    bits: int | tuple[int, ...],
    target: str | tuple[str, ...],
    program: str,
    peer: str | tuple[str, ...],
) -> Finder:
    """Our transforms on a target against a program's on one of some targets, n by n, both
    directions.

    The peer's inverse is the one with the factor 1/n if it has such; FLINT's has not.
    """

    def find(rows: list[Row]) -> Iterator[Measured]:
        transforms = select(
            rows, kind="transform", bits=bits if isinstance(bits, tuple) else (bits,)
        )
        for ours in _best(select(transforms, program="nttforge", target=target)):
            theirs = select(
                transforms, program=program, target=peer, n=ours["n"], bits=ours["bits"]
            )
            same = select(theirs, direction=ours["direction"])
            if not same and ours["direction"] == "inverse":
                same = select(theirs, direction="inverse unscaled")
            if same:
                fastest = min(row["min_ns"] for row in same)
                size = f"2^{ours['n'].bit_length() - 1}"
                where = f"{ours['bits']}-bit {size}" if isinstance(bits, tuple) else size
                bound = ours.get("own_bound_ns")
                allowed = fastest / bound if bound else None
                where = f"{where} {ours['direction']}"
                yield Measured(fastest / ours["min_ns"], where, allowed)

    return find


def _best(rows: Iterable[Row]) -> list[Row]:
    """The fastest of the rows that differ in target only."""
    best: dict[tuple[Any, ...], Row] = {}
    for row in rows:
        key = (row["bits"], row["n"], row["direction"])
        if key not in best or row["min_ns"] < best[key]["min_ns"]:
            best[key] = row
    return [best[key] for key in sorted(best, key=str)]


_SPEEDS: tuple[tuple[str, float, Finder], ...] = (
    ("50-bit, AVX-512-IFMA, against HEXL", 1.5, _against(50, "avx512_ifma", "hexl", VECTOR_512)),
    ("60-bit, AVX-512, against HEXL", 1.4, _against(60, VECTOR_512, "hexl", VECTOR_512)),
    ("30-bit, AVX-512, against tfhe-ntt", 1.35, _against(30, VECTOR_512, "tfhe-ntt", VECTOR_512)),
    ("50-bit, AVX2, against FLINT fft_small", 1.2, _against(50, "avx2", "flint", "avx2")),
    ("50-bit, AVX2, against tfhe-ntt", 3.0, _against(50, "avx2", "tfhe-ntt", "avx2")),
    ("30-bit, AVX2, against tfhe-ntt", 1.2, _against(30, "avx2", "tfhe-ntt", "avx2")),
    ("60-bit, AVX2, against tfhe-ntt", 1.5, _against(60, "avx2", "tfhe-ntt", "avx2")),
    ("scalar, against SEAL", 1.0, _against((30, 50, 60), "scalar", "seal", "scalar")),
)


def _to_bound(rows: list[Row]) -> Iterator[Measured]:
    ours = select(rows, kind="transform", program="nttforge", bits=50, target="avx512_ifma")
    for row in ours:
        if "ratio_to_bound_with_tail" in row:
            where = f"2^{row['n'].bit_length() - 1} {row['direction']}"
            yield Measured(row["ratio_to_bound_with_tail"], where)


def _fused(rows: list[Row]) -> Iterator[Measured]:
    products = select(rows, kind="product", program="nttforge")
    for fused in select(products, direction="fused"):
        same = {k: fused[k] for k in ("bits", "word_bits", "n", "target")}
        for parts in select(products, direction="parts", **same):
            where = f"{fused['bits']}-bit {fused['target']} 2^{fused['n'].bit_length() - 1}"
            yield Measured(fused["min_ns"] / parts["min_ns"], where)


def _threads(rows: list[Row]) -> Iterator[Measured]:
    batches = select(rows, kind="batch", program="nttforge", direction="forward")
    for two in select(batches, threads=2):
        same = {k: two[k] for k in ("bits", "word_bits", "n", "limbs", "target")}
        for one in select(batches, threads=1, **same):
            where = f"{two['bits']}-bit 2^{two['n'].bit_length() - 1}"
            # Two threads need both CPUs free at once: on shared ones this errs on the low side.
            yield Measured(one["min_ns"] / two["min_ns"], where)


#: Operations of BFV and how much faster than the best peer they are to be.
_BFV: tuple[tuple[tuple[str, ...], float], ...] = (
    (("multiply + relinearize",), 2.5),
    (("secret and public key", "relinearization key"), 1.5),
    (("encrypt (public key)", "decrypt"), 1.5),
    (("relinearize", "rotate"), 1.5),
)


def _bfv(rows: list[Row], operations: tuple[str, ...]) -> Iterator[Measured]:
    """Against the fastest variant of any peer at the same set."""
    timings = select(rows, kind="bfv", operation=operations)
    for ours in select(timings, program="nttforge", variant=""):
        same = select(timings, set=ours["set"], operation=ours["operation"])
        peers = [row for row in same if row["program"] != "nttforge"]
        if peers:
            fastest = min(peers, key=lambda row: row["min_ns"])
            short = ours["operation"] if len(operations) > 1 else ""
            where = f"{ours['set']} {short} ({fastest['program']})".replace("  ", " ")
            yield Measured(fastest["min_ns"] / ours["min_ns"], where)


def _add(rows: list[Row]) -> Iterator[Measured]:
    for ours in select(rows, kind="bfv", program="nttforge", operation="add in place", variant=""):
        bounds = select(rows, kind="bandwidth", where=ours["set"], access="add in place")
        if bounds:
            yield Measured(ours["min_ns"] / min(row["min_ns"] for row in bounds), ours["set"])
