# SPDX-License-Identifier: Apache-2.0
"""Build, check and try the wheels for Linux: ``make wheels``.

Zig's compiler builds the C++ library once per platform against glibc 2.28, then the Python module
once per Python: 3.10, 3.11, and 3.12, whose wheel keeps to the stable ABI and serves all later
versions. auditwheel names each wheel by what it finds in it. The wheels of packages/ serve every
Python and system; their source packages lie beside them. ``--try`` installs each in a new
environment of its own Python, which has nothing else, and runs it there. The results stand in
``bench/results/platforms/``, from which ``tools/platforms.py`` makes a table.
"""

from __future__ import annotations

import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys
import time
import zipfile
from collections.abc import Sequence

import aarch64_python
import programs
from platforms import PYTHONS, STABLE, record
from release_artefacts import ReleaseError, commit_time, source_package

ROOT = pathlib.Path(__file__).resolve().parent.parent
WORK = ROOT / "build" / "wheels"
GLIBC = "2_28"
MACHINES = ("x86_64", "aarch64")
#: Packages that have nothing to compile.
OF_PYTHON = sorted(path.name for path in (ROOT / "packages").iterdir())
LARGEST_BYTES = 4_000_000


class WheelError(Exception):
    """A sentence on why there is no wheel."""


def told(text: str) -> None:
    print(f"[{time.strftime('%H:%M:%S')}] {text}", flush=True)


def run(
    words: Sequence[str | pathlib.Path],
    log: pathlib.Path,
    folder: pathlib.Path = ROOT,
    **variables: str,
) -> str:
    """What a program prints, which ``log`` keeps; its last lines are in the error if it fails."""
    return programs.output(WheelError, words, folder, log=log, **variables)


def python_of(version: str) -> pathlib.Path | None:
    """A Python of this version with C headers, from PYTHON310=..., PATH or pyenv."""
    named = os.environ.get(f"PYTHON{version.replace('.', '')}")
    pyenv = pathlib.Path(os.environ.get("PYENV_ROOT", "~/.pyenv")).expanduser()
    found = [named, shutil.which(f"python{version}"), sys.executable]
    found += sorted(map(str, pyenv.glob(f"versions/{version}.*/bin/python")), reverse=True)
    version_of = "'%d.%d' % sys.version_info[:2]"
    asked = f"import sys, sysconfig; print({version_of}, sysconfig.get_path('include'))"
    for candidate in filter(None, found):
        done = subprocess.run(
            [candidate, "-c", asked], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        )
        words = done.stdout.split(maxsplit=1)
        headers = pathlib.Path(words[-1].strip() if words else "") / "Python.h"
        if words[:1] == [version] and headers.exists():
            return pathlib.Path(candidate)
    return None


def environment(python: pathlib.Path, tag: str) -> pathlib.Path:
    """The Python of an environment with what builds wheels."""
    folder = WORK / f"environment-{tag}"
    requirements = ROOT / "requirements-wheels.txt"
    ready = folder / ".ready"
    wanted = requirements.read_text()
    if not ready.exists() or ready.read_text() != wanted:
        shutil.rmtree(folder, ignore_errors=True)
        log = WORK / f"environment-{tag}.log"
        run([python, "-m", "venv", folder], log)
        pip = [folder / "bin" / "pip", "install", "--quiet", "--disable-pip-version-check"]
        run([*pip, "--require-hashes", "-r", requirements], log)
        ready.write_text(wanted)
    return folder / "bin" / "python"


def builders_found(
    all_wanted: bool,
) -> tuple[dict[str, pathlib.Path | None], dict[str, pathlib.Path]]:
    """Pythons by version, and for each tag the Python of an environment that builds its wheel."""
    found = {version: python_of(version) for row in PYTHONS.values() for version in row}
    pythons = {tag: next(filter(None, map(found.get, row)), None) for tag, row in PYTHONS.items()}
    missing = [tag for tag, python in pythons.items() if python is None]
    for tag in missing:
        name = PYTHONS[tag][0]
        variable = f"PYTHON{name.replace('.', '')}"
        told(f"{tag} is left out: no Python {name} with headers; {variable}=... names one")
    if len(missing) == len(pythons) or (missing and all_wanted):
        raise WheelError(f"no Python for {', '.join(missing)}")
    return found, {tag: environment(python, tag) for tag, python in pythons.items() if python}


