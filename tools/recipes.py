# SPDX-License-Identifier: Apache-2.0
"""Check the recipes of other package managers, each by its own tool: ``make recipes``.

  make recipes
  make recipes RECIPES_ARGS="--build"
  make recipes RECIPES_ARGS="--build --chroot FOLDER debian"
  python tools/recipes.py --source dist

First the recipes are compared with the project (`recipe_files.problems`). Then a source package is
built and its digests are written into a copy of the recipes, as a release does, in
``build/recipes``. Each linter that is installed reads that copy; a missing one is named, with a
sentence on how to get it. ``--build`` also builds what can be built without a network: vcpkg's port
and Debian's packages. Debian's recipe is for unstable; ``--chroot`` names a folder with such a
system, made by debootstrap, in which Debian's tools then run (as root). ``--source`` only builds
the source package into a folder and, for the commit of a release, compares its digests.
"""

from __future__ import annotations

import argparse
import functools
import importlib
import importlib.metadata
import os
import pathlib
import re
import shutil
import sys
from collections.abc import Callable
from dataclasses import dataclass

import programs
import recipe_files
from release_artefacts import source_package, unpack

ROOT = pathlib.Path(__file__).resolve().parent.parent
WORK = ROOT / "build" / "recipes"
TRIPLET = "x64-linux-release"
VCPKG = {"VCPKG_DISABLE_METRICS": "1", "VCPKG_FORCE_SYSTEM_BINARIES": "1"}
#: What conda-forge's pinned variants give a recipe of C++ and Python, and for which platforms.
PLATFORMS = ("linux-64", "linux-aarch64", "osx-64", "osx-arm64", "win-64")
VARIANTS = """
python: ["3.10.* *_cpython", "3.11.* *_cpython", "3.12.* *_cpython", "3.13.* *_cp313"]
c_compiler: [gcc]
cxx_compiler: [gxx]
c_stdlib: [sysroot]
c_stdlib_version: ["2.17"]
"""


class RecipeError(Exception):
    """A finding."""


class Missing(Exception):
    """A sentence on which tool is missing and how to get it."""


output = functools.partial(programs.output, RecipeError)


@dataclass(frozen=True)
class Job:
    """What a check gets: the filled recipes, the source package, and the options."""

    recipes: pathlib.Path
    archive: pathlib.Path
    version: str
    build: bool
    chroot: pathlib.Path | None


def program(name: str, remedy: str) -> str:
    if (found := shutil.which(name)) is None:
        raise Missing(f"{name} is not installed: {remedy}")
    return found


def conda_smithy(job: Job) -> str:
    """conda-forge's linter; a suggestion counts as a finding."""
    tool = program(
        "conda-smithy",
        "`conda install -c conda-forge conda-smithy` (PyPI has an empty package of this name)",
    )
    said = output([tool, "recipe-lint", job.recipes / "conda-forge"], ROOT)
    if "is in fine form" not in said:
        raise RecipeError(said)
    return f"conda-smithy {output([tool, '--version'], ROOT).split()[-1]}: in fine form"


def rattler_build(job: Job) -> str:
    """Renders the recipe; the Pythons must be 3.10, 3.11 and 3.12, and none on Windows."""
    try:
        rattler = importlib.import_module("rattler_build")
        tools = importlib.import_module("rattler_build.tool_config")
    except ImportError:
        raise Missing(
            "rattler_build is not installed: pip install -r requirements-recipes.txt"
        ) from None
    variants = rattler.VariantConfig.from_yaml(VARIANTS)
    count = 0
    for platform in PLATFORMS:
        config = rattler.RenderConfig(platform=tools.PlatformConfig(target_platform=platform))
        try:
            recipe = rattler.Stage0Recipe.from_file(str(job.recipes / "conda-forge/recipe.yaml"))
            rendered = recipe.render(variants, config)
        except rattler.RattlerBuildError as error:
            raise RecipeError(str(error)) from None
        count += len(rendered)
        pythons = [
            str(one.variant.get("python"))[:4]
            for one in rendered
            if one.recipe.package.name == "nttforge"
        ]
        libraries = [o for o in rendered if o.recipe.package.name == "libnttforge-static"]
        wanted = [] if platform.startswith("win") else ["3.10", "3.11", "3.12"]
        if sorted(pythons) != wanted or bool(libraries) != bool(wanted):
            raise RecipeError(f"{platform}: packages for Python {pythons}, expected {wanted}")
    version = importlib.metadata.version("py-rattler-build")
    return f"rattler-build {version}: {count} packages rendered for {len(PLATFORMS)} platforms"


