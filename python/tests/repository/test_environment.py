# SPDX-License-Identifier: Apache-2.0
"""Environment variables: the table in docs/environment.md is that of the code; what doctor says."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

import nttforge
from nttforge.cli import environment, main

Capture = pytest.CaptureFixture[str]
ROOT = Path(__file__).parents[3]
FOLDERS = ("nttforge", "python", "packages", "tools", "bench", "examples")
ENDINGS = (".py", ".cpp", ".hpp", ".cu", ".cuh")
KNOWN = {*environment.RUN_TIME, *environment.TESTS}


def _read_by_the_code() -> set[str]:
    """Names as texts of their own, other than here and in the list that is checked."""
    found = set()
    for folder in FOLDERS:
        for path in (ROOT / folder).rglob("*"):
            if path.suffix in ENDINGS and path.name not in ("environment.py", Path(__file__).name):
                found |= set(re.findall(r'"(NTTFORGE_[A-Z_]+)"', path.read_text("utf-8")))
    return found


def test_every_variable_is_in_the_table() -> None:
    rows = re.findall(r"^\|(.*?)\|", (ROOT / "docs/environment.md").read_text("utf-8"), re.M)
    documented = set(re.findall(r"`(NTTFORGE_[A-Z_]+)`", " ".join(rows)))
    assert documented == KNOWN == _read_by_the_code()


@pytest.fixture(autouse=True)
def nothing_is_set(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in environment.variables_set():
        monkeypatch.delenv(name)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))


def _facts(capsys: Capture) -> dict:
    assert main(["doctor", "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def test_doctor_shows_variables(monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> None:
    assert _facts(capsys)["environment"] == {}
    assert main(["doctor"]) == 0
    assert "no NTTFORGE_ variable is set" in capsys.readouterr().out
    monkeypatch.setenv("NTTFORGE_PIN", "1")
    monkeypatch.setenv("NTTFORGE_THREAD", "3")
    monkeypatch.setenv("NTTFORGE_QUUX", "")
    facts = _facts(capsys)
    assert facts["environment"] == {
        "NTTFORGE_PIN": "1",
        "NTTFORGE_QUUX": "",
        "NTTFORGE_THREAD": "3",
    }
    assert facts["unknown_variables"] == ["NTTFORGE_QUUX", "NTTFORGE_THREAD"]
    assert main(["doctor"]) == 0
    text = capsys.readouterr().out
    assert "NTTFORGE_PIN = '1', NTTFORGE_QUUX = '' (unknown), " in text
    assert "NTTFORGE_THREAD = '3' (unknown: NTTFORGE_THREADS?)" in text
    assert "docs/environment.md" in text


def test_doctor_shows_wisdom(
    monkeypatch: pytest.MonkeyPatch, capsys: Capture, tmp_path: Path
) -> None:
    path = tmp_path / "nttforge" / "wisdom.json"
    assert _facts(capsys)["wisdom"] == {"path": str(path), "entries": None, "error": None}
    assert main(["doctor"]) == 0
    assert f"none yet in {path}" in capsys.readouterr().out
    wisdom = nttforge.Wisdom()
    wisdom.remember(nttforge.explore(nttforge.NttPlan(64, 257).spec, budget=0.05))
    path.parent.mkdir()
    wisdom.save()
    assert _facts(capsys)["wisdom"]["entries"] == 1
    path.write_text("no JSON")
    assert main(["doctor"]) == 0
    assert f"ERROR: {path}" in capsys.readouterr().out
    for name in ("XDG_CACHE_HOME", "HOME"):
        monkeypatch.delenv(name)
    assert "no place for wisdom" in _facts(capsys)["wisdom"]["error"]


class _Registered:
    """The extras of a distribution that registers them."""

    name = "other"

    def load(self) -> dict[str, tuple[str, ...]]:
        return {"tools": ("bitwuzla==9", "pyosys")}


def test_doctor_shows_extras(monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> None:
    from nttforge._extras import install_command
    from nttforge.cli import doctor

    def version(name: str) -> str:
        if name in ("matplotlib", "pyosys"):
            raise doctor.metadata.PackageNotFoundError(name)
        return "1.2"

    monkeypatch.setattr(doctor.metadata, "version", version)
    monkeypatch.setattr(
        doctor.metadata, "entry_points", lambda group, **name: [] if name else [_Registered()]
    )
    facts = _facts(capsys)
    found = facts["optional"]
    assert found["[plot]"] == "without matplotlib (pip install 'matplotlib>=3.6,<4')"
    assert found["[hardware]"] == "nttforge-hardware 1.2"
    assert found["[cuda]"] == "nttforge-cuda 1.2"
    assert install_command("cuda").startswith("pip install nttforge-cuda==")
    assert ";" not in install_command("cuda")
    assert found["other[tools]"] == "bitwuzla 1.2, without pyosys (pip install bitwuzla==9 pyosys)"
    assert not any("pip" in line for line in facts["advice"])
    assert facts["verdict"].startswith("nttforge works here: on the CPU with ")


def test_extras_are_those_of_the_package() -> None:
    tomllib = pytest.importorskip("tomllib")
    from nttforge._extras import EXTRAS, package_names

    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    extras = {extra: tuple(needs) for extra, needs in project["optional-dependencies"].items()}
    assert extras == EXTRAS
    for needs in extras.values():
        assert package_names(needs) == tuple(re.split(r"[\[=<>]", text)[0] for text in needs)
