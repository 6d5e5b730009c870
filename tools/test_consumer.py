# SPDX-License-Identifier: Apache-2.0
"""Use the C++ library as its users do: installed, and as a part of another project.

The installed tree is exactly what cmake/install.cmake lists and what those headers include.
"""

import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys
from collections.abc import Collection

ROOT = pathlib.Path(__file__).resolve().parent.parent
INCLUDE = re.compile(r'^\s*#\s*include\s*"nttforge/([^"]+)"', re.MULTILINE)
# (1 + 2X + 3X^2 + 4X^3)(5 + 6X + 7X^2 + 8X^3) mod (X^4 + 1, 17), by hand.
PRODUCT = "12 15 2 9 "


def run(*command: str | pathlib.Path) -> str:
    words = [str(part) for part in command]
    result = subprocess.run(words, capture_output=True, text=True, check=False)
    if result.returncode != 0:
        sys.exit(f"{' '.join(words)} failed:\n{result.stdout}{result.stderr}")
    return result.stdout


def installed_prefix(build: pathlib.Path, name: str = "prefix") -> pathlib.Path:
    """Install the C++ library built in `build` into a fresh prefix beside it."""
    prefix = build.parent / name
    shutil.rmtree(prefix, ignore_errors=True)
    run("cmake", "--install", build, "--component", "development", "--prefix", prefix)
    return prefix


def build_consumer(
    source: pathlib.Path,
    work: pathlib.Path,
    prefix: pathlib.Path | None,
    program: str = "consumer",
    options: tuple[str, ...] = (),
) -> str:
    """Output of a program of the project in `source`, built against the installed library."""
    shutil.rmtree(work, ignore_errors=True)
    found = () if prefix is None else (f"-DCMAKE_PREFIX_PATH={prefix}",)
    run("cmake", "-S", source, "-B", work, "-G", "Ninja", *found, *options)
    run("cmake", "--build", work)
    return run(work / program)


def listed_headers() -> tuple[set[str], set[str]]:
    """The documented headers and those that they include, as cmake/install.cmake says."""
    text = (ROOT / "cmake/install.cmake").read_text(encoding="utf-8")
    lists = re.findall(r"set\(NTTFORGE_(?:PUBLIC|INCLUDED)_HEADERS\s([^)]*)\)", text)
    public, included = (set(names.split()) for names in lists)
    return public, included


def reached_headers(names: set[str]) -> set[str]:
    """The headers `names` and everything of the library that they include."""
    reached: set[str] = set()
    left = list(names)
    while left:
        name = left.pop()
        if name not in reached:
            reached.add(name)
            left += INCLUDE.findall((ROOT / "nttforge" / name).read_text(encoding="utf-8"))
    return reached


def check_headers(prefix: pathlib.Path) -> None:
    """The installed headers are the listed ones, and compile without the source tree."""
    public, included = listed_headers()
    reached = reached_headers(public)
    if reached != public | included or public & included:
        sys.exit(
            "cmake/install.cmake: NTTFORGE_INCLUDED_HEADERS must be what the public headers "
            f"include:\n{' '.join(sorted(reached - public))}"
        )
    folder = prefix / "include"
    own = folder / "nttforge"
    there = {path.relative_to(own).as_posix() for path in own.rglob("*.*")}
    if there != reached:
        sys.exit(f"installed, but not listed or the reverse: {sorted(there ^ reached)}")
    overview = (ROOT / "docs/overview.md").read_text(encoding="utf-8")
    if undocumented := [name for name in sorted(public) if f"`{name}`" not in overview]:
        sys.exit(f"docs/overview.md does not say what these headers are for: {undocumented}")
    text = "".join(f'#include "nttforge/{name}"\n' for name in sorted(reached, reverse=True))
    compiler = [os.environ.get("CXX", "c++"), "-std=c++20", "-fsyntax-only", f"-I{folder}"]
    compiler += ["-Wall", "-Wextra", "-Werror", "-x", "c++", "-"]
    result = subprocess.run(compiler, input=text, capture_output=True, text=True, check=False)
    if result.returncode != 0:
        sys.exit(f"the installed headers do not compile:\n{result.stderr}")
    print(f"{len(public)} public headers and {len(included)} that they include are installed")


