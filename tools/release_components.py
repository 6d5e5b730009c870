# SPDX-License-Identifier: Apache-2.0
"""The list of what a release consists of and needs: CycloneDX 1.5 as JSON (an SBOM).

Written from the files of the release alone, so that the same files give the same bytes: the
packages with their digests, what each package needs when it runs (its metadata), and the tools that
built it, with the versions and digests of requirements-dev.txt.
"""

from __future__ import annotations

import datetime
import hashlib
import json
import pathlib
import re
import uuid
from collections.abc import Mapping, Sequence
from typing import Any

import release_artefacts as artefacts

#: What pyproject.toml asks for to build, beside which requirements-dev.txt has the versions.
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
        hashes = [{"alg": "SHA-256", "content": artefacts.digest(file)}]
        parts.append({"type": "file", "bom-ref": file.name, "name": file.name, "hashes": hashes})
    runs = []
    for need in sorted(needs):
        name = re.match(r"[A-Za-z0-9._-]+", need)
        if name is None:
            raise artefacts.ReleaseError(f"{need!r} names no package")
        said = [{"name": "nttforge:needs", "value": need}]
        runs.append({**_component(name[0].lower(), None, "required"), "properties": said})
    builds = []
    for name in BUILDERS:
        if name not in tools:
            raise artefacts.ReleaseError(f"requirements-dev.txt has no {name} with digests")
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


def write(
    files: Sequence[pathlib.Path], folder: pathlib.Path, clone: pathlib.Path, version: str
) -> None:
    """``sbom.cdx.json`` beside the files of a release."""
    wheels = [file for file in files if file.suffix == ".whl"]
    needs = sorted({need for wheel in wheels for need in artefacts.requirements(wheel)})
    tools = pinned((clone / "requirements-dev.txt").read_text(encoding="utf-8"))
    text = components(files, needs, tools, version, int(artefacts.commit_time(clone)))
    (folder / "sbom.cdx.json").write_text(text, encoding="utf-8")
