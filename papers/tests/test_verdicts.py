# SPDX-License-Identifier: Apache-2.0
"""The rule of verdicts: each kind at its limits, every kept conclusion judged again here."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
import typed_papers as typed

from nttforge_bench.documents import read
from nttforge_papers._sections import measured, reason, rule, statement
from nttforge_papers._verdicts import KINDS, SAME, VERDICTS, Claim, judge

ROOT = Path(__file__).resolve().parents[2]
ORDER = ["holds", "holds in kind, not in size", "does not hold", "cannot hold", "not judged"]


@pytest.mark.parametrize(
    ("claim", "verdict"),
    [
        # A gain of 20 % may be 16 to 25 %.
        (Claim("gain", [20], [16], "%"), ORDER[0]),
        (Claim("gain", [20], [25], "%"), ORDER[0]),
        (Claim("gain", [20], [15.9], "%"), ORDER[1]),
        (Claim("gain", [20], [25.1], "%"), ORDER[1]),
        (Claim("gain", [20], [2.1], "%"), ORDER[1]),
        (Claim("gain", [20], [2], "%"), ORDER[2]),
        (Claim("gain", [20], [-5], "%"), ORDER[2]),
        (Claim("gain", [1.2], [1.16], "times"), ORDER[0]),
        (Claim("gain", [4.2], [2.98], "times"), ORDER[1]),
        (Claim("gain", [20, 30], [20, 40], "%"), ORDER[1]),
        (Claim("gain", [20, 30], [20, 1], "%"), ORDER[2]),
        # A range, whose ends move by a quarter.
        (Claim("range", [0, 20], [0, 25], "%"), ORDER[0]),
        (Claim("range", [0, 20], [12.9, 87.9], "%"), ORDER[1]),
        (Claim("range", [0, 20], [-0.1, 5], "%"), ORDER[2]),
        (Claim("range", [1.2, 1.4], [1.16, 1.5], "times"), ORDER[0]),
        (Claim("range", [1.2, 1.4], [1.15, 1.5], "times"), ORDER[1]),
        (Claim("range", [1.2, 1.4], [1.01, 1.3], "times"), ORDER[2]),
        # Orders: times are the same within 2 %, counts are exact, words like "by far" say 1.5.
        (Claim("order", [], [1.021, 9], "times"), ORDER[0]),
        (Claim("order", [], [1.02, 9], "times"), ORDER[2]),
        (Claim("order", [], [1.001]), ORDER[0]),
        (Claim("order", [], [1.0]), ORDER[2]),
        (Claim("order", [], [1.51], "times", much=True), ORDER[0]),
        (Claim("order", [], [1.5], "times", much=True), ORDER[1]),
        (Claim("order", [], [0.9], "times", much=True), ORDER[2]),
        # Proportional, or like another.
        (Claim("alike", [1], [0.8, 1.25]), ORDER[0]),
        (Claim("alike", [1], [0.79]), ORDER[2]),
        (Claim("alike", [16], [22.4]), ORDER[1]),
        (Claim("alike", [16], [1.0]), ORDER[2]),
        # Limits: what was measured may be passed by a quarter, a count or a bandwidth may not.
        (Claim("at most", [16, 8], [20, 10], "%"), ORDER[0]),
        (Claim("at most", [7.5], [23.2], "%"), ORDER[2]),
        (Claim("at most", [78], [78.01]), ORDER[2]),
        (Claim("at least", [5], [5]), ORDER[0]),
        (Claim("at least", [5], [4]), ORDER[2]),
        # Equal: counts, and figures to the digits that are printed.
        (Claim("equal", [6], [6]), ORDER[0]),
        (Claim("equal", [6], [6.01]), ORDER[2]),
        (Claim("equal", [30], [27.9], step=10, own=True), ORDER[0]),
        (Claim("equal", [30], [24.9], step=10, own=True), ORDER[3]),
        (Claim("equal", [39.6], [39.66], step=0.1, own=True), ORDER[3]),
    ],
)
def test_each_kind_at_its_limits(claim: Claim, verdict: str) -> None:
    assert judge(claim) == verdict
    assert claim.kind in KINDS


def test_another_job_is_not_judged_and_the_worst_claim_decides() -> None:
    good, poor = Claim("order", [], [2.0]), Claim("order", [], [0.5])
    row = statement("Fig. 1", "a", "b", good, poor, because="c")
    assert row["verdict"] == "does not hold" and reason(row) == " Because c."
    row = statement("Fig. 1", "a", "b", good, because="c")
    assert row["verdict"] == "holds" and reason(row) == ""
    for claims in ((good,), (poor,), ()):
        row = statement("Fig. 1", "a", "b", *claims, because="c", unlike="another clock")
        assert row["verdict"] == "not judged" and reason(row) == " Not the same job: another clock."
    assert rule(statement("", "", "", Claim("gain", [20], [1], "%"), poor)) == (
        "gain, holds for 16.0 to 25.0 %; order, holds for more than 1"
    )
    missing = [Claim("order", [], []), Claim("order", [], [1.0, float("nan")])]
    rows = [statement("", "", "", claim) for claim in (*missing, good)]
    assert [row["verdict"] for row in measured(rows)] == ["holds"]


def test_two_per_cent_are_what_runs_repeat_within() -> None:
    """19 of 20 kept runs of GPUs have their median within 2 % of their minimum."""
    quotients = []
    for name in ("h100/kim20", "h100/bad18a", "h200/bad18b", "h200/nttsuite"):
        (path,) = (ROOT / "bench/results").glob(f"*-{name}.json*")
        document = read(path)
        rows = document.get("rows") or document["results"]
        gpu = [r for r in rows if "cpu" not in (r.get("where"), r.get("kind"))]
        quotients += [r["median_ns"] / r["min_ns"] for r in gpu]
    within = sum(q <= SAME for q in quotients)
    assert len(quotients) > 1000 and within / len(quotients) >= 0.95


def _quotient(unit: str, value: float) -> float:
    return {"times": value - 1, "%": value / 100, "": value}[unit]


def _again(claim: dict[str, Any]) -> int:
    """The place in ORDER of a claim's verdict, written a second time."""
    unit, kind = claim.get("unit", ""), claim["kind"]
    found = [n["value"] for n in claim["found"]]
    said = claim["said"] * (len(found) if len(claim["said"]) == 1 else 1)
    gains = [_quotient(unit, v) for v in found]
    says = [_quotient(unit, v) for v in said]
    fails = 3 if claim.get("own") else 2
    if kind == "order":
        same = 1.02 if unit else 1
        least = 1.5 if claim.get("much") else same
        return 0 if min(found) > least else 1 if min(found) > same else fails
    if kind == "range":
        low, high = (_quotient(unit, v) for v in claim["said"])
        if low / 1.25 <= min(gains) and max(gains) <= 1.25 * high:
            return 0
        return 1 if min(gains) > 0.02 or (low == 0 and min(gains) >= 0) else fails
    pairs = list(zip(says, gains, strict=True))
    if kind == "gain":
        ok = all(s / 1.25 <= g <= 1.25 * s for s, g in pairs)
        return 0 if ok else 1 if min(gains) > 0.02 else fails
    if kind == "alike":
        ok = all(s / 1.25 <= f <= 1.25 * s for s, f in zip(said, found, strict=True))
        return 0 if ok else 1 if min(said) > 1 and min(found) > 1.02 else fails
    if kind == "at most":
        return 0 if all(g <= s * (1.25 if unit else 1) for s, g in pairs) else fails
    if kind == "at least":
        return 0 if all(g >= s for s, g in pairs) else fails
    assert kind == "equal"
    half = 0.5000001 * claim.get("step", 0)
    return 0 if all(abs(f - s) <= half for s, f in zip(said, found, strict=True)) else fails


