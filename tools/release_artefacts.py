# SPDX-License-Identifier: Apache-2.0
"""What a release consists of: source packages, wheels, digests, provenance, and a trial of them.

`release.py` calls these functions, each on a clone that holds the commit of the release.
"""

from __future__ import annotations

import contextlib
import datetime
import functools
import hashlib
import html
import http.server
import json
import os
import pathlib
import platform
import re
import shutil
import sys
import tarfile
import threading
import uuid
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import programs

#: The folders of what a release consists of: nttforge and the others.
PROJECTS = (
    ".",
    "packages/oracle",
    "packages/hardware",
    "packages/cluster",
    "packages/compilers",
    "packages/demo",
    "packages/he",
    "packages/seal",
    "packages/serve",
)
BUILD_TYPE = "https://github.com/nttforge/nttforge/blob/main/docs/versioning.md#making-a-release"
SOURCE = "https://github.com/nttforge/nttforge"


class ReleaseError(Exception):
    """A sentence on why there is no release."""


#: What a program prints; a ReleaseError with its last lines where it fails.
output = functools.partial(programs.output, ReleaseError)


def replaced(text: str, pattern: str, new: str, name: str) -> str:
    """``text`` with the only match of a pattern replaced."""
    found = re.findall(pattern, text, re.M)
    if len(found) != 1:
        raise ReleaseError(f"{name}: {pattern!r} stands {len(found)} times instead of once")
    return re.sub(pattern, lambda _: new, text, flags=re.M)


def commit_time(clone: pathlib.Path) -> str:
    """Seconds of the commit, which stand for the time of the build in all that is built."""
    return output(["git", "log", "-1", "--format=%ct"], clone)


def source_package(clone: pathlib.Path, folder: pathlib.Path, project: str = ".") -> pathlib.Path:
    """The source package of a clone: the same bytes wherever this is called on one commit.

    ``project`` is the folder of its pyproject.toml.
    """
    folder.mkdir(parents=True, exist_ok=True)
    hook = "import sys; from scikit_build_core.build import build_sdist as b; print(b(sys.argv[1]))"
    words = [sys.executable, "-c", hook, str(folder.resolve())]
    said = output(words, clone / project, SOURCE_DATE_EPOCH=commit_time(clone))
    return folder / said.splitlines()[-1]


def unpack(archive: pathlib.Path, folder: pathlib.Path) -> pathlib.Path:
    """The one folder of a source package, unpacked into ``folder``."""
    with tarfile.open(archive) as tar:
        if hasattr(tarfile, "data_filter"):
            tar.extraction_filter = tarfile.data_filter
        tar.extractall(folder)
    return folder / archive.name.removesuffix(".tar.gz")


def build(clone: pathlib.Path, folder: pathlib.Path) -> list[pathlib.Path]:
    """The source package of each project of a clone, and the wheel that comes from it."""
    return [path for project in PROJECTS for path in _built(clone, folder, project)]


def _built(clone: pathlib.Path, folder: pathlib.Path, project: str) -> list[pathlib.Path]:
    archive = source_package(clone, folder, project)
    unpacked = folder / "unpacked"
    source = unpack(archive, unpacked)
    words = ["-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation"]
    options = ["-Ccmake.define.NTTFORGE_CUDA=OFF", "--wheel-dir", str(folder), "."]
    output([sys.executable, *words, *options], source, SOURCE_DATE_EPOCH=commit_time(clone))
    shutil.rmtree(unpacked)
    (wheel,) = folder.glob(f"{archive.name.split('-')[0]}-*.whl")
    return [archive, wheel]