def tools_of(builder: pathlib.Path) -> dict[str, str]:
    """Environment variables by which CMake finds the programs of a builder's environment."""
    path = f"{builder.parent}{os.pathsep}{os.environ['PATH']}"
    return {"PYTHON": str(builder), "PATH": path}


def jobs() -> str:
    return os.environ.get("CMAKE_BUILD_PARALLEL_LEVEL") or str(os.cpu_count() or 2)


def own_variables(**named: str) -> dict[str, str]:
    """CMake's variables that are this project's own."""
    return {f"NTTFORGE_{name}": value for name, value in named.items()}


def options(machine: str) -> dict[str, str]:
    """CMake's variables for everything of one platform."""
    return {
        "CMAKE_TOOLCHAIN_FILE": str(ROOT / "cmake" / "zig.cmake"),
        "CMAKE_BUILD_TYPE": "Release",
        **own_variables(
            ZIG_TARGET=f"{machine}-linux-gnu.{GLIBC.replace('_', '.')}",
            CUDA="OFF",
            PRECOMPILE="OFF",
            INSTALL="OFF",
        ),
    }


def library(machine: str, builder: pathlib.Path) -> pathlib.Path:
    """libnttforge.a for one platform."""
    folder = WORK / machine / "library"
    told(f"{machine}: the library")
    defined = [f"-D{name}={value}" for name, value in options(machine).items()]
    tools = tools_of(builder)
    log = WORK / machine / "library.log"
    run(["cmake", "-S", ROOT, "-B", folder, "-G", "Ninja", *defined], log, **tools)
    run(["cmake", "--build", folder, "--target", "nttforge", "-j", jobs()], log, **tools)
    return folder / "libnttforge.a"


def wheel(
    machine: str, tag: str, builder: pathlib.Path, archive: pathlib.Path, out: pathlib.Path
) -> pathlib.Path:
    """One wheel, named by auditwheel."""
    told(f"{machine}, {tag}: the module")
    raw = WORK / machine / f"raw-{tag}"
    tree = WORK / machine / tag
    defined = options(machine) | own_variables(PREBUILT=str(archive))
    variables = {
        **tools_of(builder),
        "_PYTHON_HOST_PLATFORM": f"linux-{machine}",
        "SOURCE_DATE_EPOCH": commit_time(ROOT),
    }
    if machine != MACHINES[0]:
        stubs = WORK / MACHINES[0] / tag / "python" / "nttforge" / "_core"
        if not stubs.is_dir():
            raise WheelError(f"{stubs} is missing: build {MACHINES[0]} too, for its type stubs")
        defined |= own_variables(STUBS=str(stubs))
        if tag != STABLE:
            version = tag.removeprefix("cp")
            variables["SETUPTOOLS_EXT_SUFFIX"] = f".cpython-{version}-{machine}-linux-gnu.so"
    words = [f"-Cbuild-dir={tree}", *(f"-Ccmake.define.{k}={v}" for k, v in defined.items()), "."]
    named = packed(builder, words, raw, machine, ROOT, **variables)
    checked(named)
    return kept(named, out, f"nttforge-*-{tag}-*_{machine}.whl")


