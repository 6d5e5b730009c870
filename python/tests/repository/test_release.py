# SPDX-License-Identifier: Apache-2.0
"""tools/release.py: a release is whole or nothing; its source package is the same in two builds."""

import hashlib
import importlib
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[3]
CHANGELOG_OF_DEBIAN = "packaging/debian/changelog"
CONDA, VCPKG = "packaging/conda-forge/recipe.yaml", "packaging/vcpkg/portfile.cmake"
RECIPES = (CONDA, VCPKG, "packaging/vcpkg/vcpkg.json", CHANGELOG_OF_DEBIAN)
TEXTS = ("CMakeLists.txt", "CITATION.cff", "CHANGELOG.md", "docs/versioning.md", ".gitignore",
         "requirements-build.txt")  # fmt: skip
PACKAGES = sorted(path.name for path in (ROOT / "packages").iterdir())
OTHERS = (
    "packaging/cuda/pyproject.toml",
    *(f"packages/{name}/pyproject.toml" for name in PACKAGES),
)
EXTRAS = ("python/nttforge/_extras.py", "packages/hardware/nttforge_hardware/_extras.py")
PACKAGE = ("pyproject.toml", *EXTRAS, *OTHERS)
FILES = (*TEXTS, *PACKAGE, *RECIPES)


@pytest.fixture
def release(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(ROOT / "tools"))
    for name in ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE"):
        monkeypatch.delenv(name, raising=False)
    return importlib.import_module("release")


