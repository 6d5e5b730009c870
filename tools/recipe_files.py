# SPDX-License-Identifier: Apache-2.0
"""What the recipes in ``packaging/`` say, compared with the project; what a release writes there.

`release.py` writes the version and, once the source package is built, its digests. The source
package leaves ``packaging/`` out, so that its own digest can stand there.
"""

from __future__ import annotations

import hashlib
import pathlib
import re

from release_artefacts import replaced

CONDA = "packaging/conda-forge/recipe.yaml"
VCPKG, PORTFILE = "packaging/vcpkg/vcpkg.json", "packaging/vcpkg/portfile.cmake"
DEBIAN = "packaging/debian"
#: Where the version stands.
VERSIONS = {
    CONDA: r"(?<=^  version: )[0-9.]+$",
    VCPKG: r'(?<=^  "version": ")[0-9.]+(?=",$)',
    f"{DEBIAN}/changelog": r"(?<=^nttforge \()[0-9.]+(?=-1\) )",
}
#: Where a digest of the source package stands. It has zeros until a release has built one.
DIGESTS = {
    CONDA: ("sha256", r'(?<=^  sha256: ")[0-9a-f]{64}(?="$)'),
    PORTFILE: ("sha512", r"(?<=^    SHA512 )[0-9a-f]{128}$"),
}
#: How Debian names what pyproject.toml asks for.
DEBIAN_NAMES = {
    "scikit-build-core": ("python3-scikit-build-core",),
    "nanobind": ("nanobind-dev", "python3-nanobind"),
    "cmake": ("cmake",),
}


def read(root: pathlib.Path, name: str) -> str:
    return (root / name).read_text(encoding="utf-8")


def _write(root: pathlib.Path, name: str, pattern: str, new: str) -> None:
    text = replaced(read(root, name), pattern, new, name)
    (root / name).write_text(text, encoding="utf-8")


def write_version(root: pathlib.Path, version: str, stamp: str) -> None:
    """Writes a version into the recipes, and zeros for the digests of what is not yet built.

    Parameters
    ----------
    root : Path
        The repository.
    version : str
        MAJOR.MINOR.PATCH.
    stamp : str
        The time as RFC 5322 has it, for Debian's changelog.
    """
    for name, pattern in VERSIONS.items():
        _write(root, name, pattern, version)
    _write(root, f"{DEBIAN}/changelog", r"(?<=>  )\w{3}, .*$", stamp)
    for name, (kind, pattern) in DIGESTS.items():
        _write(root, name, pattern, "0" * (2 * hashlib.new(kind).digest_size))


def write_digests(root: pathlib.Path, archive: pathlib.Path) -> None:
    """Writes the digests of the source package into the recipes."""
    for name, (kind, pattern) in DIGESTS.items():
        _write(root, name, pattern, hashlib.new(kind, archive.read_bytes()).hexdigest())


def digest_problems(root: pathlib.Path, archive: pathlib.Path | None = None) -> list[str]:
    """What is wrong with the digests: all zeros, or none; if an archive is given, its own."""
    found = []
    for name, (kind, pattern) in DIGESTS.items():
        stated = re.findall(pattern, read(root, name), re.M)
        if len(stated) != 1:
            found.append(f"{name}: a digest {kind} must stand there once, not {len(stated)} times")
        elif archive and stated[0] != hashlib.new(kind, archive.read_bytes()).hexdigest():
            found.append(f"{name}: the {kind} is not that of {archive.name}")
        else:
            found.append("" if stated[0].strip("0") else "zeros")
    problems = [text for text in found if text not in ("", "zeros")]
    if not problems and len(set(found)) > 1:
        problems.append("some recipes have a digest, others zeros: a release writes all of them")
    return problems


def _version_problems(root: pathlib.Path) -> list[str]:
    version = re.findall(
        r"^project\(nttforge VERSION ([0-9.]+)", read(root, "CMakeLists.txt"), re.M
    )
    problems = []
    for name, pattern in VERSIONS.items():
        if (stated := re.findall(pattern, read(root, name), re.M)) != version:
            problems.append(f"{name}: version {stated}, but CMakeLists.txt has {version}")
    return problems


def requirements(root: pathlib.Path) -> dict[str, str]:
    """What pyproject.toml needs to build and to run, for every system and Python: name, range."""
    text = read(root, "pyproject.toml")
    found: dict[str, str] = {}
    for name in ("requires", "dependencies"):
        (part,) = re.findall(rf"^{name} = \[(.*?)\]$", text, re.M | re.S)
        found.update(re.findall(r'"([a-z-]+)([<>=][0-9.,<>=]*)"', part))
    return found