def vcpkg(job: Job) -> str:
    """The manifest is as vcpkg itself writes it; with --build the port is built and used."""
    remedy = "clone vcpkg, run its bootstrap program, set VCPKG_ROOT to it and add it to PATH"
    tool = program("vcpkg", remedy)
    if "VCPKG_ROOT" not in os.environ:
        raise Missing(f"VCPKG_ROOT is not set: {remedy}")
    version = re.findall(r"version (\S+)", output([tool, "version"], ROOT, **VCPKG))[0]
    manifest = job.recipes / "vcpkg/vcpkg.json"
    before = manifest.read_text(encoding="utf-8")
    output([tool, "format-manifest", manifest], ROOT, **VCPKG)
    if manifest.read_text(encoding="utf-8") != before:
        raise RecipeError(f"vcpkg format-manifest changes vcpkg.json; its own is {manifest}")
    if not job.build:
        return f"vcpkg {version}: the manifest is as format-manifest writes it"
    work = WORK / "vcpkg"
    downloads = work / "downloads"
    downloads.mkdir(parents=True, exist_ok=True)
    shutil.copy(job.archive, downloads)
    words: list[str | pathlib.Path] = [tool, "install", f"nttforge:{TRIPLET}"]
    words += [f"--overlay-ports={job.recipes / 'vcpkg'}", f"--downloads-root={downloads}"]
    words += [f"--x-{name}-root={work / name}" for name in ("install", "buildtrees", "packages")]
    words += ["--binarysource=clear", "--enforce-port-checks", f"--host-triplet={TRIPLET}"]
    said = output(words, ROOT, log=work / "install.log", **VCPKG)
    if "warning" in said.lower():
        raise RecipeError(said)
    prefix = work / "install" / TRIPLET
    require_headers("\n".join(path.as_posix() for path in prefix.rglob("*.h*")))
    use(prefix, work)
    return f"vcpkg {version}: manifest formatted, port built, used by C++20, C99 and HEXL's users"


def require_headers(there: str) -> None:
    """Raises RecipeError unless a list of installed files has every header of the library."""
    names = recipe_files.installed(ROOT)
    if lacking := [n for n in sorted(names) if n.startswith("include/") and f"/{n}" not in there]:
        raise RecipeError(f"{len(lacking)} headers are not installed, e.g. {lacking[0]}")


def use(prefix: pathlib.Path, work: pathlib.Path) -> None:
    """Projects of C++20, C99 and HEXL's interface find the library, and their programs run."""
    hexl = f"-DHEXL_DIR={prefix}/share/nttforge-hexl"
    for name, project in (("consumer", ""), ("c_consumer", "c"), ("hexl_consumer", "hexl")):
        build = work / f"use-{name}"
        shutil.rmtree(build, ignore_errors=True)
        source = ROOT / "tests/consumer" / project
        found = [f"-DCMAKE_PREFIX_PATH={prefix}", *([hexl] if "hexl" in name else [])]
        output(["cmake", "-S", source, "-B", build, "-G", "Ninja", *found], ROOT)
        output(["cmake", "--build", build], ROOT)
        output([build / name], ROOT)


