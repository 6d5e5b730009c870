# SPDX-License-Identifier: Apache-2.0
"""The page of ``nttforge demo --web``: scores, files, and a browser that uses it."""

from __future__ import annotations

import contextlib
import io
import json
import re
import shutil
import signal
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import browser
import numpy as np
import page_checks
import pytest

from nttforge.encrypted import EncryptedArray
from nttforge.errors import ParameterError
from nttforge_demo import web
from nttforge_demo.model import load_patients, train
from nttforge_serve.circuits import prepare
from nttforge_serve.wire import joined, parted

PAGE = Path(web.__file__).parents[1] / "nttforge_serve" / "page"
NPM = Path(__file__).parents[3] / "web"


@pytest.fixture(scope="module")
def patients() -> Any:
    return load_patients()


@pytest.fixture(scope="module")
def model(patients: Any) -> Any:
    return train(patients)


def test_scores_are_those_of_the_model(model: Any, patients: Any) -> None:
    prepared = prepare(web.patient_circuit(model))
    contract = prepared.contract
    keys = contract.make_keys(contract.make_context(1))
    evaluation = prepared.read_keys(io.BytesIO(keys.evaluation.to_bytes()))
    said = web.description(model, patients)
    rows = model.quantise(np.array([one["values"] for one in said["examples"]]))
    spec = contract.inputs["x"]
    requests = [joined([spec.encrypt(row, keys.secret).text.to_bytes()]) for row in rows]
    scores = model.scores(rows)
    for answer, s, r in zip(
        prepared.compute(requests, evaluation), scores, model.refine(scores), strict=True
    ):
        assert isinstance(answer, bytes), answer
        parts = [bytes(part) for part in parted(answer, 2)]
        arrays = [EncryptedArray.from_bytes(keys.context, part, keys) for part in parts]
        assert [int(x.decrypt(keys)) for x in arrays] == [s, r]
    assert scores[0] < 0 < scores[2], "the examples are what their names say"
    assert "weights" not in json.dumps(said), "weights belong to the server"


def test_the_page_asks_nothing_of_others() -> None:
    texts = {path.name: path.read_text("utf-8") for path in PAGE.iterdir() if path.is_file()}
    assert set(texts) == {"index.html", "style.css", "demo.js", "remote.js"}
    for name, text in texts.items():
        assert not re.findall(r"(?:https?:)?//[a-z0-9-]+\.[a-z]", text), name
        assert not re.search(r"@import|url\(|eval\(|document\.write|localStorage|cookie", text), (
            name
        )
    page = page_checks.Page(f"{texts['index.html']}<style>{texts['style.css']}</style>")
    page_checks.check_ids(page)
    page_checks.check_tables(page)
    page_checks.check_contrast(page, ("#ffffff", "#f6f7f9"))
    wanted = set(re.findall(r'find\("([a-z]+)"\)', texts["demo.js"]))
    ids = {attributes["id"] for _, attributes, _ in page.elements if "id" in attributes}
    assert wanted <= ids, wanted - ids


def test_folders_of_the_npm_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert web.npm_folder(None) is None
    with pytest.raises(ParameterError, match=r"has not all of index\.js"):
        web.npm_folder(str(tmp_path))
    (tmp_path / "web").mkdir()
    for name in web._NPM_FILES:
        (tmp_path / "web" / name).write_text("")
    assert web.npm_folder(None) == Path("web")


@pytest.mark.skipif(shutil.which("node") is None, reason="needs Node")
def test_bodies_of_the_page_are_those_of_python() -> None:
    program = f"""
      import {{joined, parted, frame}} from {json.dumps((PAGE / "remote.js").as_uri())};
      const body = joined([new Uint8Array([1, 2]), new Uint8Array([])]);
      const back = parted(body, 2).map((part) => [...part]);
      const refused = [[body, 1], [body, 3], [body.slice(0, -1), 2]].map(([given, count]) => {{
        try {{ parted(given, count); return false; }} catch (error) {{ return error.name; }}
      }});
      let broken;
      try {{ frame(body); }} catch (error) {{ broken = error.message; }}
      console.log(JSON.stringify({{body: [...body], back, refused, broken}}));
    """
    command = ["node", "--input-type=module", "--eval", program]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60)
    found = json.loads(done.stdout)
    assert bytes(found["body"]) == joined([b"\1\2", b""])
    assert found["back"] == [[1, 2], []] and found["refused"] == ["RemoteError"] * 3
    assert "no encrypted array" in found["broken"]