def _git(folder: Path, *words: str) -> str:
    done = subprocess.run(["git", *words], cwd=folder, capture_output=True, text=True, check=True)
    return done.stdout.strip()


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A small repository with the files that a release writes, as they are here."""
    root = tmp_path / "repository"
    for name in FILES:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, root / name)
    _git(root, "init", "--quiet", "--initial-branch", "main")
    for name, value in (("name", "Someone"), ("email", "someone@example.org")):
        _git(root, "config", f"user.{name}", value)
    _git(root, "config", "user.signingkey", "")
    _git(root, "add", "--all")
    _git(root, "commit", "--quiet", "-m", "A beginning")
    return root


def _build(clone: Path, folder: Path) -> list[Path]:
    folder.mkdir(parents=True)
    file = folder / "nttforge.tar.gz"
    file.write_bytes((clone / "CMakeLists.txt").read_bytes())
    return [file]


def _trial(files: Sequence[Path], version: str, folder: Path) -> None:
    assert folder.is_dir() and files and version == "0.2.0"


def _failing(*_: object) -> None:
    raise RuntimeError("the self-test failed")


def _state(root: Path) -> tuple[str, ...]:
    words = (["rev-parse", "HEAD"], ["tag"], ["status", "--porcelain"], ["stash", "list"])
    folder = root / "dist"
    files = sorted(map(str, folder.rglob("*"))) if folder.exists() else []
    return (*(_git(root, *w) for w in words), *files)


def test_a_release(release: ModuleType, repository: Path) -> None:
    before = _git(repository, "rev-parse", "HEAD")
    folder = release.release(repository, "0.2.0", build=_build, trial=_trial)
    assert _git(repository, "status", "--porcelain") == ""
    assert _git(repository, "rev-parse", "HEAD~") == before
    assert _git(repository, "cat-file", "-t", "v0.2.0") == "tag"  # annotated
    commit = _git(repository, "rev-parse", "v0.2.0^{commit}")
    assert commit == _git(repository, "rev-parse", "main")
    assert "VERSION 0.2.0 " in (repository / "CMakeLists.txt").read_text()
    citation = (repository / "CITATION.cff").read_text()
    assert "\nversion: 0.2.0\ndate-released: 20" in citation
    assert "find_package(nttforge 0.2)" in (repository / "docs/versioning.md").read_text()
    for name in ("pyproject.toml", "python/nttforge/_extras.py"):
        text = (repository / name).read_text()
        assert "nttforge-cuda==0.2.0;" in text and "nttforge-hardware[tools]==0.2.0" in text
    for name in OTHERS:
        text = (repository / name).read_text()
        assert '\nversion = "0.2.0"\n' in text and '"nttforge==0.2.0"' in text
        assert "0.1.0" not in text
    changes = (repository / "CHANGELOG.md").read_text()
    assert changes.startswith("# Changelog\n\n## Unreleased\n\n## [0.2.0] - 20")
    assert changes.endswith("[0.2.0]: https://github.com/nttforge/nttforge/releases/tag/v0.2.0\n")

    done = subprocess.run(["sha256sum", "--check", "SHA256SUMS"], cwd=folder, capture_output=True)
    assert done.returncode == 0
    statement = json.loads((folder / "provenance.intoto.json").read_text())
    assert statement["_type"] == "https://in-toto.io/Statement/v1"
    (subject,) = statement["subject"]
    assert subject["name"] == "nttforge.tar.gz"
    assert subject["digest"]["sha256"] in (folder / "SHA256SUMS").read_text()
    definition = statement["predicate"]["buildDefinition"]
    assert definition["resolvedDependencies"][0]["digest"] == {"gitCommit": commit}
    assert definition["internalParameters"]["versions"]["compiler"]
    consists = json.loads((folder / "sbom.cdx.json").read_text())
    assert (consists["bomFormat"], consists["specVersion"]) == ("CycloneDX", "1.5")
    (archive,) = [c for c in consists["components"] if c["type"] == "file"]
    assert archive["hashes"][0]["content"] == subject["digest"]["sha256"]

    with pytest.raises(release.ReleaseError, match="never used again"):
        release.release(repository, "0.2.0", build=_build, trial=_trial)
    (repository / "CHANGELOG.md").write_text(changes.replace("# Changelog", "# Changelog ", 1))
    with pytest.raises(release.ReleaseError, match="uncommitted"):
        release.release(repository, "0.3.0", build=_build, trial=_trial)


def test_a_release_writes_the_recipes(release: ModuleType, repository: Path) -> None:
    """Version, and the digests of the source package, in the commit that it was built from."""
    seen = []

    def build(clone: Path, folder: Path) -> list[Path]:
        seen.append(release.artefacts.commit_time(clone))
        seen.append((clone / CONDA).read_text())
        return _build(clone, folder)

    folder = release.release(repository, "0.2.0", build=build, trial=_trial)
    built = (folder / "nttforge.tar.gz").read_bytes()
    recipe = (repository / CONDA).read_text()
    assert "\n  version: 0.2.0\n" in recipe
    assert f'sha256: "{hashlib.sha256(built).hexdigest()}"\n' in recipe
    assert f"SHA512 {hashlib.sha512(built).hexdigest()}\n" in (repository / VCPKG).read_text()
    changes = (repository / CHANGELOG_OF_DEBIAN).read_text()
    assert changes.startswith("nttforge (0.2.0-1) ") and " 00:00:00 +0000\n" in changes
    # The time of the commit, from which the source package takes its dates, is as in the build.
    assert seen == [_git(repository, "log", "-1", "--format=%ct"), seen[1]]
    assert "\n  version: 0.2.0\n" in seen[1] and f'sha256: "{"0" * 64}"' in seen[1]
    assert _git(repository, "rev-list", "--count", "HEAD") == "2"

    # The next release begins with zeros, whatever stands there.
    (repository / "CHANGELOG.md").write_text(
        (repository / "CHANGELOG.md").read_text().replace("Unreleased\n", "Unreleased\n\n* More.\n")
    )
    _git(repository, "commit", "--quiet", "--all", "-m", "More")
    release.release(repository, "0.2.1", build=build, trial=lambda *_: None)
    assert f'sha256: "{"0" * 64}"' in seen[3]
    assert "version: 0.2.1\n" in (repository / CONDA).read_text()


def test_a_recipe_without_a_place_for_its_digest(release: ModuleType, repository: Path) -> None:
    text = (repository / VCPKG).read_text()
    (repository / VCPKG).write_text(text.replace("SHA512", "SKIP_SHA512"))
    _git(repository, "commit", "--quiet", "--all", "-m", "Broken")
    before = _state(repository)
    with pytest.raises(release.ReleaseError, match=r"portfile\.cmake.* 0 times"):
        release.release(repository, "0.2.0", build=_build, trial=_trial)
    assert _state(repository) == before


def test_a_rehearsal_changes_nothing(release: ModuleType, repository: Path) -> None:
    before = _state(repository)[:4]
    for _ in range(2):
        folder = release.release(repository, "0.2.0", True, _build, _trial)
        assert folder == repository / "dist/0.2.0-rehearsal"
        names = {"SHA256SUMS", "provenance.intoto.json", "sbom.cdx.json", "nttforge.tar.gz"}
        assert {path.name for path in folder.iterdir()} == names
        assert _state(repository)[:4] == before


@pytest.mark.parametrize("step", ["build", "trial", "merge", "tag", "copy"])
def test_a_failure_leaves_everything_as_it_was(
    release: ModuleType, repository: Path, step: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    steps = {"build": _build, "trial": _trial}
    if step in steps:
        steps[step] = _failing
    elif step == "merge":  # main goes on while the packages are built

        def later(*_: object) -> None:
            _git(repository, "commit", "--quiet", "--allow-empty", "-m", "Meanwhile")

        steps["trial"] = later
    elif step == "tag":
        _git(repository, "config", "user.signingkey", "none")
        _git(repository, "config", "gpg.program", "false")
    else:
        monkeypatch.setattr(release.shutil, "copytree", _failing)
    before = _state(repository)
    with pytest.raises((RuntimeError, release.ReleaseError)):
        release.release(repository, "0.2.0", **steps)
    if step == "merge":
        assert _git(repository, "log", "-1", "--format=%s") == "Meanwhile"
        assert _state(repository)[1:] == before[1:]
    else:
        assert _state(repository) == before


@pytest.mark.parametrize(
    ("version", "words"),
    [
        ("0.2", "MAJOR.MINOR.PATCH"),
        ("0.0.9", "is below 0.1.0"),
        ("v0.2.0", "MAJOR"),
    ],
)
def test_versions_refused(release: ModuleType, repository: Path, version: str, words: str) -> None:
    before = _state(repository)
    with pytest.raises(release.ReleaseError, match=words):
        release.release(repository, version, build=_build, trial=_trial)
    assert _state(repository) == before


def test_only_on_main(release: ModuleType, repository: Path) -> None:
    _git(repository, "switch", "--quiet", "--create", "other")
    with pytest.raises(release.ReleaseError, match="branch other"):
        release.release(repository, "0.2.0", build=_build, trial=_trial)


def test_the_index_serves_its_files_alone(release: ModuleType, tmp_path: Path) -> None:
    import urllib.request

    file = tmp_path / "nttforge-1.0-py3-none-any.whl"
    file.write_bytes(b"words")
    with release.artefacts.index([file], tmp_path / "index") as address:
        page = urllib.request.urlopen(f"{address}/nttforge/").read().decode()
        assert f"#sha256={release.artefacts.digest(file)}" in page
        assert urllib.request.urlopen(f"{address}/nttforge/{file.name}").read() == b"words"


@pytest.mark.full
def test_the_source_package_is_the_same_in_two_builds(tmp_path: Path) -> None:
    pytest.importorskip("scikit_build_core")
    if not (ROOT / ".git").exists():
        pytest.skip("not a clone")
    program = (
        "import sys; from scikit_build_core.build import build_sdist; build_sdist(sys.argv[1])"
    )
    made = []
    for name in ("one", "two"):
        clone = tmp_path / f"clone-{name}"
        _git(ROOT, "clone", "--quiet", "--depth", "1", f"file://{ROOT}", str(clone))
        environment = {k: v for k, v in os.environ.items() if not k.startswith("SKBUILD")}
        environment["SOURCE_DATE_EPOCH"] = _git(clone, "log", "-1", "--format=%ct")
        words = [sys.executable, "-c", program, str(tmp_path / name)]
        subprocess.run(words, cwd=clone, check=True, capture_output=True, env=environment)
        (archive,) = (tmp_path / name).glob("*.tar.gz")
        made.append(archive.read_bytes())
    assert made[0] == made[1]
