# SPDX-License-Identifier: Apache-2.0
"""One command for a release: version, changelog, tag, packages, digests, provenance.

  make release VERSION=0.2.0 RELEASE_ARGS=--rehearse
  make release VERSION=0.2.0

Everything is written, committed, built and tried out in a clone of its own: source packages of
nttforge and of packages/, wheels made from them, SHA256SUMS, an in-toto statement of
provenance, a list of what they consist of and need (CycloneDX); the recipes in packaging/ get the
version and the digests of nttforge's source package; the wheels are installed from a local index
into a new environment, where `nttforge selftest` and `nttforge rtl` run. Only when all of that has
passed does the repository get the commit, its tag and, in dist/VERSION, the files. A rehearsal
gives it the files alone, in dist/VERSION-rehearsal. Nothing is pushed and nothing uploaded: pushing
the tag starts the workflow that builds the wheels of all platforms and publishes them.
"""

from __future__ import annotations

import argparse
import datetime
import email.utils
import pathlib
import re
import shutil
import sys
import tempfile
from collections.abc import Callable, Sequence

import recipe_files
import release_artefacts as artefacts
from release_artefacts import ReleaseError, output, replaced

ROOT = pathlib.Path(__file__).resolve().parent.parent
_VERSION = re.compile(r"(0|[1-9][0-9]*)\.(0|[1-9][0-9]*)\.(0|[1-9][0-9]*)")
Build = Callable[[pathlib.Path, pathlib.Path], Sequence[pathlib.Path]]
Trial = Callable[[Sequence[pathlib.Path], str, pathlib.Path], None]


def changelog(text: str, version: str, date: str) -> str:
    """The section "Unreleased" with its number, date and link, below an empty new one."""
    parts = re.split(r"^## Unreleased\n", text, flags=re.M)
    if len(parts) != 2:
        raise ReleaseError('CHANGELOG.md: need one section "## Unreleased"')
    if re.search(rf"^## \[?{re.escape(version)}\b", text, re.M):
        raise ReleaseError(f"CHANGELOG.md has a section {version} already: join it with Unreleased")
    section = parts[1].split("\n## ", 1)[0]
    if not section.strip():
        raise ReleaseError("CHANGELOG.md: nothing stands under Unreleased")
    link = f"[{version}]: {artefacts.SOURCE}/releases/tag/v{version}\n"
    return f"{parts[0]}## Unreleased\n\n## [{version}] - {date}\n{parts[1].rstrip()}\n\n{link}"


def write_version(folder: pathlib.Path, version: str, date: str) -> None:
    """Writes the version wherever it stands: CMakeLists.txt, recipes, and texts for readers."""
    short = version.rpartition(".")[0]
    cmake = (r"^project\(nttforge VERSION [0-9.]+", f"project(nttforge VERSION {version}")
    promise = (r"find_package\(nttforge [0-9.]+\)", f"find_package(nttforge {short})")
    kernels = (r"(?<=nttforge-cuda==)[0-9.]+", version)
    generator = (r"(?<=nttforge-hardware\[tools\]==)[0-9.]+", version)
    demo = (r"(?<=nttforge-demo==)[0-9.]+", version)
    cluster = (r"(?<=nttforge-cluster==)[0-9.]+", version)
    files = (r"(?<=nttforge-he==)[0-9.]+", version)
    seal = (r"(?<=nttforge-seal==)[0-9.]+", version)
    compilers = (r"(?<=nttforge-compilers\[heir\]==)[0-9.]+", version)
    served = (r"(?<=nttforge-serve\[server\]==)[0-9.]+", version)
    other = ((r'(?<=^version = ")[0-9.]+', version), (r"(?<=nttforge==)[0-9.]+", version))
    oracle = (r"(?<=nttforge-oracle==)[0-9.]+", version)
    extras = (kernels, generator, demo, cluster, compilers, files, seal, served)
    texts = {
        "CMakeLists.txt": (cmake,),
        "pyproject.toml": extras,
        "python/nttforge/_extras.py": extras,
        "packaging/cuda/pyproject.toml": other,
        "packages/oracle/pyproject.toml": other,
        "packages/cluster/pyproject.toml": other,
        "packages/compilers/pyproject.toml": other,
        "packages/he/pyproject.toml": other,
        "packages/seal/pyproject.toml": other,
        "packages/demo/pyproject.toml": (*other, files, served),
        "packages/serve/pyproject.toml": other,
        "packages/hardware/pyproject.toml": (*other, oracle),
        "packages/hardware/nttforge_hardware/_extras.py": (other[1], oracle),
        "CITATION.cff": (
            (r"^(?:version: [0-9.]+\n)(?:date-released: [0-9-]+\n)?", _cited(version, date)),
        ),
        "docs/versioning.md": (promise,),
    }
    for name, changes in texts.items():
        path = folder / name
        text = path.read_text(encoding="utf-8")
        for pattern, new in changes:
            text = replaced(text, pattern, new, name)
        path.write_text(text, encoding="utf-8")
    path = folder / "CHANGELOG.md"
    path.write_text(changelog(path.read_text(encoding="utf-8"), version, date), encoding="utf-8")
    midnight = datetime.datetime.fromisoformat(f"{date}T00:00:00+00:00")
    recipe_files.write_version(folder, version, email.utils.format_datetime(midnight))


def _cited(version: str, date: str) -> str:
    return f"version: {version}\ndate-released: {date}\n"