@contextlib.contextmanager
def demonstration(*options: str) -> Iterator[str]:
    """The command, until the block ends; its address."""
    command = [sys.executable, "-m", "nttforge", "demo", "--web", "--port", "0", *options]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, cwd="/"
    ) as process:
        assert process.stdout is not None
        try:
            lines = (line for line in process.stdout if line.startswith("serving"))
            yield next(lines).split()[1]
            process.send_signal(signal.SIGINT)
            assert process.wait(20) == 0
        finally:
            process.kill()


@pytest.mark.full
def test_the_page_is_served_with_a_policy() -> None:
    with demonstration() as url:
        answer = urllib.request.urlopen(url)
        policy = answer.headers["content-security-policy"]
        assert "default-src 'none'" in policy and "connect-src 'self'" in policy
        assert b"nttforge" in answer.read()
        assert json.load(urllib.request.urlopen(f"{url}/model.json"))["limit"] == 15


@pytest.mark.full
@pytest.mark.skipif(browser.browser() is None, reason="needs a browser")
def test_a_browser_without_the_library_is_told_so() -> None:
    with demonstration() as url, browser.started() as tab:
        tab.call("Page.navigate", url=url)
        tab.wait("document.getElementById('missing')?.hidden === false")
        assert "cannot encrypt" in tab.evaluate("document.getElementById('missing').textContent")
        assert tab.evaluate("document.getElementById('go').disabled")


@pytest.mark.full
@pytest.mark.skipif(
    browser.browser() is None or not (NPM / "nttforge.wasm").is_file(),
    reason="needs a browser, and the npm package built in web/",
)
@pytest.mark.parametrize("width", [400, 1200])
def test_a_browser_scores_a_patient(width: int, model: Any, patients: Any) -> None:
    """By keyboard alone, on a page 400 pixels wide as well; every request goes to the server."""
    with demonstration("--npm", str(NPM)) as url, browser.started() as tab:
        tab.call(
            "Emulation.setDeviceMetricsOverride",
            width=width, height=900, deviceScaleFactor=1, mobile=width < 600,
        )  # fmt: skip
        tab.call("Page.navigate", url=url)
        tab.wait("document.getElementById('go')?.disabled === false")
        for example in web.description(model, patients)["examples"]:
            name = json.dumps(example["name"])
            buttons = "[...document.querySelectorAll('#examples button')]"
            tab.evaluate(f"{buttons}.find((one) => one.textContent === {name}).focus()")
            tab.press("Enter")
            for _ in range(40):  # by thirty fields
                if tab.evaluate("document.activeElement.id") == "go":
                    break
                tab.press("Tab")
            assert tab.evaluate("document.activeElement.id") == "go"
            tab.evaluate("document.getElementById('state').textContent = ''")
            tab.press("Enter")
            tab.wait("document.getElementById('state').textContent.startsWith('done')")
            text = tab.evaluate("document.getElementById('compared').textContent")
            score = int(re.search(r"s = (-?[\d,]+)", text)[1].replace(",", ""))  # type: ignore[index]
            row = model.quantise(np.array([example["values"]]))
            assert score == model.scores(row)[0]
            assert tab.evaluate("document.activeElement.id") == "score"
        assert tab.evaluate("document.documentElement.scrollWidth") <= width
        asked = tab.evaluate("performance.getEntriesByType('resource').map((entry) => entry.name)")
        assert asked and all(one.startswith(url) for one in asked)
        assert tab.evaluate("document.querySelectorAll('#sent tr').length") == 3
        assert tab.evaluate("document.querySelectorAll('#bars li').length") == 3
