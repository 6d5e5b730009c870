# SPDX-License-Identifier: Apache-2.0
"""Build, check and try the wheels with GPU kernels, nttforge-cuda: ``make cuda-wheels``.

g++ and the CUDA compiler build the library once, for every card of compute capability 7.5 and
newer; Zig's linker joins it with the Python module of each version against glibc 2.28. No GPU is
needed. The trial installs ``nttforge[cuda]`` from the folder of the wheels into a new environment:
``make wheels`` must have put the wheels without kernels there.
"""

from __future__ import annotations

import argparse
import pathlib
import re
import shutil
import sys
import time

import wheels
from platforms import PYTHONS, record
from release_artefacts import ReleaseError, commit_time

PACKAGE = wheels.ROOT / "packaging" / "cuda"
MACHINE = "x86_64"
#: Code for each generation of cards, which later ones of the same generation run too (8.6 and 8.9
#: that of 8.0, 10.3 that of 10.0), and PTX of the last for those to come.
ARCHITECTURES = "75-real;80-real;90-real;100-real;120"
LARGEST_BYTES = 100_000_000


def library(builder: pathlib.Path) -> list[pathlib.Path]:
    """libnttforge.a with GPU kernels, and the CUDA runtime that it needs."""
    folder = wheels.WORK / "cuda" / "library"
    wheels.told(f"the library, with kernels for {ARCHITECTURES}")
    log = wheels.WORK / "cuda" / "library.log"
    tools = wheels.tools_of(builder)
    if shutil.which("nvcc") is None:
        requirements = wheels.ROOT / "requirements-cuda.txt"
        pip = [builder, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        wheels.run([*pip, "--require-hashes", "-r", requirements], log)
    defined = {
        "CMAKE_BUILD_TYPE": "Release",
        **wheels.own_variables(
            CUDA="ON", CUDA_ARCHITECTURES=ARCHITECTURES, PRECOMPILE="OFF", INSTALL="OFF"
        ),
    }
    options = [f"-D{name}={value}" for name, value in defined.items()]
    cmake = ["cmake", "-S", wheels.ROOT, "-B", folder, "-G", "Ninja", *options]
    configured = wheels.run(cmake, log, **tools)
    if "GPU kernels: " not in configured:
        raise wheels.WheelError(f"the library would have no GPU kernels: see {log}")
    wheels.run(
        ["cmake", "--build", folder, "--target", "nttforge", "-j", wheels.jobs()], log, **tools
    )
    cache = (folder / "CMakeCache.txt").read_text(encoding="utf-8")
    (runtime,) = re.findall(r"^NTTFORGE_CUDART_STATIC:\w+=(.*)$", cache, re.M)
    return [folder / "libnttforge.a", pathlib.Path(runtime)]


def staged(folder: pathlib.Path) -> pathlib.Path:
    """The package's project with the licences of what is linked into it."""
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(PACKAGE, folder)
    for name in ("LICENSE", "NOTICE"):
        shutil.copy(wheels.ROOT / name, folder)
    shutil.copytree(wheels.ROOT / "licenses", folder / "licenses")
    return folder


def wheel(
    tag: str, builder: pathlib.Path, linked: list[pathlib.Path], out: pathlib.Path
) -> pathlib.Path:
    """One wheel, named by auditwheel."""
    wheels.told(f"{tag}: the module")
    work = wheels.WORK / "cuda"
    defined = wheels.own_variables(
        PYTHON="ON",
        CUDA="OFF",
        PRECOMPILE="OFF",
        INSTALL="OFF",
        PREBUILT=";".join(map(str, linked)),
        LINK_GLIBC=wheels.GLIBC.replace("_", "."),
    )
    words = [f"-Cbuild-dir={work / tag}", f"-Ccmake.source-dir={wheels.ROOT}"]
    words += [*(f"-Ccmake.define.{name}={value}" for name, value in defined.items()), "."]
    variables = {**wheels.tools_of(builder), "SOURCE_DATE_EPOCH": commit_time(wheels.ROOT)}
    project = staged(work / f"project-{tag}")
    built = wheels.packed(
        builder, [*words, "."], work / f"raw-{tag}", MACHINE, project, **variables
    )
    wheels.checked(built, "nttforge_cuda", LARGEST_BYTES)
    return wheels.kept(built, out, f"nttforge_cuda-*-{tag}-*_{MACHINE}.whl")


def tried(path: pathlib.Path, version: str, python: pathlib.Path) -> None:
    """Install nttforge[cuda] from the folder of a wheel and run it where there may be no card."""
    wheels.told(f"Python {version}: install and run")
    wanted = f"nttforge[cuda]=={path.name.split('-')[1]}"
    name = f"cuda-{version}"
    inside, figures = wheels.installed(name, python, ["--find-links", path.parent, wanted])
    wheels.told(
        wheels.run([inside, "-I", "-c", KERNELS], wheels.WORK / "trial" / f"{name}-kernels.log")
    )
    seen = {"wheel": path.name, "wheel_bytes": path.stat().st_size, **figures}
    record("cuda-x86_64", version, "tests ran", "make cuda-wheels", **seen)


#: The module is the one with kernels; without a card a plan on one says what is missing.
KERNELS = """
import nttforge
from nttforge import _core, cuda
assert "nttforge_cuda" in _core.__file__, _core.__file__
assert _core.cuda.in_this_build()
print(cuda.why_unavailable() or "a card is there")
if not cuda.is_available():
    try:
        nttforge.NttPlan(8, 17, device="cuda")
    except nttforge.UnsupportedError:
        pass
    else:
        raise SystemExit("a plan on a card that is not there")
"""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=pathlib.Path, default=wheels.ROOT / "dist")
    parser.add_argument("--no-trial", action="store_true", help="build and check them only")
    parser.add_argument("--all", action="store_true", help="fail where a Python is missing")
    arguments = parser.parse_args()
    begun = time.monotonic()
    built = {}
    try:
        pythons, builders = wheels.builders_found(arguments.all)
        linked = library(next(iter(builders.values())))
        for tag, builder in builders.items():
            built[tag] = wheel(tag, builder, linked, arguments.out)
        for tag, path in built.items():
            for version in PYTHONS[tag] if not arguments.no_trial else ():
                if python := pythons[version]:
                    tried(path, version, python)
    except (wheels.WheelError, ReleaseError) as error:
        print(f"cuda_wheels: {error}", file=sys.stderr)
        return 1
    minutes = (time.monotonic() - begun) / 60
    wheels.told(f"{len(built)} wheels in {arguments.out}, after {minutes:.1f} minutes")
    return 0


if __name__ == "__main__":
    sys.exit(main())
