# SPDX-License-Identifier: Apache-2.0
"""The tests on aarch64, under qemu: ``make arm-test``; a sample of them: ``make arm-check``.

Zig's compiler, or with ``--compiler g++`` Debian's, builds the C++ library and its tests for
aarch64; every test program then runs in 32 shards, and the Python tests with the wheel for
aarch64 in Debian's Python for it (`aarch64_python`). Interrupted, it goes on where it stopped: also
on another machine, with ``--run-only``, that is given the programs and the folder's record. The
emulator is some twenty times slower than a processor: times mean nothing.
"""

from __future__ import annotations

import argparse
import functools
import hashlib
import importlib.util
import os
import pathlib
import re
import shutil
import signal
import sys
from typing import NoReturn

import aarch64_python
from platforms import newest_wheel, record, tag_of
from quick import changed_files
from steps import Outcome, Runner, Step, chosen

ROOT = pathlib.Path(__file__).resolve().parent.parent
FOLDER = ROOT / "build" / "arm"
PLATFORM = "linux-aarch64"
ZIG_TARGET = "aarch64-linux-gnu.2.28"
#: Folders with C++ tests, those of instruction sets first.
CPP = (
    *("cpu", "base", "arith", "ntt", "random", "embedding", "rns", "device", "rlwe"),
    *("bfv", "bgv", "hexl", "c", "multi", "cuda"),
)
SHARDS = 32
#: Folders of Python tests that need neither a compiler, nor tools of hardware, nor much time.
PYTHON = ("ntt", "bfv", "bgv", "encrypted")
#: What the sample compiles, and which tests of it run.
ONLY = "base|arith|ntt|cpu/(lanes|transform|rows)"
SAMPLE = ("lanes:", "target:", "NTTFORGE_TARGET", "small transforms:")
#: Where a change can make the sample fail that passes on x86-64.
OF_NEON = re.compile(r"nttforge/(cpu/(lanes|transform)|ntt/kernels|base/target)|cmake/|tools/arm_")
#: Seconds that one step may take.
LIMIT = 7200


class ArmTestError(Exception):
    """A sentence on what is missing for a build or a run."""


def zig_environment() -> dict[str, str]:
    """The variable by which cmake/zig.cmake finds the compiler, which is a wheel."""
    if importlib.util.find_spec("ziglang") is None:
        raise ArmTestError("Zig's compiler is missing: pip install -r requirements-zig.txt")
    return {"PYTHON": sys.executable}


def zig_flags() -> list[str]:
    """What CMake is told about that compiler."""
    toolchain = ROOT / "cmake" / "zig.cmake"
    return [f"-DCMAKE_TOOLCHAIN_FILE={toolchain}", f"-DNTTFORGE_ZIG_TARGET={ZIG_TARGET}"]


def gcc() -> str | None:
    """Debian's g++ for aarch64, if it is installed."""
    names = [f"aarch64-linux-gnu-g++{version}" for version in ("", "-14", "-13", "-12")]
    return next(filter(None, map(shutil.which, names)), None)


def configure(folder: pathlib.Path, compiler: str, sample: bool) -> list[str | pathlib.Path]:
    words: list[str | pathlib.Path] = ["cmake", "-S", ROOT, "-B", folder, "-G", "Ninja"]
    words += ["-DCMAKE_BUILD_TYPE=Release", "-DNTTFORGE_TESTS=ON", "-DNTTFORGE_CUDA=OFF"]
    words.append(f"-DNTTFORGE_PAPERS={'OFF' if sample else 'ON'}")
    words.append("-DNTTFORGE_WERROR=ON")
    if sample:
        words.append(f"-DNTTFORGE_ONLY={ONLY}")
    if compiler == "zig":
        return [*words, *zig_flags(), "-DCMAKE_EXE_LINKER_FLAGS=-s"]  # 10 MB instead of 200
    found = gcc()
    if found is None:
        raise ArmTestError("aarch64-linux-gnu-g++ is missing: install g++-aarch64-linux-gnu")
    words += ["-DCMAKE_SYSTEM_NAME=Linux", "-DCMAKE_SYSTEM_PROCESSOR=aarch64"]
    return [*words, f"-DCMAKE_CXX_COMPILER={found}", "-DCMAKE_EXE_LINKER_FLAGS=-static"]


def emulator(compiler: str) -> list[str]:
    """The words before a test program; raises where there is no emulator or no library for it."""
    words = [aarch64_python.emulator()]
    if compiler == "zig":
        words += ["-L", str(aarch64_python.libraries())]
    return words