@pytest.fixture(scope="module")
def conclusions(written: Path) -> list[tuple[str, dict[str, Any]]]:
    report = json.loads((written / "report.json").read_text(encoding="utf-8"))
    return [(e["paper"], c) for e in report["exhibits"] for c in e["conclusions"]]


def test_every_kept_verdict_is_that_of_the_rule(
    conclusions: list[tuple[str, dict[str, Any]]],
) -> None:
    assert list(VERDICTS) == ORDER and len(conclusions) == 79
    for paper, c in conclusions:
        worst = 4 if "unlike" in c else max(_again(claim) for claim in c["claims"])
        assert c["verdict"] == ORDER[worst], (paper, c)
        # What fails says why; what is not judged says what differs.
        assert ("because" in c) >= (worst in (2, 3)), (paper, c)
    counts = Counter(c["verdict"] for _, c in conclusions)
    assert set(counts) == set(ORDER) and counts["holds"] > 20


def test_what_the_papers_say_is_typed_a_second_time(
    conclusions: list[tuple[str, dict[str, Any]]],
) -> None:
    found: dict[str, list[list[float]]] = {}
    for paper, c in conclusions:
        found.setdefault(paper, []).extend(
            claim["said"] for claim in c["claims"] if claim["said"] and claim["kind"] != "alike"
        )
    assert found == typed.SAID


def test_two_machines_a_clock_never_reached_and_a_rounding(
    conclusions: list[tuple[str, dict[str, Any]]],
) -> None:
    """What was judged once by no rule, or by another in each place."""
    verdicts = {c["paper"]: c["verdict"] for _, c in conclusions}

    def verdict(words: str) -> str:
        (found,) = [v for paper, v in verdicts.items() if words in paper]
        return found

    assert verdict("splits of one n differ little") == "does not hold"
    assert verdict("padding takes off 0 ... 20 %") == "holds in kind, not in size"
    assert verdict("is 4.2 times radix 2") == "holds in kind, not in size"
    assert verdict("30 % faster than HEAX") == "holds"
    assert verdict("the GPU is 5.37 times as fast as SEAL") == "not judged"
    assert verdict("the fixed design [41] is faster") == "not judged"
