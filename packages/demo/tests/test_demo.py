# SPDX-License-Identifier: Apache-2.0
"""The demonstration end to end, and its parts."""

from __future__ import annotations

import csv
import json
import re
import signal
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from page_checks import (
    Page,
    bars,
    check_contrast,
    check_ids,
    check_numbers,
    check_pictures,
    check_tables,
    contrast,
)

import nttforge
from nttforge import bfv
from nttforge.cli import main
from nttforge_demo import model as models
from nttforge_demo import packing
from nttforge_demo.client import choose_parameters
from nttforge_demo.plots import roc_points
from nttforge_demo.result import Phase, Result
from nttforge_demo.run import run


@pytest.fixture(scope="module")
def patients() -> models.Patients:
    return models.load_patients()


@pytest.fixture(scope="module")
def model(patients: models.Patients) -> models.Model:
    return models.train(patients)


def test_the_data_are_what_we_say(patients: models.Patients) -> None:
    assert patients.features.shape == (569, 30)
    assert int(patients.outcome.sum()) == 212  # malignant
    assert int(patients.held_out.sum()) == 228
    few = models.load_patients(10)
    assert (few.held_out == patients.held_out[:10]).all()


def test_integers_stay_in_their_ranges(patients: models.Patients, model: models.Model) -> None:
    x = model.quantise(patients.features)
    assert (
        np.abs(x).max() <= models.FEATURE_LIMIT
        and np.abs(model.weights).max() == models.WEIGHT_LIMIT
    )
    s = model.scores(x)
    r = model.refine(s)
    assert np.abs(s).max() <= model.score_bound and np.abs(r).max() <= model.refined_bound
    worst = np.where(model.weights > 0, models.FEATURE_LIMIT, -models.FEATURE_LIMIT)
    sign = 1 if model.bias >= 0 else -1
    assert abs(int(model.scores(sign * worst))) == model.score_bound
    parameters = choose_parameters(model, 16384)
    assert parameters.t > 2 * model.refined_bound and parameters.has_batching
    assert parameters.security_verdict()[0] >= 128