def digest(path: pathlib.Path) -> str:
    """SHA-256 of a file in hexadecimal digits."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def provenance(files: Sequence[pathlib.Path], clone: pathlib.Path, version: str) -> str:
    """An in-toto statement with SLSA's predicate: what was built, from which commit, by what."""
    commit = output(["git", "rev-parse", "HEAD"], clone)
    compiler = os.environ.get("CXX", "c++")
    versions = {
        "python": platform.python_version(),
        "compiler": output([compiler, "--version"], clone).splitlines()[0],
        "cmake": output(["cmake", "--version"], clone).splitlines()[0],
        "git": output(["git", "--version"], clone),
        "system": platform.platform(),
    }
    statement = {
        "_type": "https://in-toto.io/Statement/v1",
        "subject": [{"name": f.name, "digest": {"sha256": digest(f)}} for f in files],
        "predicateType": "https://slsa.dev/provenance/v1",
        "predicate": {
            "buildDefinition": {
                "buildType": BUILD_TYPE,
                "externalParameters": {"command": f"make release VERSION={version}"},
                "internalParameters": {
                    "versions": versions,
                    "SOURCE_DATE_EPOCH": int(commit_time(clone)),
                },
                "resolvedDependencies": [
                    {"uri": f"git+{SOURCE}", "digest": {"gitCommit": commit}},
                ],
            },
            "runDetails": {"builder": {"id": f"{SOURCE}/blob/main/tools/release.py"}},
        },
    }
    return json.dumps(statement, indent=1) + "\n"


def write_statements(
    files: Sequence[pathlib.Path], folder: pathlib.Path, clone: pathlib.Path, version: str
) -> None:
    """SHA256SUMS, as sha256sum --check reads them, and the provenance, beside the files."""
    lines = "".join(f"{digest(file)}  {file.name}\n" for file in files)
    (folder / "SHA256SUMS").write_text(lines, encoding="utf-8")
    text = provenance(files, clone, version)
    (folder / "provenance.intoto.json").write_text(text, encoding="utf-8")


@contextlib.contextmanager
def index(files: Sequence[pathlib.Path], folder: pathlib.Path) -> Iterator[str]:
    """Serve files as a package index (PEP 503) on 127.0.0.1; yields the address."""
    for file in files:
        project = folder / "simple" / file.name.split("-")[0].replace("_", "-")
        project.mkdir(parents=True, exist_ok=True)
        shutil.copy(file, project)
        name = html.escape(file.name)
        with (project / "index.html").open("a", encoding="utf-8") as page:
            page.write(f'<a href="{name}#sha256={digest(file)}">{name}</a>\n')

    class Quiet(http.server.SimpleHTTPRequestHandler):
        def log_message(self, format: str, *_: object) -> None:
            pass

    handler = functools.partial(Quiet, directory=str(folder))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield f"http://127.0.0.1:{server.server_address[1]}/simple"
        finally:
            server.shutdown()


def requirements(wheel: pathlib.Path) -> list[str]:
    """What a wheel needs without any extra, beside what is released with it."""
    with zipfile.ZipFile(wheel) as archive:
        (name,) = (n for n in archive.namelist() if n.endswith(".dist-info/METADATA"))
        text = archive.read(name).decode()
    found = re.findall(r"^Requires-Dist: (.+)$", text, re.M)
    return [need for need in found if "extra ==" not in need and not need.startswith("nttforge")]


def try_out(files: Sequence[pathlib.Path], version: str, folder: pathlib.Path) -> None:
    """Install the wheels from a local index into a new environment and run them there."""
    environment = folder / "environment"
    output([sys.executable, "-m", "venv", str(environment)], folder)
    pip = [str(environment / "bin/pip"), "--disable-pip-version-check", "install", "--quiet"]
    needs = {need for file in files if file.suffix == ".whl" for need in requirements(file)}
    output([*pip, *sorted(needs)], folder)
    with index(files, folder / "index") as address:
        # Nothing but the local index is asked for nttforge, whatever the user's settings say.
        options = ["--no-cache-dir", "--only-binary", ":all:", "--index-url", address]
        alone = {"PIP_EXTRA_INDEX_URL": "", "PIP_FIND_LINKS": "", "PIP_NO_INDEX": "0"}
        wanted = [f"nttforge=={version}", f"nttforge-hardware=={version}"]
        output([*pip, *options, *wanted], folder, **alone)
    command = str(environment / "bin/nttforge")
    said = output([command, "--version"], folder)
    if said != f"nttforge {version}":
        raise ReleaseError(f"the installed wheel says {said!r} instead of nttforge {version}")
    output([command, "selftest"], folder)
    output([command, "rtl", "generate", "--n", "64", "--dp", "4", "--pp", "1"], folder)