def check_older_standard(prefix: pathlib.Path, names: Collection[str]) -> None:
    """As C++17 a public header compiles, or says that it needs C++20 before anything else."""
    command = [os.environ.get("CXX", "c++"), "-std=c++17", "-fsyntax-only", f"-I{prefix}/include"]
    refused = []
    for name in sorted(names):
        text = f'#include "nttforge/{name}"\n'
        result = subprocess.run(
            [*command, "-x", "c++", "-"], input=text, capture_output=True, text=True, check=False
        )
        if result.returncode != 0:
            refused.append(name)
            first = next(line for line in result.stderr.splitlines() if "error:" in line)
            if "This nttforge header needs C++20" not in first:
                sys.exit(f"as C++17, {name} fails by {first}: it must include base/cxx20.hpp")
    if "hexl_compat.hpp" in refused or "ntt/plan.hpp" not in refused:
        sys.exit(f"these headers need C++20: {refused}")
    print(f"as C++17, {len(refused)} public headers say that they need C++20; the others compile")


def files_below(folder: pathlib.Path) -> list[str]:
    return sorted(p.relative_to(folder).as_posix() for p in folder.rglob("*") if p.is_file())


def check_subproject(how: str, build: pathlib.Path, prefix: pathlib.Path) -> None:
    """The library as a part of a project, which installs nothing of it unless asked to."""
    work = build.parent / f"consumer-{how}"
    launcher = [sys.executable, str(ROOT / "tests/consumer/prebuilt.py"), str(build)]
    options = (
        f"-DNTTFORGE_BY={how}",
        f"-DFETCHCONTENT_SOURCE_DIR_NTTFORGE={ROOT}",
        f"-DCMAKE_CXX_COMPILER_LAUNCHER={';'.join(launcher)}",
        "-DNTTFORGE_CUDA=OFF",
        "-DNTTFORGE_TESTS=ON",  # for whoever works on nttforge: no targets here
    )
    output = build_consumer(ROOT / "tests/consumer", work, None, options=options).splitlines()
    if output[0] != PRODUCT:
        sys.exit(f"the consumer with {how} printed {output}")
    # Only tests and who asks for it have the host's run of GPU kernels.
    if "-DNTTFORGE_CUDA_HOST=ON" not in output[1]:
        sys.exit(f"cuda:host must say how to get it; the consumer with {how} printed {output}")
    own = build.parent / "prefix-consumer"
    shutil.rmtree(own, ignore_errors=True)
    run("cmake", "--install", work, "--prefix", own)
    if files_below(own) != ["bin/consumer"]:
        sys.exit(f"nttforge installed itself with its user's project: {files_below(own)}")
    run("cmake", "-DNTTFORGE_INSTALL=ON", work)
    asked = installed_prefix(work, "prefix-subproject")
    own_build = ("nttforgeTargets-", "nttforge_c.")  # the shared library is asked for by name
    wanted = [name for name in files_below(prefix) if not any(part in name for part in own_build)]
    there = [name for name in files_below(asked) if "nttforgeTargets-" not in name]
    if there != wanted:
        sys.exit(f"NTTFORGE_INSTALL=ON installs something else: {set(there) ^ set(wanted)}")
    print(f"consumer project built with {how} gave the right product and installed itself alone")


def check_hexl(build: pathlib.Path, prefix: pathlib.Path) -> None:
    """A project of C++17 that finds the package HEXL here, and only if it is told to."""
    source, work = ROOT / "tests/consumer/hexl", build.parent / "consumer-hexl"
    there = f"-DHEXL_DIR={prefix}/lib/cmake/nttforge-hexl"
    output = build_consumer(source, work, prefix, "hexl_consumer", (there,)).splitlines()
    if output != [PRODUCT]:
        sys.exit(f"the consumer of HEXL's interface printed {output}")
    print("a project of C++17 for HEXL built with nttforge's package and gave the right product")


def check_c(build: pathlib.Path, prefix: pathlib.Path) -> None:
    """A project of C99 that brings its memory; the header as each language that includes it."""
    source, work = ROOT / "tests/consumer/c", build.parent / "consumer-c"
    for library in ("nttforge::c", "nttforge::c_shared"):
        link = f"-DNTTFORGE_LINK={library}"
        output = build_consumer(source, work, prefix, "c_consumer", (link,)).splitlines()
        if output != [PRODUCT, "all memory came back"]:
            sys.exit(f"the consumer of the C interface with {library} printed {output}")
    header = prefix / "include/nttforge/nttforge.h"
    warnings = ("-Wall", "-Wextra", "-Wpedantic", "-Wstrict-prototypes", "-Werror", "-fsyntax-only")
    for standard in ("c99", "c11", "c++11", "c++17", "c++20"):
        plus = standard.startswith("c++")
        compiler = os.environ.get("CXX", "c++") if plus else os.environ.get("CC", "cc")
        flags = [flag for flag in warnings if not plus or "prototypes" not in flag]
        run(compiler, f"-std={standard}", *flags, "-x", "c++" if plus else "c", header)
    print("a project of C99 gave the right product with either library, and its memory came back")


