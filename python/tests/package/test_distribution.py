# SPDX-License-Identifier: Apache-2.0
"""What is handed out: licences and files in the wheel, links of the README, the source archive."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tarfile
from importlib import metadata
from pathlib import Path

import pytest

from nttforge._extras import EXTRAS

ROOT = Path(__file__).parents[3]


def _wheel() -> metadata.Distribution:
    """The package as pip installed it from its wheel; `make test` does."""
    try:
        found = metadata.distribution("nttforge")
    except metadata.PackageNotFoundError:
        pytest.skip("nttforge is not installed from a wheel here")
    if not found.files or found.read_text("WHEEL") is None:
        pytest.skip("nttforge is not installed from a wheel here")
    return found


def _licence_files(wheel: metadata.Distribution) -> dict[str, str]:
    """Text by name of what stands in the wheel's dist-info/licenses."""
    marked = [path for path in wheel.files or [] if ".dist-info/licenses/" in path.as_posix()]
    return {path.as_posix().split("/licenses/", 1)[1]: path.read_text() for path in marked}


def test_the_wheel_has_every_licence() -> None:
    wheel = _wheel()
    found = _licence_files(wheel)
    linked = [f"licenses/{name}.txt" for name in ("llvm", "nanobind", "robin-map", "zig")]
    texts = ["LICENSE", "NOTICE", *linked]
    assert sorted(found) == texts
    assert all(found[name] == (ROOT / name).read_text("utf-8") for name in texts)
    assert sorted(wheel.metadata.get_all("License-File") or []) == texts
    assert wheel.metadata["License-Expression"] == "Apache-2.0"
    assert "Copyright 2026 The nttforge authors" in found["LICENSE"]
    assert "[yyyy]" not in found["LICENSE"]
    for name in linked:
        assert name in found["NOTICE"]
    assert "libcudart_static" in found["NOTICE"]


def test_the_wheel_says_whose_it_is_and_for_which_pythons() -> None:
    wheel = _wheel()
    assert wheel.metadata["Author"] == "The nttforge authors"
    urls = dict(text.split(", ") for text in wheel.metadata.get_all("Project-URL") or [])
    assert {"Homepage", "Documentation", "Source", "Changelog", "Issues"} <= urls.keys()
    prefix = "Programming Language :: Python :: 3."
    stated = [c.removeprefix(prefix) for c in wheel.metadata.get_all("Classifier") or []]
    assert [c for c in stated if c.isdigit()] == ["10", "11", "12", "13", "14"]
    assert wheel.metadata["Requires-Python"] == ">=3.10"


def test_licences_are_those_of_what_is_linked() -> None:
    nanobind = pytest.importorskip("nanobind")
    (said,) = [p for p in metadata.files("nanobind") or [] if p.name == "LICENSE"]
    assert (ROOT / "licenses/nanobind.txt").read_text("utf-8") == said.read_text()
    header = Path(nanobind.__file__).parent / "ext/robin_map/include/tsl/robin_map.h"
    head = header.read_text("utf-8").split("*/")[0].removeprefix("/**\n")
    lines = [re.sub(r"^ \* ?", "", line) for line in head.splitlines()]
    assert "\n".join(lines).strip() == (ROOT / "licenses/robin-map.txt").read_text("utf-8").strip()


def test_the_wheel_has_the_package_and_no_tests() -> None:
    names = [path.as_posix() for path in _wheel().files or []]
    for needed in ("nttforge/py.typed", "nttforge/_core/__init__.pyi"):
        assert needed in names
    assert sum(name.startswith("nttforge/_core.") for name in names) == 1
    for name in names:
        found = re.search(r"hardware|oracle|demo|/cluster", name)
        assert not found, f"{name} belongs into a package of packages/"
        assert not re.search(r"(^|/)tests?/|(^|/)test_|_test\.|\.[ah](pp)?$", name), name


def test_the_wheel_says_where_the_project_is() -> None:
    urls = dict(text.split(", ", 1) for text in _wheel().metadata.get_all("Project-URL") or [])
    assert {"Homepage", "Changelog", "Issues"} <= urls.keys()
    assert all(url.startswith(urls["Homepage"]) for url in urls.values())


