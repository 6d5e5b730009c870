# SPDX-License-Identifier: Apache-2.0
"""The one rule by which conclusions of the papers are judged; nothing else gives a verdict.

A conclusion is data: claims of a few kinds, each with the figures that the paper says and those
found here, and what is not alike in the job or in the machines. :func:`judge` gives the verdict of
a claim, :func:`verdict_of` that of a conclusion. Sentences and pages repeat what these say.

What must be alike before a conclusion is judged: both sides of a comparison come from one machine
or one tool here as they did in the paper, at a clock that was reached, and do the paper's work. The
card or CPU may be another one, because a ratio of two programs on one machine is compared with a
ratio of two programs on one machine. A ratio between two machines is not judged, because it says
which machines were bought; a trend of such a ratio is, because the pair is compared with itself.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from ._traced import plain

Verdict = Literal[
    "holds", "holds in kind, not in size", "does not hold", "cannot hold", "not judged"
]
Unit = Literal["times", "%", ""]

#: What the report calls them, from the best: sign and words for several.
VERDICTS: dict[Verdict, tuple[str, str]] = {
    "holds": ("✓", "hold"),
    "holds in kind, not in size": ("≈", "hold in kind, not in size"),
    "does not hold": ("✗", "do not hold here"),
    "cannot hold": ("⊘", "cannot hold"),
    "not judged": ("–", "are not judged"),
}
#: Two times whose quotient is smaller are the same: 19 of 20 kept runs have their median within
#: 2 % of their minimum.
SAME = 1.02
#: A figure and what is found for it may differ by this factor, in either direction.
CLOSE = 1.25
#: Where the paper says "by far", "significantly" or "dramatically".
MUCH = 1.5


@dataclass(frozen=True)
class Claim:
    """One thing that a conclusion says.

    Parameters
    ----------
    kind : str
        A key of ``KINDS``.
    said : sequence of float
        The figures that the paper says: one for all cases or one for each; of a range its two ends;
        none for an order.
    found : sequence of float
        The figures here, one for each case.
    unit : {"times", "%", ""}
        Of both. "times" and "%" are gains: 1.2 times is a gain of 20 %. Without a unit they are
        counts, which are compared exactly where nothing else is said.
    much : bool
        Of an order: the paper says by far, significantly or the like.
    step : float
        Of equal figures: the place of the last digit that the paper prints; 0 of counts.
    own : bool
        Whether ``found`` follows from the paper's own figures: then what fails can hold nowhere.
    """

    kind: str
    said: Sequence[float]
    found: Sequence[float]
    unit: Unit = ""
    much: bool = False
    step: float = 0.0
    own: bool = False

    @property
    def measured(self) -> bool:
        """Whether there is a figure for every case."""
        return bool(self.found) and all(math.isfinite(plain(v)) for v in self.found)


@dataclass(frozen=True)
class Kind:
    """A kind of claim: when it holds, when only in kind, both in words and as functions."""

    example: str
    holds: str
    in_kind: str
    judge: Callable[[Claim], tuple[bool, bool]]
    would_hold: Callable[[Claim], str]


def gain(value: float, unit: Unit) -> float:
    """A gain as a fraction: 1.2 times and 20 % are 0.2; a count is itself."""
    number = float(plain(value))
    return number - 1 if unit == "times" else number / 100 if unit == "%" else number


def _pairs(claim: Claim) -> list[tuple[float, float]]:
    """What is said and what is found, case by case, as gains."""
    found = [gain(v, claim.unit) for v in claim.found]
    said = [gain(v, claim.unit) for v in claim.said]
    if len(said) == 1:
        said *= len(found)
    return list(zip(said, found, strict=True))


def _within(low: float, value: float, high: float) -> bool:
    """Between both, which are reached where only rounding is between."""
    return low - 1e-9 <= value <= high + 1e-9


def _ends(claim: Claim) -> tuple[float, float]:
    low, high = (gain(v, claim.unit) for v in claim.said)
    return low / CLOSE, high * CLOSE


def _written(value: float, unit: Unit) -> str:
    """A gain in the unit of its claim."""
    if unit == "":
        return f"{value:g}" if value == round(value) else f"{value:.2f}"
    return f"{value + 1:.2f} times" if unit == "times" else f"{100 * value:.1f} %"


def _gains(claim: Claim) -> tuple[bool, bool]:
    pairs = _pairs(claim)
    return (
        all(_within(said / CLOSE, found, said * CLOSE) for said, found in pairs),
        all(found > SAME - 1 + 1e-9 for _, found in pairs),
    )


def _span(low: float, high: float, unit: Unit) -> str:
    return f"{_written(low, unit).removesuffix(f' {unit}')} to {_written(high, unit)}"


def _gains_hold(claim: Claim) -> str:
    said = [gain(v, claim.unit) for v in claim.said]
    return ", ".join(_span(s / CLOSE, s * CLOSE, claim.unit) for s in said)


def _range(claim: Claim) -> tuple[bool, bool]:
    low, high = _ends(claim)
    least = -math.inf if low <= 0 else SAME - 1
    found = [gain(v, claim.unit) for v in claim.found]
    inside = all(_within(low, v, high) for v in found)
    return inside, all(v > least and (low > 0 or v >= 0) for v in found)


def _range_holds(claim: Claim) -> str:
    return _span(*_ends(claim), claim.unit)


def _least(claim: Claim) -> float:
    return MUCH if claim.much else SAME if claim.unit else 1.0


def _order(claim: Claim) -> tuple[bool, bool]:
    found = [float(plain(v)) for v in claim.found]
    small = SAME if claim.unit else 1.0
    return all(v > _least(claim) for v in found), all(v > small for v in found)


def _alike(claim: Claim) -> tuple[bool, bool]:
    said = [float(plain(v)) for v in claim.said] * (1 if len(claim.said) > 1 else len(claim.found))
    pairs = list(zip(said, map(plain, claim.found), strict=True))
    near = all(_within(s / CLOSE, f, s * CLOSE) for s, f in pairs)
    return near, all(s > 1 and f > SAME for s, f in pairs)


def _most(claim: Claim) -> tuple[bool, bool]:
    loose = CLOSE if claim.unit else 1.0
    return all(_within(-math.inf, found, said * loose) for said, found in _pairs(claim)), False


def _most_holds(claim: Claim) -> str:
    loose = CLOSE if claim.unit else 1.0
    said = [gain(v, claim.unit) * loose for v in claim.said]
    return "at most " + ", ".join(_written(s, claim.unit) for s in said)


def _fewest(claim: Claim) -> tuple[bool, bool]:
    return all(found >= said for said, found in _pairs(claim)), False


def _equal(claim: Claim) -> tuple[bool, bool]:
    pairs = zip(claim.said, claim.found, strict=True)
    half = 0.5 * claim.step * (1 + 1e-9)  # as far as a figure may be from the one it rounds to
    return all(abs(plain(f) - plain(s)) <= half for s, f in pairs), False


def _equal_holds(claim: Claim) -> str:
    said = ", ".join(f"{plain(s):g}" for s in claim.said)
    return f"what rounds to {said} in steps of {claim.step:g}" if claim.step else said


KINDS: dict[str, Kind] = {
    "gain": Kind(
        "2.4 times as fast, 21.6 % faster, saves 25 %",
        "every gain is within a factor of 1.25 of the one that is said",
        "every gain is above 2 %",
        _gains,
        _gains_hold,
    ),
    "range": Kind(
        "1.22 to 1.49 times as fast, 0 to 20 % saved",
        "every gain is in the range, whose ends are moved by a factor of 1.25",
        "every gain is above 2 %; not below 0 where the range begins there",
        _range,
        _range_holds,
    ),
    "order": Kind(
        "A is faster than B, A has fewer DSPs than B, A by far",
        "every quotient is above 1 for counts, above 1.02 for times; above 1.5 where the paper "
        "says "
        "by far, significantly or dramatically",
        "the order is right, the distance is not",
        _order,
        lambda claim: f"more than {_least(claim):g}",
    ),
    "alike": Kind(
        "proportional to n, the same with 4 and 8 points",
        "every figure is within a factor of 1.25 of the expected one",
        "it grows where growth is expected",
        _alike,
        lambda claim: ", ".join(
            f"{plain(s) / CLOSE:.2f} to {plain(s) * CLOSE:.2f}" for s in claim.said
        ),
    ),
    "at most": Kind(
        "differ by up to 7.5 %, within 78 GB/s",
        "no figure is above the limit; above 1.25 times the limit where it was itself measured",
        "never",
        _most,
        _most_holds,
    ),
    "at least": Kind(
        "supports 13 products; contributes largely, which is a third of the time",
        "no figure is below the limit",
        "never",
        _fewest,
        lambda claim: (
            "at least " + ", ".join(_written(gain(s, claim.unit), claim.unit) for s in claim.said)
        ),
    ),
    "equal": Kind(
        "6 primes, 39.6 µs at 180 MHz, 30 % faster in the paper's own table",
        "the figures are equal; where the paper rounds, to the digits that it prints",
        "never",
        _equal,
        _equal_holds,
    ),
}


def judge(claim: Claim) -> Verdict:
    """The verdict of a claim whose job is alike."""
    holds, in_kind = KINDS[claim.kind].judge(claim)
    if holds:
        return "holds"
    if in_kind:
        return "holds in kind, not in size"
    return "cannot hold" if claim.own else "does not hold"


def verdict_of(claims: Iterable[Claim], unlike: str) -> Verdict:
    """The worst of a conclusion's claims; none is judged where the job is not the same."""
    if unlike:
        return "not judged"
    order = list(VERDICTS)
    return max((judge(claim) for claim in claims), key=order.index)


def would_hold(claim: Claim) -> str:
    """The figures for which a claim holds, in words."""
    return KINDS[claim.kind].would_hold(claim)