@pytest.mark.parametrize("span", [2**36 - 1, 2**36 + 1, 2**36 + 2**35 + 1])
def test_the_plaintext_modulus_holds_every_value(span: int) -> None:
    model = SimpleNamespace(refined_bound=(span - 1) // 2)
    t = choose_parameters(model, 16384).t  # type: ignore[arg-type]
    assert span <= t < 4 * span and t % 32768 == 1 and nttforge.is_prime(t)


def test_integer_model_is_as_good_as_the_float_one(
    patients: models.Patients, model: models.Model
) -> None:
    test = patients.held_out
    truth = patients.outcome[test] == 1
    exact = ((model.float_scores(patients.features) > 0)[test] == truth).mean()
    s = model.scores(model.quantise(patients.features))
    quantised = ((s > 0)[test] == truth).mean()
    assert exact > 0.95 and quantised > exact - 0.02
    order = np.argsort(s)
    refined = model.refine(s)[order]
    assert (np.diff(refined[~test[order]]) >= 0).all()  # monotone over the training scores


def test_packing_round_trip() -> None:
    rng = np.random.default_rng(0)
    n = 1024
    x = rng.integers(-15, 16, (45, 30))
    vectors = packing.pack_records(x, n)
    assert len(vectors) == 2 and all(v.shape == (n,) for v in vectors)
    weights = packing.pack_weights(np.arange(30), 7, n)
    sums = [
        (v * weights).reshape(-1, packing.SPAN).sum(axis=1).repeat(packing.SPAN) for v in vectors
    ]
    assert packing.unpack(sums, 45).tolist() == (x @ np.arange(30) + 7).tolist()


def test_roc_points_against_the_definition() -> None:
    outcome = np.array([True, False, True, True, False])
    values = np.array([3, 3, 2, 1, 0])
    x, y = roc_points(outcome, values)
    assert x.tolist() == [0, 0.5, 0.5, 0.5, 1] and np.allclose(y, [0, 1 / 3, 2 / 3, 1, 1])


class _Checker(HTMLParser):
    """Counts what the page is made of, and what it would load."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.loads: list[str] = []

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        for name, value in attributes:
            if name in ("src", "href", "xlink:href") and value and not value.startswith("#"):
                self.loads.append(value)


def test_a_small_run(tmp_path: Path) -> None:
    out = tmp_path / "page"
    phases: list[Phase] = []
    seen: list[tuple[int, int]] = []
    result = run(
        out,
        records=40,
        threads=1,
        seed="test",
        keep_files=True,
        report=phases.append,
        server_progress=lambda done, of: seen.append((done, of)),
    )
    assert result.passed and result.equal_scores == result.equal_refined == 40
    assert (result.scores == result.plain_scores).all()
    assert seen == [(1, 1)] and result.batches == 1
    assert {p.who for p in phases} == {"client", "server"}
    assert all(p.seconds >= 0 for p in phases)

    bits = [step["bits"] for step in result.noise]
    assert len(bits) == 7 and bits[0] > bits[-1] > 0
    assert all(s["bits"] >= s["predicted_bits"] - 1 for s in result.noise)

    exchange = out / "exchange"
    sent = {f.name: f.read_bytes() for f in (exchange / "to_server").iterdir()}
    received = {f.name: f.read_bytes() for f in (exchange / "from_server").iterdir()}
    assert sum(result.sent.values()) == sum(len(d) for n, d in sent.items() if n != "job.json")
    context = bfv.Context(result.parameters, threads=1)
    for name, data in {**sent, **received}.items():
        with pytest.raises(nttforge.NttforgeError):
            bfv.SecretKey.from_bytes(context, data)
        assert b"secret" not in data, name
    rotations = bfv.RotationKeys.from_bytes(context, sent["rotations.key"])
    assert rotations.steps == (1, 2, 4, 8, 16) and not rotations.has_swap_columns

    page = (out / "index.html").read_text("utf-8")
    checker = _Checker()
    checker.feed(page)
    assert checker.tags.count("svg") == 2
    assert set(checker.loads) == {"scores.csv", "report.json"}
    assert not re.search(r"\$[a-z]", page) and "40 of 40" in page and "protects nothing" in page
    rows = list(csv.DictReader((out / "scores.csv").read_text().splitlines()))
    assert [int(row["s"]) for row in rows] == result.scores.tolist()
    assert all(row["r"] == row["r_plain"] for row in rows)
    report = json.loads((out / "report.json").read_text())
    assert report["equal_scores"] == 40 and report["insecure_test_seed"] is True
    assert [p.name for p in tmp_path.iterdir()] == ["page"]


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> tuple[Result, Page]:
    """A run of few patients, and its page."""
    out = tmp_path_factory.mktemp("demo") / "page"
    result = run(out, records=40, threads=1)
    return result, Page((out / "index.html").read_text("utf-8"))


def test_page_ids_are_unique(small: tuple[Result, Page]) -> None:
    check_ids(small[1])


def test_page_tables_scroll_by_keyboard(small: tuple[Result, Page]) -> None:
    check_tables(small[1])


def test_page_numbers_are_grouped(small: tuple[Result, Page]) -> None:
    check_numbers(small[1])
    assert "n = 16,384" in small[1].text


def test_contrast_of_the_standards_examples() -> None:
    assert contrast("#000", "#ffffff") == pytest.approx(21)
    assert contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.005)


def test_page_contrast(small: tuple[Result, Page]) -> None:
    check_contrast(small[1], ("#ffffff", "#f6f7f9"))


def test_page_pictures_can_be_read_on_a_telephone(small: tuple[Result, Page]) -> None:
    check_pictures(small[1], faint=("#ffffff", "#e4e7eb", "#b0b0b0", "#cccccc"))


def test_page_bars_are_as_long_as_their_values(small: tuple[Result, Page]) -> None:
    """From zero on a linear scale; who works is said by pattern and word, not by colour alone."""
    result, page = small
    drawn = bars(page)
    phases = [p for p in result.phases if p.name != "draw the page"]
    assert len(drawn) == len(phases) + len(result.noise)
    longest = max(p.seconds for p in phases)
    for phase, (pattern, length) in zip(phases, drawn, strict=False):
        assert length == pytest.approx(70 * phase.seconds / longest, abs=0.01), phase.name
        assert pattern == {"client": "solid", "server": "striped"}[phase.who]
    most = max(s["bits"] for s in result.noise)
    for step, (_, length) in zip(result.noise, drawn[len(phases) :], strict=True):
        assert length == pytest.approx(46 * step["bits"] / most, abs=0.01), step["name"]
    assert "logarithmic" not in page.source
    for phase in phases:
        assert f'<span class="who {phase.who}">{phase.who}</span> {phase.name}' in page.source


def test_page_explains_and_goes_on(small: tuple[Result, Page]) -> None:
    text = " ".join(small[1].text.split())
    assert "noise budget says how many bits the noise may still grow" in text
    assert "What to try next" in text and "docs/encrypted-computing.md" in small[1].source
    assert "✓ 40 of 40" in text  # a sign beside the colour


def test_records_of_whom_none_is_held_out(tmp_path: Path) -> None:
    result = run(tmp_path / "page", records=2, threads=1)
    assert result.passed and not result.patients.held_out.any()
    text = (tmp_path / "page" / "report.json").read_text("utf-8")
    assert "NaN" not in text
    assert json.loads(text)["metrics"]["encrypted s"] == {"accuracy": None, "auc": None}


def test_what_is_in_the_way_stays(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("mine")
    (tmp_path / "folder" / "exchange").mkdir(parents=True)
    (tmp_path / "folder" / "exchange" / "mine.txt").write_text("mine")
    with pytest.raises(nttforge.NttforgeError, match="not a folder"):
        run(tmp_path / "file", records=2)
    with pytest.raises(nttforge.NttforgeError, match="in the way"):
        run(tmp_path / "folder", records=2, keep_files=True)
    assert (tmp_path / "folder" / "exchange" / "mine.txt").read_text() == "mine"
    assert sorted(p.name for p in tmp_path.iterdir()) == ["file", "folder"]


@pytest.mark.parametrize(
    "number", [signal.SIGTERM, pytest.param(signal.SIGHUP, marks=pytest.mark.full)]
)
def test_ended_by_a_signal(tmp_path: Path, number: signal.Signals) -> None:
    command = [sys.executable, "-m", "nttforge", "demo", "--threads", "1", "--out"]
    with subprocess.Popen(
        [*command, str(tmp_path / "page")],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: signal.signal(number, signal.SIG_DFL),  # nohup ignores some
    ) as process:
        assert process.stdout is not None
        for line in process.stdout:
            if "make keys" in line:
                break
        assert len(list(tmp_path.iterdir())) == 1
        process.send_signal(number)
        process.communicate()
    assert process.returncode == 128 + number and list(tmp_path.iterdir()) == []


def test_a_server_that_lies_is_found_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from nttforge_demo.client import Client

    honest = Client.open_results

    def one_off(self: Client, *words: object) -> np.ndarray:
        values = honest(self, *words)  # type: ignore[arg-type]
        values[3] += 1
        return values

    monkeypatch.setattr(Client, "open_results", one_off)
    result = run(tmp_path / "out", records=8, threads=1)
    assert not result.passed and result.equal_scores == 7
    page = (tmp_path / "out" / "index.html").read_text("utf-8")
    assert 'class="card bad"><b>✗ 7 of 8</b>' in page


def test_a_server_that_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from nttforge_demo.client import Client

    send = Client.send

    def damaged(self: Client, inbox: Path, *words: object) -> dict[str, int]:
        sizes = send(self, inbox, *words)  # type: ignore[arg-type]
        with (inbox / "relinearization.key").open("r+b") as file:
            file.seek(5000)
            file.write(b"\xff" * 8)
        return sizes

    monkeypatch.setattr(Client, "send", damaged)
    with pytest.raises(
        nttforge.NttforgeError, match=r"server stopped with code 2: server: .*checksum"
    ):
        run(tmp_path / "out", records=8, threads=1)
    assert list(tmp_path.iterdir()) == []


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "page"
    assert main(["demo", "--records", "20", "--out", str(out)]) == 0
    text = capsys.readouterr().out
    for word in (
        "20 of 20 decrypted scores equal",
        "20 of 20 decrypted refinements equal",
        "NTT recipe",
        "noise left",
        "make keys",
        "inner sum (rotations)",
        "accuracy",
        f"page: {out / 'index.html'}",
    ):
        assert word in text, word
    assert "INSECURE" not in text
    assert sorted(p.name for p in out.iterdir()) == ["index.html", "report.json", "scores.csv"]


def test_server_alone(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "nttforge_demo.server"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 2 and "usage" in done.stderr
    done = subprocess.run([*command, str(tmp_path)], capture_output=True, text=True)
    assert done.returncode == 2 and "job.json" in done.stderr and "Traceback" not in done.stderr
