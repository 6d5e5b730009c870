# SPDX-License-Identifier: Apache-2.0
"""Everything that is installed or run from elsewhere is named by a digest; a release lists it."""

from __future__ import annotations

import importlib
import json
import re
import zipfile
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[3]
LOCKED = sorted(path.name for path in ROOT.glob("requirements-*.txt"))
_ROW = re.compile(r"^([a-z0-9._-]+)==(\S+?)(?: ; [^\\]+?)? \\$")


@pytest.fixture
def tools(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(ROOT / "tools"))
    monkeypatch.syspath_prepend(str(ROOT / "packaging"))


def test_every_file_is_written_from_its_own(tools: None) -> None:
    lock = importlib.import_module("lock_requirements")
    assert sorted(f"requirements-{name}.txt" for name in lock.OLDEST) == LOCKED
    for name in lock.OLDEST:
        text = (ROOT / f"requirements-{name}.txt").read_text()
        assert " ".join(lock.command(name, [])[:-1]) in text.splitlines()[1], name


@pytest.mark.parametrize("name", LOCKED)
def test_every_requirement_has_a_version_and_digests(name: str) -> None:
    lines = (ROOT / name).read_text().splitlines()
    rows = [i for i, line in enumerate(lines) if line and not line.startswith((" ", "#"))]
    assert rows
    for i in rows:
        assert _ROW.match(lines[i]), lines[i]
        assert re.fullmatch(r" +--hash=sha256:[0-9a-f]{64}(?: \\)?", lines[i + 1]), lines[i]
    # pip reads the user's index: the files name none.
    assert not re.search(r"https?:|--index|--find-links|--trusted", "\n".join(lines))


@pytest.mark.parametrize("name", LOCKED)
def test_what_is_asked_for_is_what_is_locked(name: str) -> None:
    locked = {
        (found[1], found[2])
        for line in (ROOT / name).read_text().splitlines()
        if (found := _ROW.match(line))
    }
    asked = (ROOT / name).with_suffix(".in").read_text()
    for package, version in re.findall(r"^([A-Za-z0-9._-]+)==([^\s;]+)", asked, re.MULTILINE):
        assert (package.lower().replace("_", "-"), version) in locked, package


def test_every_install_of_a_workflow_the_makefile_and_tools_asks_for_digests() -> None:
    files = [*ROOT.glob(".github/workflows/*.yml"), ROOT / "Makefile", *ROOT.glob("tools/*.py")]
    for path in files:
        for line in path.read_text().splitlines():
            if re.search(r"pip\b.*install.*-r requirements", line) and "print" not in line:
                said = path.name in ("cross_check.py", "arm_test.py", "recipes.py")
                assert said or "--require-hashes" in line, (path.name, line)
            if re.search(r"pip install [\w-]+[=<>]", line) and path.suffix == ".yml":
                raise AssertionError(f"{path.name} installs without a digest: {line}")


def test_every_action_is_a_commit_with_its_version() -> None:
    found = 0
    for path in ROOT.glob(".github/workflows/*.yml"):
        for line in path.read_text().splitlines():
            if "uses:" in line:
                found += 1
                assert re.search(r"uses: [\w-]+/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$", line), line
    assert found > 10
    watched = re.findall(r"package-ecosystem: (\S+)", (ROOT / ".github/dependabot.yml").read_text())
    assert watched == ["github-actions", "uv"]


@pytest.fixture
def components(tools: None) -> ModuleType:
    return importlib.import_module("release_artefacts")


def test_a_release_lists_packages_needs_and_builders(
    components: ModuleType, tmp_path: Path
) -> None:
    wheel = tmp_path / "nttforge-1.0.0-py3-none-any.whl"
    metadata = "Name: nttforge\nRequires-Dist: numpy<3,>=1.24\nRequires-Dist: x; extra == 'y'\n"
    with zipfile.ZipFile(wheel, "w") as archive:
        archive.writestr("nttforge-1.0.0.dist-info/METADATA", metadata)
    needs = components.requirements(wheel)
    pins = components.pinned((ROOT / "requirements-build.txt").read_text())
    text = components.components([wheel], needs, pins, "1.0.0", 0)
    assert text == components.components([wheel], needs, pins, "1.0.0", 0)  # the same bytes
    document = json.loads(text)
    assert document["metadata"]["timestamp"] == "1970-01-01T00:00:00Z"
    parts = {c["bom-ref"]: c for c in document["components"]}
    assert list(parts) == [
        wheel.name, "required:numpy", "excluded:cmake", "excluded:nanobind", "excluded:ninja",
        "excluded:scikit-build-core",
    ]  # fmt: skip
    assert parts["required:numpy"]["properties"][0]["value"] == "numpy<3,>=1.24"
    assert parts["excluded:cmake"]["purl"] == f"pkg:pypi/cmake@{pins['cmake'][0]}"
    assert len(parts["excluded:ninja"]["properties"][0]["value"]) == 64
    refs = [d["ref"] for d in document["dependencies"]]
    assert refs == ["nttforge", *parts] and document["dependencies"][0]["dependsOn"] == [
        "required:numpy"
    ]
    with pytest.raises(components.ReleaseError, match="has no nanobind"):
        components.components([wheel], needs, {"cmake": pins["cmake"]}, "1.0.0", 0)