def check_cxx17(build: pathlib.Path, prefix: pathlib.Path) -> None:
    work = build.parent / "consumer-cxx17"
    output = build_consumer(ROOT / "tests/consumer/cxx17", work, prefix, "cxx17_consumer")
    if output.splitlines() != [PRODUCT, "arrays of 4 and 5 words: need arrays of one size"]:
        sys.exit(f"the consumer of C++17 printed {output}")
    print("a project of C++17 gave the right product, and its mistake was thrown as a sentence")


def check_pkg_config(build: pathlib.Path, prefix: pathlib.Path) -> None:
    """Compilers called with what pkg-config says, on a tree that was moved after the install."""
    program = shutil.which(os.environ.get("PKG_CONFIG", "pkg-config"))
    if program is None:
        print("pkg-config is not installed: nttforge.pc was not tried")
        return
    moved = build.parent / "prefix-moved"
    shutil.rmtree(moved, ignore_errors=True)
    shutil.copytree(prefix, moved)
    (file,) = moved.rglob("nttforge.pc")
    os.environ["PKG_CONFIG_PATH"] = str(file.parent)
    words = run(program, "--cflags", "--libs", "nttforge").split()
    if str(prefix.resolve()) + "/" in " ".join(words):
        sys.exit(f"{file} names the folder it was installed into: {words}")
    consumers = ROOT / "tests/consumer"
    for source, standard in (
        ("c/main.c", "c99"),
        ("cxx17/main.cpp", "c++17"),
        ("main.cpp", "c++20"),
    ):
        plus = standard.startswith("c++")
        compiler = os.environ.get("CXX", "c++") if plus else os.environ.get("CC", "cc")
        binary = build.parent / "consumer-pkg-config"
        run(
            compiler,
            f"-std={standard}",
            "-Wall",
            "-Werror",
            consumers / source,
            *words,
            "-o",
            binary,
        )
        if (first := run(binary).splitlines()[0]) != PRODUCT:
            sys.exit(f"{source}, built by pkg-config, printed {first}")
    shared = run(program, "--cflags", "--libs", "nttforge_c").split()
    run(os.environ.get("CC", "cc"), "-std=c99", consumers / "c/main.c", *shared, "-o", binary)
    found = os.environ.get("LD_LIBRARY_PATH", "")
    os.environ["LD_LIBRARY_PATH"] = f"{file.parent.parent}:{found}"
    if (first := run(binary).splitlines()[0]) != PRODUCT:
        sys.exit(f"c/main.c with the shared library printed {first}")
    version = run(program, "--modversion", "nttforge").strip()
    if f"project(nttforge VERSION {version} " not in (ROOT / "CMakeLists.txt").read_text("utf-8"):
        sys.exit(f"{file} says version {version}, and CMakeLists.txt another one")
    print("programs of C99, C++17 and C++20 were built with pkg-config from a tree that was moved")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("build", type=pathlib.Path, help="CMake build folder of the library")
    parser.add_argument("--sample", action="store_true", help="one case of each kind")
    arguments = parser.parse_args()
    build = arguments.build.resolve()
    prefix = installed_prefix(build)
    check_headers(prefix)
    few = ("bfv/evaluator.hpp", "hexl_compat.hpp", "ntt/plan.hpp", "nttforge.h")
    check_older_standard(prefix, few if arguments.sample else listed_headers()[0])
    output = build_consumer(ROOT / "tests/consumer", build.parent / "consumer", prefix).splitlines()
    if output[0] != PRODUCT or "host" not in output[1]:
        sys.exit(f"consumer printed {output}")
    print("consumer project built with find_package and gave the right product")
    for how in ("add_subdirectory", *([] if arguments.sample else ["FetchContent"])):
        check_subproject(how, build, prefix)
    check_hexl(build, prefix)
    check_c(build, prefix)
    check_cxx17(build, prefix)
    check_pkg_config(build, prefix)
    example = build_consumer(
        ROOT / "examples/bfv_cpp", build.parent / "bfv_cpp", prefix, "bfv_example"
    )
    if example.splitlines()[-1] != "as expected":
        sys.exit(f"examples/bfv_cpp printed:\n{example}")
    print("examples/bfv_cpp built with find_package and gave the right sums")
    return 0


if __name__ == "__main__":
    sys.exit(main())