def of_python(builder: pathlib.Path, out: pathlib.Path, name: str) -> pathlib.Path:
    """The wheel of a package of Python alone, with its source package beside it."""
    told(f"nttforge-{name}")
    raw = WORK / name
    shutil.rmtree(raw, ignore_errors=True)
    pip = [builder, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation", "-w", raw]
    made = {"SOURCE_DATE_EPOCH": commit_time(ROOT)}
    run([*pip, f"./packages/{name}"], WORK / f"{name}.log", **made)
    (built,) = raw.glob(f"nttforge_{name}-*-py3-none-any.whl")
    kept(source_package(ROOT, raw, f"packages/{name}"), out, f"nttforge_{name}-*.tar.gz")
    return kept(built, out, f"nttforge_{name}-*.whl")


def packed(
    builder: pathlib.Path,
    words: Sequence[str],
    raw: pathlib.Path,
    machine: str,
    project: pathlib.Path,
    **variables: str,
) -> pathlib.Path:
    """A wheel of a project's folder, built by pip, alone in ``raw``, and named by auditwheel."""
    shutil.rmtree(raw, ignore_errors=True)
    pip = [builder, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation", "-w", raw]
    log = raw.with_name(f"{raw.name}.log")
    run([*pip, *words], log, folder=project, CMAKE_BUILD_PARALLEL_LEVEL=jobs(), **variables)
    (built,) = raw.glob("*.whl")
    audited(built, machine, builder)
    tag = f"manylinux_{GLIBC}_{machine}"
    tags = [builder, "-m", "wheel", "tags", "--remove", "--platform-tag", tag, built]
    run(tags, raw.with_name(f"{raw.name}-tags.log"), **variables)
    (named,) = raw.glob("*.whl")
    return named


def kept(path: pathlib.Path, out: pathlib.Path, older: str) -> pathlib.Path:
    """A copy in ``out``, in place of those that the pattern ``older`` finds there."""
    out.mkdir(parents=True, exist_ok=True)
    for old in out.glob(older):
        old.unlink()
    told(f"{path.name}: {path.stat().st_size / 1e6:.2f} MB")
    return pathlib.Path(shutil.copy(path, out))


def audited(path: pathlib.Path, machine: str, builder: pathlib.Path) -> None:
    """Refuse a wheel that auditwheel finds to need more than the glibc of its tag, or any library.

    auditwheel's own repair is for wheels of the machine it runs on, and there is nothing to repair.
    """
    log = path.parent.with_name(f"{path.parent.name}-auditwheel.log")
    text = " ".join(run([builder, "-m", "auditwheel", "show", path], log).split())
    found = re.search(rf'platform tag: "manylinux_2_(\d+)_{machine}"', text)
    if not found or int(found[1]) > int(GLIBC.split("_")[1]):
        raise WheelError(f"{path.name} is no manylinux_{GLIBC}_{machine}: see {log}")


def checked(
    path: pathlib.Path, package: str = "nttforge", largest_bytes: int = LARGEST_BYTES
) -> None:
    """Refuse a wheel that is too large or lacks what each must have."""
    with zipfile.ZipFile(path) as archive:
        names = archive.namelist()
    cores = [name for name in names if re.fullmatch(rf"{package}/_core\.[\w.-]*so", name)]
    if len(cores) != 1:
        raise WheelError(f"{path.name} has {len(cores)} modules {package}/_core: one is right")
    needed = [
        "LICENSE",
        "NOTICE",
        *(f"licenses/{each.name}" for each in (ROOT / "licenses").glob("*.txt")),
    ]
    for name in needed:
        if not any(entry.endswith(f".dist-info/licenses/{name}") for entry in names):
            raise WheelError(f"{path.name} lacks {name}")
    if any(".libs/" in name for name in names):
        raise WheelError(f"{path.name} brings shared libraries of its own: link them statically")
    size = path.stat().st_size
    if size > largest_bytes:
        raise WheelError(f"{path.name} has {size} bytes: at most {largest_bytes} are allowed")


def installed(
    name: str, python: pathlib.Path, wanted: Sequence[str | pathlib.Path]
) -> tuple[pathlib.Path, dict[str, float]]:
    """The Python of a new environment with what pip was told to install, and what that took.

    A first encrypted product runs there, and the self-test of every instruction set; the log in
    ``trial/`` keeps what they and ``nttforge doctor`` printed.
    """
    folder = WORK / "trial" / name
    log = WORK / "trial" / f"{name}.log"
    shutil.rmtree(folder, ignore_errors=True)
    run([python, "-m", "venv", folder], log)
    inside = folder / "bin" / "python"
    begun = time.monotonic()
    pip = [inside, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    run([*pip, "--no-cache-dir", *wanted], log)
    first = run([inside, "-I", "-c", FIRST_PRODUCT], log)
    seconds = time.monotonic() - begun
    import_ms = min(float(run([inside, "-I", "-c", IMPORT], log)) for _ in range(7))
    program = folder / "bin" / "nttforge"
    log.write_text(
        "\n".join([first, run([program, "selftest"], log), run([program, "doctor"], log)])
    )
    told(f"{first} {seconds:.1f} s after pip began; import {import_ms:.0f} ms beyond NumPy's")
    figures = {"install_to_product_seconds": round(seconds, 1), "import_ms": round(import_ms, 1)}
    return inside, figures


def tried(
    path: pathlib.Path,
    others: Sequence[pathlib.Path],
    version: str,
    python: pathlib.Path,
    machine: str,
) -> None:
    """Install a wheel in a new environment of this Python and run it, then those of packages/."""
    told(f"{machine}, Python {version}: install and run")
    inside, figures = installed(f"{machine}-{version}", python, [path])
    log = WORK / "trial" / f"{machine}-{version}-design.log"
    pip = [inside, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    run([*pip, "--no-cache-dir", *others], log)
    design = WORK / "trial" / f"{machine}-{version}-design"
    shutil.rmtree(design, ignore_errors=True)
    words = ["rtl", "generate", "--n", "64", "--dp", "4", "--pp", "1", "--out", design]
    run([inside.parent / "nttforge", *words], log)
    size = path.stat().st_size
    platform = f"linux-{machine}"
    seen = {"wheel": path.name, "wheel_bytes": size, **figures}
    record(platform, version, "tests ran", "make wheels", **seen)


def emulated(path: pathlib.Path, machine: str) -> None:
    """The same with Debian's Python for aarch64 under qemu, without times, which mean nothing."""
    version = aarch64_python.VERSION
    told(f"{machine}, Python {version}: install and run under qemu")
    folder = WORK / "trial" / f"{machine}-{version}"
    log = WORK / "trial" / f"{machine}-{version}.log"
    words = aarch64_python.python()
    aarch64_python.installed(folder, [path])
    variables = {"PYTHONPATH": str(folder)}
    first = run([*words, "-c", FIRST_PRODUCT], log, **variables)
    text = f"{first}\n" + run([*words, "-m", "nttforge", "selftest"], log, **variables)
    text += "\n" + run([*words, "-m", "nttforge", "doctor"], log, **variables)
    log.write_text(text)
    told(f"{first}, and selftest")
    figures = {"wheel": path.name, "wheel_bytes": path.stat().st_size}
    record(f"linux-{machine}", version, "runs under emulation", "make wheels", **figures)


IMPORT = """
import time, numpy
begun = time.perf_counter()
import nttforge
from nttforge import bfv
print(1e3 * (time.perf_counter() - begun))
"""
FIRST_PRODUCT = """
from nttforge import bfv
context = bfv.Context(bfv.Parameters.preset(n=8192, t=65537))
keys = context.generate_keys(relinearization=True)
product = (keys.encrypt([1, 2, 3]) * keys.encrypt([10, 20, 30])).relinearize(keys.relinearization)
print("a product:", list(keys.decrypt(product)[:3]))
assert list(keys.decrypt(product)[:3]) == [10, 40, 90]
"""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--machines", nargs="+", choices=MACHINES, default=list(MACHINES))
    parser.add_argument("--out", type=pathlib.Path, default=ROOT / "dist")
    parser.add_argument("--no-trial", action="store_true", help="build and check them only")
    parser.add_argument("--all", action="store_true", help="fail where a Python is missing")
    arguments = parser.parse_args()
    begun = time.monotonic()
    try:
        found, builders = builders_found(arguments.all)
        built: dict[tuple[str, str], pathlib.Path] = {}
        for machine in arguments.machines:
            archive = library(machine, next(iter(builders.values())))
            for tag, builder in builders.items():
                built[machine, tag] = wheel(machine, tag, builder, archive, arguments.out)
        builder = next(iter(builders.values()))
        others = [of_python(builder, arguments.out, name) for name in OF_PYTHON]
        if not arguments.no_trial:
            try_all(built, others, found)
    except (WheelError, ReleaseError, aarch64_python.NoPythonError) as error:
        print(f"wheels: {error}", file=sys.stderr)
        return 1
    minutes = (time.monotonic() - begun) / 60
    told(f"{len(built) + len(OF_PYTHON)} wheels in {arguments.out}, after {minutes:.1f} minutes")
    return 0


def try_all(
    built: dict[tuple[str, str], pathlib.Path],
    others: Sequence[pathlib.Path],
    pythons: dict[str, pathlib.Path | None],
) -> None:
    """Every wheel of this machine on each Python here that it serves; others under emulation."""
    here = os.uname().machine
    for (machine, tag), path in built.items():
        for version in PYTHONS[tag]:
            python = pythons[version]
            if machine == here and python:
                tried(path, others, version, python, machine)
            elif machine == "aarch64" and version == aarch64_python.VERSION:
                emulated(path, machine)
            elif machine != here:
                record(f"linux-{machine}", version, "compiles", "make wheels", wheel=path.name)


if __name__ == "__main__":
    sys.exit(main())