def _range_problems(root: pathlib.Path) -> list[str]:
    conda, control = read(root, CONDA), read(root, f"{DEBIAN}/control")
    problems = []
    for name, allowed in requirements(root).items():
        stated = re.findall(rf"^ +- {re.escape(name)}(?: (\S+))?$", conda, re.M)
        without = {"", allowed} if name in ("cmake", "ninja") else {allowed}  # in tests, any
        if allowed not in stated or not set(stated) <= without:
            problems.append(f"{CONDA}: {name} {stated}, but pyproject.toml has {allowed}")
        least = re.findall(r">=([0-9.]+)", allowed)
        for package in DEBIAN_NAMES.get(name, ()):
            if re.findall(rf"^ {re.escape(package)} \(>= ([0-9.]+)\),$", control, re.M) != least:
                problems.append(f"{DEBIAN}/control: {package} must be (>= {least[0]})")
    return problems


def _text_problems(root: pathlib.Path) -> list[str]:
    """Licence and description are those of pyproject.toml."""
    project = read(root, "pyproject.toml")
    (licence,) = re.findall(r'^license = "(.*)"$', project, re.M)
    (description,) = re.findall(r'^description = "(.*)"$', project, re.M)
    (homepage,) = re.findall(r'^Homepage = "(.*)"$', project, re.M)
    stated = {
        CONDA: (r"^ +license: (.*)$", licence),
        VCPKG: (r'^  "license": "(.*)",$', licence),
        f"{DEBIAN}/copyright": (r"^License: (.*)$", licence),
        f"{CONDA} ": (r"^  summary: (.*)$", description),
        f"{VCPKG} ": (r'^  "description": "(.*)",$', description),
        f"{CONDA}  ": (r"^  homepage: (.*)$", homepage),
        f"{VCPKG}  ": (r'^  "homepage": "(.*)",$', homepage),
        f"{DEBIAN}/control": (r"^Homepage: (.*)$", homepage),
    }
    problems = []
    for name, (pattern, wanted) in stated.items():
        if set(found := re.findall(pattern, read(root, name.strip()), re.M)) != {wanted}:
            problems.append(f"{name.strip()}: {found}, but pyproject.toml has {wanted!r}")
    return problems


def installed(root: pathlib.Path) -> set[str]:
    """What the C++ library installs, by the lists of cmake/install.cmake and cmake/hexl.cmake."""
    headers: set[str] = set()
    for kind in ("PUBLIC", "INCLUDED"):
        text = read(root, "cmake/install.cmake")
        (part,) = re.findall(rf"set\(NTTFORGE_{kind}_HEADERS\s([^)]*)\)", text)
        headers |= {f"include/nttforge/{name}" for name in part.split()}
    (part,) = re.findall(r"set\(NTTFORGE_HEXL_PATHS\s([^)]*)\)", read(root, "cmake/hexl.cmake"))
    headers |= {f"include/nttforge-hexl/hexl/{name}" for name in part.split()}
    configs = {
        "lib/cmake/nttforge/nttforgeConfig.cmake",
        "lib/cmake/nttforge-hexl/HEXLConfig.cmake",
    }
    return headers | configs | {"lib/libnttforge.a"}


def _file_problems(root: pathlib.Path) -> list[str]:
    """Files that a recipe names are installed, or stand in the repository; options exist."""
    conda = read(root, CONDA)
    named = set(re.findall(r"^ +- ((?:include|lib)/\S+)$", conda, re.M))
    problems = [f"{CONDA}: {name} is not installed" for name in sorted(named - installed(root))]
    for header in ("nttforge/nttforge.h", "nttforge/ntt/plan.hpp", "nttforge/bfv/bfv.hpp"):
        if f"include/{header}" not in named:
            problems.append(f"{CONDA}: the test must look for include/{header}")
    files = set(re.findall(r"^ +- (LICENSE|NOTICE|licenses/\S+)$", conda, re.M))
    files |= set(re.findall(r"\$\{SOURCE_PATH\}/([\w/.-]+)", read(root, PORTFILE)))
    for path in (root / DEBIAN).glob("*.docs"):
        files |= set(path.read_text(encoding="utf-8").split())
    problems += [
        f"a recipe names {name}, which is not there"
        for name in sorted(files)
        if not (root / name).is_file()
    ]
    if missing := {"LICENSE", "NOTICE"} - files:
        problems.append(f"no recipe gives its users {sorted(missing)}")
    known = "".join(
        read(root, f"{name}")
        for name in ("CMakeLists.txt", "cmake/cuda.cmake", "python/bindings/CMakeLists.txt")
    )
    for name in (CONDA, PORTFILE, f"{DEBIAN}/rules"):
        for option in re.findall(r"\b(NTTFORGE_[A-Z]+)=", read(root, name)):
            if not re.search(rf"(?:option|set)\({option}\b", known):
                problems.append(f"{name}: CMake has no option {option}")
    return problems


def problems(root: pathlib.Path) -> list[str]:
    """In what the recipes differ from the project, in sentences."""
    checks = (_version_problems, digest_problems, _range_problems, _text_problems, _file_problems)
    return [text for check in checks for text in check(root)]