def _homepage() -> str:
    text = (ROOT / "pyproject.toml").read_text("utf-8")
    return re.findall(r'^Homepage = "(.*)"$', text, re.M)[0]


def test_links_of_the_readme_work_wherever_it_is_shown() -> None:
    text = re.sub(r"```.*?```", "", (ROOT / "README.md").read_text("utf-8"), flags=re.S)
    definitions = dict(re.findall(r"^\[([^\]]+)\]: (\S+)$", text, re.M))
    links = [*definitions.values(), *re.findall(r"\]\(([^)\s]+)\)", text)]
    begin = f"{_homepage()}/blob/main/"
    assert len(links) >= 10
    for link in links:
        assert link.startswith(begin), f"{link} must begin with {begin}"
        assert (ROOT / re.split("[?#]", link.removeprefix(begin))[0]).is_file(), link
    used = set(re.findall(r"\[([^\]\[]+)\](?![:(\[])", text))
    assert definitions.keys() <= used
    paths = {name for name in used if re.fullmatch(r"[\w./-]+\.(md|txt|json)", name)}
    assert paths <= definitions.keys(), "a link without its address"


def test_remedies_name_no_index_entry_of_ours() -> None:
    """nttforge comes from a clone or a folder of wheels: an index has nothing of that name."""
    listed = subprocess.run(
        ["git", "ls-files", "nttforge", "python/nttforge", "python/bindings", "docs", "cmake"],
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    if listed.returncode != 0:
        pytest.skip("not a clone")
    for name in [*listed.stdout.splitlines(), "README.md", "CMakeLists.txt", "Makefile"]:
        path = ROOT / name
        if name.startswith("docs/install/"):  # what holds after a release, and says so
            continue
        if path.is_file() and path.suffix not in (".png", ".json"):
            wrong = re.search(
                r"pip install (?!--find-links dist)[^\n]*['\" ]nttforge\b(?!-[a-z])",
                path.read_text("utf-8"),
            )
            assert wrong is None, f"{name}: {wrong[0]}"
    assert EXTRAS


@pytest.mark.full
def test_a_source_archive_builds_and_has_no_results(tmp_path: Path) -> None:
    pytest.importorskip("scikit_build_core")
    if not (ROOT / ".git").exists():
        pytest.skip("not a clone")
    program = (
        "import sys; from scikit_build_core.build import build_sdist; build_sdist(sys.argv[1])"
    )
    environment = {k: v for k, v in os.environ.items() if not k.startswith("SKBUILD")}
    subprocess.run(
        [sys.executable, "-c", program, str(tmp_path)],
        cwd=ROOT,
        check=True,
        capture_output=True,
        env=environment,
    )
    (archive,) = tmp_path.glob("*.tar.gz")
    with tarfile.open(archive) as tar:
        if hasattr(tarfile, "data_filter"):  # Python 3.10.12, 3.11.4 and later
            tar.extraction_filter = tarfile.data_filter
        tar.extractall(tmp_path)
        names = {name.split("/", 1)[1] for name in tar.getnames() if "/" in name}
    for needed in ("CMakeLists.txt", "cmake/install.cmake", "LICENSE", "NOTICE", "PKG-INFO"):
        assert needed in names
    assert not [
        n
        for n in names
        if n.startswith(("bench/", "papers/", ".ci/", "build/", "out/", ".github/"))
    ]
    listed = subprocess.run(
        ["git", "ls-files", "nttforge", "cmake", "python/nttforge", "python/bindings", "licenses"],
        cwd=ROOT,
        check=True,
        capture_output=True,
        text=True,
    ).stdout.splitlines()
    missing = [name for name in listed if (ROOT / name).is_file() and name not in names]
    assert not missing
    root = archive.with_suffix("").with_suffix("")
    command = ["cmake", "-S", root, "-B", tmp_path / "build", "-DNTTFORGE_CUDA=OFF"]
    subprocess.run([*map(str, command)], check=True, capture_output=True)