#: What pyproject.toml asks for to build, beside which requirements-build.txt has the versions.
BUILDERS = ("cmake", "nanobind", "ninja", "scikit-build-core")
_PINNED = re.compile(r"^([a-z0-9-]+)==([^\s;\\]+)((?: *;[^\\\n]*)?)((?: *\\\n +--hash=\S+)+)", re.M)


def pinned(text: str) -> dict[str, tuple[str, list[str]]]:
    """Name -> version and SHA-256 digests of a file of pip with digests; rows without a marker."""
    return {
        name: (version, re.findall(r"sha256:([0-9a-f]{64})", hashes))
        for name, version, marker, hashes in _PINNED.findall(text)
        if not marker.strip()
    }


def _component(name: str, version: str | None, scope: str) -> dict[str, Any]:
    at = f"@{version}" if version else ""
    found = {"type": "library", "bom-ref": f"{scope}:{name}", "name": name}
    if version:
        found["version"] = version
    return {**found, "purl": f"pkg:pypi/{name}{at}", "scope": scope}


def components(
    files: Sequence[pathlib.Path],
    needs: Sequence[str],
    tools: Mapping[str, tuple[str, list[str]]],
    version: str,
    time: int,
) -> str:
    """The document.

    files: packages of the release; needs: what they need when they run, as in "numpy>=1.24,<3";
    tools: what built them, as ``pinned`` gives it; time: seconds of the release's commit.
    """  # fmt: skip
    own = {
        "type": "library",
        "bom-ref": "nttforge",
        "name": "nttforge",
        "version": version,
        "purl": f"pkg:pypi/nttforge@{version}",
        "licenses": [{"license": {"id": "Apache-2.0"}}],
    }
    parts: list[dict[str, Any]] = []
    for file in files:
        hashes = [{"alg": "SHA-256", "content": digest(file)}]
        parts.append({"type": "file", "bom-ref": file.name, "name": file.name, "hashes": hashes})
    runs = []
    for need in sorted(needs):
        name = re.match(r"[A-Za-z0-9._-]+", need)
        if name is None:
            raise ReleaseError(f"{need!r} names no package")
        said = [{"name": "nttforge:needs", "value": need}]
        runs.append({**_component(name[0].lower(), None, "required"), "properties": said})
    builds = []
    for name in BUILDERS:
        if name not in tools:
            raise ReleaseError(f"requirements-build.txt has no {name} with digests")
        number, digests = tools[name]
        said = [{"name": "nttforge:sha256", "value": value} for value in digests]
        builds.append({**_component(name, number, "excluded"), "properties": said})
    whole = hashlib.sha256("".join(p["hashes"][0]["content"] for p in parts).encode()).digest()
    made = datetime.datetime.fromtimestamp(time, datetime.timezone.utc)
    document = {
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "serialNumber": f"urn:uuid:{uuid.UUID(bytes=whole[:16], version=4)}",
        "version": 1,
        "metadata": {"timestamp": made.strftime("%Y-%m-%dT%H:%M:%SZ"), "component": own},
        "components": [*parts, *runs, *builds],
        "dependencies": [
            {"ref": "nttforge", "dependsOn": [c["bom-ref"] for c in runs]},
            *({"ref": part["bom-ref"], "dependsOn": []} for part in [*parts, *runs, *builds]),
        ],
    }
    return json.dumps(document, indent=1) + "\n"


def write_components(
    files: Sequence[pathlib.Path], folder: pathlib.Path, clone: pathlib.Path, version: str
) -> None:
    """``sbom.cdx.json`` beside the files of a release."""
    wheels = [file for file in files if file.suffix == ".whl"]
    needs = sorted({need for wheel in wheels for need in requirements(wheel)})
    tools = pinned((clone / "requirements-build.txt").read_text(encoding="utf-8"))
    text = components(files, needs, tools, version, int(commit_time(clone)))
    (folder / "sbom.cdx.json").write_text(text, encoding="utf-8")
