# SPDX-License-Identifier: Apache-2.0
"""The benchmark command: documents, merging, bounds, goals, programs. Times nothing."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest
from bench_rows import bfv_row, document_of, rate_row, transform_row

from nttforge.errors import FormatError
from nttforge_bench import documents, goals, model


def test_a_compressed_document_is_read(tmp_path: Path) -> None:
    document = document_of(transform_row(5.0))
    path = tmp_path / "kept.json.gz"
    packed = gzip.compress(json.dumps(document).encode())
    path.write_bytes(packed)
    assert documents.load(path) == document
    for wrong in (packed[:-9], b"{}", packed[:12] + b"\xff" * 40, gzip.compress(b"\xff{")):
        path.write_bytes(wrong)
        with pytest.raises(FormatError, match=r"kept\.json\.gz is not JSON"):
            documents.load(path)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda d: d.update(schema="other"), "schema = 'other'"),
        (lambda d: d.pop("program"), "'program' is missing"),
        (lambda d: d.update(results={}), "'results' must be a list"),
        (lambda d: d.update(complete="yes"), "complete = 'yes' must be true or false"),
        (lambda d: d["results"].append("text"), "row 1: kind = None"),
        (lambda d: d["results"][0].update(kind="guess"), "kind = 'guess'"),
        (lambda d: d["results"][0].pop("direction"), "'direction' is missing"),
        (lambda d: d["results"][0].update(min_ns=0), "min_ns = 0 must be above 0"),
        (lambda d: d["results"][0].update(min_ns="7"), "min_ns = '7'"),
        (lambda d: d["results"][0].update(min_ns=float("nan")), "min_ns = nan"),
    ],
)
def test_documents_are_checked(change: Any, message: str, tmp_path: Path) -> None:
    document = document_of(transform_row(5.0))
    documents.check(document, "fine")
    change(document)
    path = tmp_path / "bad.json"
    path.write_text(json.dumps(document))
    with pytest.raises(FormatError, match=message) as caught:
        documents.load(path)
    assert str(path) in str(caught.value)


def test_documents_that_are_not_json(tmp_path: Path) -> None:
    (tmp_path / "x.json").write_text("{")
    with pytest.raises(FormatError, match="is not JSON"):
        documents.load(tmp_path / "x.json")
    with pytest.raises(FormatError, match=r"holds no \*\.json"):
        documents.load_folder(tmp_path / "nothing")


def test_merging_keeps_the_best_of_the_rounds() -> None:
    first = document_of(
        transform_row(10.0), transform_row(7.0, direction="inverse"), rate_row("vpaddq", 3.5)
    )
    second = document_of(transform_row(8.0), rate_row("vpaddq", 3.9)) | {"clock_ghz": 3.1}
    third = document_of(transform_row(9.0)) | {"clock_ghz": 3.3}
    other_build = document_of(transform_row(6.0), build="clang")
    merged = documents.merge([first, second, third, other_build])
    forward, inverse, rate, clang = merged["results"]
    assert (forward["min_ns"], forward["rounds"], forward["spread"]) == (8.0, 3, 1.25)
    assert (inverse["min_ns"], inverse["rounds"], inverse["spread"]) == (7.0, 1, 1.0)
    assert (rate["per_cycle"], rate["rounds"]) == (3.9, 2)
    assert (clang["min_ns"], clang["build"]) == (6.0, "clang")
    assert merged["machine"]["clock_ghz"] == 3.3
    assert merged["machine"]["commit"] == "abc"
    assert len(merged["programs"]) == 2


def test_merged_documents_survive_the_file(tmp_path: Path) -> None:
    merged = documents.merge([document_of(transform_row(8.0))])
    path = tmp_path / "cpu.json"
    path.write_text(documents.dump(merged))
    assert documents.load_merged(path) == merged
    path.write_text(json.dumps(merged | {"schema": documents.SCHEMA}))
    with pytest.raises(FormatError, match="schema"):
        documents.load_merged(path)


def test_bounds_follow_from_the_rates() -> None:
    names = ("vpaddq", "vpmuludq", "vpsrlq", "vpermt2q")
    rates = [
        *(rate_row(name, 2.0) for name in names),
        rate_row("vpmullq", 0.6),
        rate_row("vpmadd52luq", 1),
    ]
    butterflies = 4096 / 2 * 12 / 8
    # Nine operations at two a cycle; three multiplications at one a cycle are less.
    bound = model.Model(rates).bound(50, "avx512_ifma", 4096)
    assert bound is not None and bound.limit == "issue"
    assert bound.operations == pytest.approx(4.5 * butterflies)
    # The tail: four shuffles and four plain operations for each of 512 vectors.
    assert bound.with_tail == pytest.approx(4.5 * butterflies + 8 / 2 * 512)
    assert bound.ghz == 3.0
    # Slow multiplications limit instead.
    rates[-1] = rate_row("vpmadd52luq", 0.5)
    bound = model.Model(rates).bound(50, "avx512_ifma", 4096)
    assert bound is not None and bound.limit == "multipliers"
    assert bound.operations == pytest.approx(6 * butterflies)
    # vpmullq at a third of the rate counts three times: 3 + 6 + 3 + 8 operations.
    bound = model.Model(rates).bound(60, "avx512", 4096)
    assert bound is not None and bound.operations == pytest.approx(20 / 2 * butterflies)
    assert model.Model(rates).bound(60, "scalar", 4096) is None
    assert model.Model([]).bound(50, "avx512_ifma", 4096) is None


def test_issue_bounds_of_anchors() -> None:
    """Four operations a cycle at 4.1 GHz: the operation bounds that the goals speak of."""
    names = ("vpaddq", "vpmuludq", "vpsrlq", "vpermt2q", "vpmullq", "vpmulld", "vpmadd52luq")
    rates = [rate_row(name, 4.0) | {"ghz": 4.1} for name in names]
    for bits, expected in ((50, 1686), (60, 2997), (30, 1218)):
        bound = model.Model(rates).bound(bits, "avx512_ifma", 4096)
        assert bound is not None and bound.operations / bound.ghz == pytest.approx(
            expected, rel=1e-3
        )


def test_rows_are_annotated_with_cycles_and_bounds() -> None:
    names = ("vpaddq", "vpmuludq", "vpsrlq", "vpermt2q", "vpmadd52luq")
    rates = [rate_row(name, 2.0) for name in names]
    merged = documents.merge(
        [
            document_of(
                *rates, transform_row(9216.0, ghz=4.0), transform_row(9216.0, n=1024, ghz=1.0)
            ),
            document_of(transform_row(13824.0), program="hexl"),
        ]
    )
    model.annotate(merged)
    fast, disturbed, peer = merged["results"][-3:]
    assert fast["ns_per_butterfly"] == 9216 / (4096 / 2 * 12) == 0.375
    assert fast["cycles_per_butterfly"] == 1.5
    assert fast["bound_ns"] == pytest.approx(4.5 * 4096 / 2 * 12 / 8 / 4.0)
    assert fast["ratio_to_bound"] == pytest.approx(1.5 * 8 / 4.5)
    # A clock below the one after the class's multiplications (3.0) was disturbed.
    assert disturbed["cycles_per_butterfly"] == pytest.approx(disturbed["ns_per_butterfly"] * 3.0)
    assert "ns_per_butterfly" in peer and "bound_ns" not in peer
    goal = next(v for v in goals.judge(merged) if "against HEXL" in v.goal)
    assert goal.worst is not None and goal.worst.ratio == pytest.approx(1.5)
    # Without a recipe our kernel is taken to have the stated operations.
    assert fast["own_bound_ns"] == pytest.approx(fast["bound_with_tail_ns"])
    assert goal.worst.allowed == pytest.approx(13824 / fast["own_bound_ns"])
    assert goal.reachable == 1
    recipe = {"target": "avx512_ifma", "arithmetic": ["ifma52"]}
    merged = documents.merge([document_of(*rates, transform_row(9216.0, ghz=4.0, recipe=recipe))])
    model.annotate(merged)
    # Six operations instead of nine, the tail as before: eight for each of 512 vectors.
    own = merged["results"][-1]["own_bound_ns"]
    assert own == pytest.approx((6 / 2 * 4096 / 2 * 12 / 8 + 8 / 2 * 512) / 4.0)


def _verdicts(*rows_of_programs: dict[str, Any]) -> dict[str, goals.Verdict]:
    merged = documents.merge(rows_of_programs)
    model.annotate(merged)
    return {verdict.goal: verdict for verdict in goals.judge(merged)}


def test_goals_pass_fall_short_or_are_not_measured() -> None:
    ours = document_of(transform_row(2.0), transform_row(2.0, direction="inverse"))
    slow = document_of(transform_row(3.2), transform_row(3.4, direction="inverse"), program="hexl")
    fast = document_of(transform_row(3.1), program="hexl", build="clang")
    name = "50-bit, AVX-512-IFMA, against HEXL"
    verdict = _verdicts(ours, slow, fast)[name]
    assert verdict.verdict == "pass" and verdict.reached == 2
    assert verdict.worst is not None and verdict.worst.ratio == pytest.approx(1.55)
    assert verdict.worst.where == "2^12 forward"
    slower = document_of(transform_row(2.0), transform_row(2.6, direction="inverse"))
    verdict = _verdicts(slower, slow, fast)[name]
    assert verdict.verdict == "short" and verdict.reached == 1
    assert _verdicts(ours)[name].verdict == "not measured"


def test_goals_compare_what_is_comparable() -> None:
    ours = document_of(
        transform_row(2.0, target="avx2"), transform_row(2.0, target="avx2", direction="inverse")
    )
    flint = document_of(
        transform_row(2.5, target="avx2", ring="cyclic"),
        transform_row(2.3, target="avx2", ring="cyclic", direction="inverse unscaled"),
        program="flint",
    )
    verdict = _verdicts(ours, flint)["50-bit, AVX2, against FLINT fft_small"]
    assert [round(m.ratio, 3) for m in verdict.measured] == [1.25, 1.15]
    # HEXL on a CPU without AVX-512 is no peer of AVX-512 kernels.
    scalar = document_of(transform_row(9.0, target="scalar"), program="hexl")
    name = "50-bit, AVX-512-IFMA, against HEXL"
    assert _verdicts(document_of(transform_row(2.0)), scalar)[name].verdict == "not measured"


def test_goal_of_threads_compares_minima() -> None:
    batch = {"kind": "batch", "bits": 50, "word_bits": 64, "n": 4096, "limbs": 8}
    batch |= {"target": "avx2", "direction": "forward"}
    one = batch | {"threads": 1, "min_ns": 39.0}
    for two_ns, reached in ((20.0, 1), (21.0, 0)):
        two = batch | {"threads": 2, "min_ns": two_ns, "speedup": 1.4}
        verdict = _verdicts(document_of(one, two))["two threads on 8 limbs, against one"]
        assert [m.ratio for m in verdict.measured] == pytest.approx([39.0 / two_ns])
        assert verdict.reached == reached


def test_goals_for_shares_and_bfv() -> None:
    product = {"kind": "product", "bits": 50, "word_bits": 64, "q": 97, "n": 4096}
    ours = document_of(
        product | {"target": "avx2", "direction": "parts", "min_ns": 10.0},
        product | {"target": "avx2", "direction": "fused", "min_ns": 9.1},
        bfv_row(10.0, "multiply + relinearize"),
        bfv_row(4.0, "multiply + relinearize", "2 threads"),
    )
    openfhe = document_of(
        bfv_row(26.0, "multiply + relinearize", "HPS"),
        bfv_row(24.0, "multiply + relinearize", "BEHZ"),
        program="openfhe",
    )
    verdicts = _verdicts(ours, openfhe)
    fused = verdicts["fused polynomial product, share of its parts"]
    assert fused.verdict == "short" and fused.worst is not None
    assert fused.worst.ratio == pytest.approx(0.91)
    product_of = verdicts["BFV multiply + relinearize, against the best peer"]
    assert product_of.verdict == "short" and len(product_of.measured) == 1
    assert product_of.worst is not None and product_of.worst.ratio == pytest.approx(2.4)