def write_digests(clone: pathlib.Path, files: Sequence[pathlib.Path]) -> None:
    """Adds the source package's digests in the recipes to the commit that it was built from.

    The source package leaves the recipes out and takes its dates from the commit's time, which
    stays: the commit with the digests gives the same source package.
    """
    (archive,) = (file for file in files if re.fullmatch(r"nttforge\b.*\.tar\.gz", file.name))
    recipe_files.write_digests(clone, archive)
    time = f"@{artefacts.commit_time(clone)} +0000"
    words = ["git", "commit", "--quiet", "--all", "--amend", "--no-edit"]
    output(words, clone, GIT_COMMITTER_DATE=time)


def check_repository(root: pathlib.Path, version: str) -> None:
    """Raises ReleaseError unless a release of this version can begin here."""
    if not _VERSION.fullmatch(version):
        raise ReleaseError(f"{version!r} is no version: need MAJOR.MINOR.PATCH")
    text = (root / "CMakeLists.txt").read_text(encoding="utf-8")
    now = re.search(r"^project\(nttforge VERSION ([0-9.]+)", text, re.M)
    if now is None:
        raise ReleaseError("CMakeLists.txt states no version")
    if _numbers(version) < _numbers(now[1]):
        raise ReleaseError(f"{version} is below {now[1]}, the version in CMakeLists.txt")
    if output(["git", "tag", "--list", f"v{version}"], root):
        raise ReleaseError(f"the tag v{version} exists: a published number is never used again")
    branch = output(["git", "branch", "--show-current"], root)
    if branch != "main":
        raise ReleaseError(f"this is the branch {branch or '(none)'}: releases are made on main")
    if changed := output(["git", "status", "--porcelain"], root):
        raise ReleaseError(f"there are uncommitted changes:\n{changed}")
    if (root / f"dist/{version}").exists():
        raise ReleaseError(f"dist/{version} is there already")


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(map(int, version.split(".")))


def publish(root: pathlib.Path, clone: pathlib.Path, version: str, built: pathlib.Path) -> None:
    """Gives the repository the clone's commit, a tag and the files; takes all back on failure."""
    before = output(["git", "rev-parse", "HEAD"], root)
    target = root / f"dist/{version}"
    try:
        output(["git", "fetch", "--quiet", str(clone), "HEAD"], root)
        output(["git", "merge", "--quiet", "--ff-only", "FETCH_HEAD"], root)
        # Signed where the user's settings name a key.
        sign = "-s" if _setting(root, "user.signingkey") else "-a"
        output(["git", "tag", sign, "-m", f"nttforge {version}", f"v{version}"], root)
        shutil.copytree(built, target)
    except BaseException:
        shutil.rmtree(target, ignore_errors=True)
        if output(["git", "tag", "--list", f"v{version}"], root):
            output(["git", "tag", "--delete", f"v{version}"], root)
        # --keep refuses to touch a file that somebody changed meanwhile.
        output(["git", "reset", "--quiet", "--keep", before], root)
        raise


def _setting(root: pathlib.Path, name: str) -> str:
    return output(["git", "config", "--default", "", "--get", name], root)


def release(
    root: pathlib.Path,
    version: str,
    rehearse: bool = False,
    build: Build = artefacts.build,
    trial: Trial = artefacts.try_out,
) -> pathlib.Path:
    """Makes a release, or rehearses one; returns the folder of its files.

    Parameters
    ----------
    root : Path
        The repository.
    version : str
        MAJOR.MINOR.PATCH.
    rehearse : bool
        Neither commits nor tags.
    build, trial : callable
        What makes the packages, and what tries them out.

    Raises
    ------
    ReleaseError
        The repository is as it was before.
    """
    check_repository(root, version)
    date = datetime.datetime.now(datetime.timezone.utc).date().isoformat()
    with tempfile.TemporaryDirectory(prefix="nttforge-release-") as scratch:
        clone, built = pathlib.Path(scratch) / "clone", pathlib.Path(scratch) / "built"
        output(["git", "clone", "--quiet", str(root), str(clone)], root)
        for name in ("user.name", "user.email"):
            if value := _setting(root, name):
                output(["git", "config", name, value], clone)
        write_version(clone, version, date)
        output(["git", "commit", "--quiet", "--all", "-m", f"Version {version}"], clone)
        files = build(clone, built)
        write_digests(clone, files)
        artefacts.write_statements(files, built, clone, version)
        artefacts.write_components(files, built, clone, version)
        work = pathlib.Path(scratch) / "trial"
        work.mkdir()
        trial(files, version, work)
        if rehearse:
            target = root / f"dist/{version}-rehearsal"
            shutil.rmtree(target, ignore_errors=True)
            shutil.copytree(built, target)
            return target
        publish(root, clone, version, built)
    return root / f"dist/{version}"


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("version", help="MAJOR.MINOR.PATCH")
    parser.add_argument("--rehearse", action="store_true", help="no commit and no tag")
    options = parser.parse_args()
    try:
        folder = release(ROOT, options.version, options.rehearse)
    except ReleaseError as error:
        print(f"no release: {error}", file=sys.stderr)
        return 1
    print((folder / "SHA256SUMS").read_text(encoding="utf-8"), end="")
    if options.rehearse:
        print(f"rehearsed with a local index: {folder}; nothing was committed or tagged")
    else:
        print(f"released: {folder}; next: git push origin main v{options.version}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