def debian(job: Job) -> str:
    """Lintian on the source package, with --build on what it builds too."""
    folder = WORK / "debian"
    enter: list[str] = []
    if job.chroot is not None:
        folder = job.chroot / "build/nttforge-recipes"
        enter = ["chroot", str(job.chroot)]
    inside = pathlib.Path("/build/nttforge-recipes") if job.chroot is not None else folder

    def run(*words: str) -> str:
        command = f"cd {inside}/nttforge-{job.version} && {' '.join(words)}"
        log = WORK / f"debian-{words[0]}.log"
        return output([*enter, "sh", "-c", command], ROOT, log=log, LC_ALL="C.UTF-8")

    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    shutil.copy(job.archive, folder / f"nttforge_{job.version}.orig.tar.gz")
    shutil.copytree(job.recipes / "debian", unpack(job.archive, folder) / "debian")
    for needed in ("lintian", "dpkg-buildpackage"):
        try:
            run("command", "-v", needed)
        except RecipeError:
            place = "this machine" if job.chroot is None else job.chroot
            raise Missing(
                f"{needed} is not installed on {place}: apt-get install lintian dpkg-dev debhelper"
            ) from None
    run("dpkg-buildpackage", "-us", "-uc", *([] if job.build else ["-S", "-d", "-nc"]))
    # The changelog says UNRELEASED until somebody uploads the package.
    tags = ["--suppress-tags", "unreleased-changes"]
    found = run("lintian", "--fail-on", "error,warning", "--info", *tags, "../*.changes")
    version = run("lintian", "--version")
    what = "source and binary packages" if job.build else "source package"
    lines = [line for line in found.splitlines() if re.match(r"[EW]: ", line)]
    if lines:
        raise RecipeError("\n".join(lines))
    if job.build:
        require_headers(run("dpkg-deb", "--contents", f"../libnttforge-dev_{job.version}-1_*.deb"))
    return f"{version}: no error and no warning in the {what}"


#: Checks by recipe.
CHECKS: dict[str, tuple[Callable[[Job], str], ...]] = {
    "conda-forge": (conda_smithy, rattler_build),
    "vcpkg": (vcpkg,),
    "debian": (debian,),
}


def filled_recipes() -> tuple[pathlib.Path, pathlib.Path]:
    """A copy of packaging/ with the digests of a source package, and that source package."""
    shutil.rmtree(WORK / "filled", ignore_errors=True)
    shutil.rmtree(WORK / "source", ignore_errors=True)
    archive = source_package(ROOT, WORK / "source")
    copy = WORK / "filled/packaging"
    shutil.copytree(ROOT / "packaging", copy)
    recipe_files.write_digests(copy.parent, archive)
    return copy, archive


def compare_source(folder: pathlib.Path) -> int:
    """Builds the source package; a release's recipes must have its digests."""
    archive = source_package(ROOT, folder)
    version = archive.name.removeprefix("nttforge-").removesuffix(".tar.gz")
    tags = output(["git", "tag", "--points-at", "HEAD"], ROOT).split()
    if f"v{version}" not in tags:
        print(f"{archive}: this commit is no release; the digests were not compared")
        return 0
    problems = recipe_files.digest_problems(ROOT, archive)
    print("\n".join(problems) or f"{archive}: the recipes have its digests")
    return 1 if problems else 0


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("names", nargs="*", metavar="RECIPE", help=f"of {', '.join(CHECKS)}")
    parser.add_argument("--build", action="store_true", help="build what can be built here")
    parser.add_argument("--chroot", type=pathlib.Path, help="a Debian unstable for Debian's tools")
    parser.add_argument("--source", type=pathlib.Path, help="only write the source package there")
    options = parser.parse_args()
    if unknown := set(options.names) - set(CHECKS):
        parser.error(f"no recipe {sorted(unknown)}: there are {', '.join(CHECKS)}")
    if options.source is not None:
        return compare_source(options.source)
    problems = recipe_files.problems(ROOT)
    print("\n".join(problems) or "the recipes say what CMakeLists.txt and pyproject.toml say")
    recipes, archive = filled_recipes()
    version = archive.name.removeprefix("nttforge-").removesuffix(".tar.gz")
    job = Job(recipes, archive, version, options.build, options.chroot)
    failed = bool(problems)
    for name in options.names or CHECKS:
        for check in CHECKS[name]:
            try:
                print(f"{name}: {check(job)}", flush=True)
            except Missing as missing:
                print(f"{name}: NOT CHECKED: {missing}", flush=True)
            except RecipeError as error:
                failed = True
                print(f"{name}: FAILED: {error}", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