def build_steps(folder: pathlib.Path, arguments: argparse.Namespace) -> list[Step]:
    """The build of what the chosen test programs are made of."""
    names = ["sample"] if arguments.sample else arguments.cpp
    build = ["cmake", "--build", folder, "-j", arguments.jobs, "--target"]
    targets = [f"nttforge_{name}_test" for name in names]
    if not targets:
        return []
    first = configure(folder, arguments.compiler, arguments.sample)
    steps = [Step("configure", first, cores=arguments.jobs)]
    if not arguments.sample:
        step = Step("build the library", [*build, "nttforge"], ("configure",), arguments.jobs)
        steps.append(step)
    for target in targets:
        steps.append(Step(f"build {target}", [*build, target], (steps[-1].name,), arguments.jobs))
    return steps


def cpp_steps(folder: pathlib.Path, run: list[str], arguments: argparse.Namespace) -> list[Step]:
    """Every test program, in shards."""
    if arguments.sample:
        program = folder / "nttforge_sample_test"
        return [
            Step(f"C++ sample {i}/{arguments.jobs}", [*run, program, *part, *SAMPLE])
            for i in range(1, arguments.jobs + 1)
            for part in [["--shard", f"{i}/{arguments.jobs}"]]
        ]
    steps = []
    for name in arguments.cpp:
        program = folder / f"nttforge_{name}_test"
        if not program.exists():
            raise ArmTestError(f"{program} is missing: without --run-only it is built")
        for i in range(1, SHARDS + 1):
            words = [*run, program, "--shard", f"{i}/{SHARDS}"]
            steps.append(Step(f"C++ {name} {i}/{SHARDS}", words, (f"build nttforge_{name}_test",)))
    return steps


def wheel() -> pathlib.Path:
    """The newest wheel for this Python and aarch64 in dist/."""
    version = aarch64_python.VERSION
    found = newest_wheel(ROOT / "dist", version, "aarch64")
    if found is None:
        raise ArmTestError(
            f"dist/ has no wheel {tag_of(version)} for aarch64: run make wheels first"
        )
    return found


def python_steps(folder: pathlib.Path) -> list[Step]:
    """Each file of Python tests with what the wheel installs."""
    interpreter = aarch64_python.program()
    packages = folder / "packages"
    built = wheel()
    mark = packages / ".ready"
    tools = (ROOT / "requirements-dev.in").read_text()
    names = "pytest|hypothesis|python-flint"
    pinned = re.findall(rf"^(?:{names})==[^;\s]+(?=; python_version >=|$)", tools, re.MULTILINE)
    wanted = hashlib.sha256(built.read_bytes() + " ".join(pinned).encode()).hexdigest()
    if not mark.exists() or mark.read_text() != wanted:
        aarch64_python.installed(packages, [built, *pinned])
        mark.write_text(wanted)
    pytest = [interpreter, "-m", "pytest", "-q", "-p", "no:cacheprovider"]
    path = os.pathsep.join(map(str, (packages, ROOT / "packages/oracle")))
    environment = {"PYTHONPATH": path, "PYTHONDONTWRITEBYTECODE": "1"}
    files = [
        path for name in PYTHON for path in sorted((ROOT / "python/tests" / name).glob("test_*.py"))
    ]
    return [
        Step(f"Python {path.parent.name}/{path.name}", [*pytest, path], environment=environment)
        for path in files
    ]


def fingerprints(folder: pathlib.Path, steps: list[Step], target: str) -> dict[str, str]:
    """By step: the digest of the program or the wheel that it runs."""

    @functools.cache
    def digest(program: str) -> str:
        path = folder / program if program else wheel()
        return hashlib.sha256(path.read_bytes() + target.encode()).hexdigest()

    def program_of(name: str) -> str:
        return "" if name.startswith("Python") else f"nttforge_{name.split()[1]}_test"

    return {step.name: digest(program_of(step.name)) for step in steps}


def whole(arguments: argparse.Namespace) -> dict[str, bool]:
    """By the Python of the table, "" for C++: whether all tests were asked for."""
    part = bool(arguments.sample or arguments.only or arguments.skip)
    cpp = not part and set(arguments.cpp) == set(CPP)
    return {"": cpp, aarch64_python.VERSION: arguments.python and not part}


def keep(runner: Runner, steps: list[Step], arguments: argparse.Namespace) -> None:
    """Records for the table of platforms what ran as a whole without a failure."""
    for python, asked in whole(arguments).items():
        mine = [step.name for step in steps if step.name.startswith("Python" if python else "C++")]
        states = {runner.outcomes[name].state for name in mine if name in runner.outcomes}
        if asked and states == {"ok"}:
            record(
                PLATFORM,
                python,
                "runs under emulation",
                "make arm-test",
                steps=len(mine),
                compiler=arguments.compiler,
                target=arguments.target or "the best",
            )


def parsed() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    add = parser.add_argument
    add("--sample", action="store_true", help="a minute's worth: kernels of transforms")
    add("--changed", action="store_true", help="nothing, unless what the sample is of changed")
    add(
        "--compiler", choices=("zig", "g++"), help="zig, but for a sample g++ where it is installed"
    )
    add("--cpp", nargs="*", choices=CPP, default=list(CPP), metavar="FOLDER", help="of C++ tests")
    add("--python", action="store_true", help="the Python tests too, with the wheel in dist/")
    add("--target", default="", help="NTTFORGE_TARGET: neon or scalar")
    add("--only", action="append", default=[], metavar="NAME", help="steps named so, or in part")
    add("--skip", action="append", default=[], metavar="NAME", help="not these steps")
    add("--run-only", action="store_true", help="no build: the programs are there")
    add("--again", action="store_true", help="also what passed before with the same programs")
    add("--build", type=pathlib.Path, metavar="FOLDER", help="default: below build/arm")
    add("--jobs", type=int, default=int(os.environ.get("CMAKE_BUILD_PARALLEL_LEVEL", "2")))
    arguments = parser.parse_args()
    if arguments.compiler is None:
        arguments.compiler = "g++" if arguments.sample and gcc() else "zig"
    return arguments


def interrupted(*_: object) -> NoReturn:
    raise KeyboardInterrupt


def main() -> int:
    arguments = parsed()
    signal.signal(signal.SIGTERM, interrupted)
    if os.uname().machine == "aarch64":
        print("arm_test: this machine is aarch64 itself: make test runs all of it")
        return 0
    if arguments.changed and not any(map(OF_NEON.match, changed_files())):
        print("arm_test: no kernel for aarch64 changed: left to make full")
        return 0
    name = arguments.compiler.replace("+", "p") + ("-sample" if arguments.sample else "")
    folder = (arguments.build or FOLDER / name).resolve()
    environment = dict(os.environ)
    if arguments.target:
        environment["NTTFORGE_TARGET"] = arguments.target
    try:
        if arguments.compiler == "zig" and not arguments.run_only:
            environment |= zig_environment()
        runner = Runner(folder / "logs", ROOT, arguments.jobs, LIMIT)
        built = [] if arguments.run_only else build_steps(folder, arguments)
    except ArmTestError as error:
        print(f"arm_test: nothing was compiled for aarch64: {error}")
        return 0 if arguments.sample else 1
    return ran(runner, folder, built, environment, arguments)


def ran(
    runner: Runner,
    folder: pathlib.Path,
    built: list[Step],
    environment: dict[str, str],
    arguments: argparse.Namespace,
) -> int:
    """Build, then every test that has not passed before with the same programs."""
    steps: list[Step] = []
    marks: dict[str, str] = {}
    try:
        runner.run(built, environment, len(built))
        if any(runner.outcomes[step.name].state != "ok" for step in built):
            return runner.report([step.name for step in built])
        if built and whole(arguments)[""]:
            record(PLATFORM, "", "compiles", "make arm-test", compiler=arguments.compiler)
        environment.pop("PYTHONPATH", None)
        try:
            steps = cpp_steps(folder, emulator(arguments.compiler), arguments)
            steps += python_steps(folder) if arguments.python else []
        except (aarch64_python.NoPythonError, ArmTestError) as error:
            compiled = "" if arguments.run_only else "all of it compiles for aarch64; "
            print(f"arm_test: {compiled}the tests did not run: {error}")
            return 0 if arguments.sample else 1
        steps = chosen(steps, arguments.only, arguments.skip)
        marks = fingerprints(folder, steps, arguments.target)
        before = set() if arguments.again else runner.remembered(marks)
        for step in steps:
            if step.name in before:
                runner.outcomes[step.name] = Outcome("ok", remark="before")
        left = [step for step in steps if step.name not in before]
        runner.run(left, environment, len(built) + len(steps))
    except KeyboardInterrupt:
        print("\narm_test: interrupted: the same command goes on from here", flush=True)
        runner.remember(marks)
        return 130
    runner.remember(marks)
    keep(runner, steps, arguments)
    return runner.report([step.name for step in [*built, *steps]])


if __name__ == "__main__":
    sys.exit(main())
