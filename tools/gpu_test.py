# SPDX-License-Identifier: Apache-2.0
"""Every GPU test, on a machine with an NVIDIA GPU and a CUDA toolkit. Nothing is downloaded.

Builds library, extension and tests with this Python (nanobind, cmake, ninja, numpy, tqdm and pytest
must be installed for it), then runs side by side: the C++ tests, random cross-checks of every
recipe against the CPU engine (n = 2 ... 2^20, 1 ... 64 limbs), the Python tests, the examples, the
self-test of the card, and compute-sanitizer over every recipe. Interrupt it any time; --resume
leaves out what was ok already with the same programs.

  make gpu-test
  make gpu-test GPU_TEST_ARGS="--only racecheck --only 'every recipe'"
  make gpu-test GPU_TEST_ARGS="--list"
"""

from __future__ import annotations

import argparse
import hashlib
import importlib.util
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import NoReturn

from steps import Outcome, Runner, Step, chosen

ROOT = Path(__file__).resolve().parent.parent
SANITIZERS = ("racecheck", "memcheck", "initcheck", "synccheck")
SANITIZER = ("compute-sanitizer", "--error-exitcode", "1", "--tool")
SWEEP, LITTLE = "every recipe, ", "each recipe with little data, "
LARGE = "values and round trips at n = "
#: What those leave out and a sanitizer is to see.
OTHER_KERNELS = {
    "other kernels": ["little data through everything else", "calls of a plan can be captured"],
    "fused products": ["products are fused or composed"],
    "steps between bases": ["steps between bases with transforms", "fused steps of every row"],
}

#: What the extension does beside GPUs, in the build with GPU kernels: symbols of a statically
#: linked library that clash with the system's show in threads, messages and checks of memory.
PROGRAMS = {
    "Python, a plan with every thread": """
q = nttforge.ntt_primes(4096, 60, 3)
plan = nttforge.NttPlan(4096, q, threads=0)
x = np.arange(4 * 3 * 4096, dtype=np.uint64).reshape(4, 3, 4096)
assert (plan.forward(x) == nttforge.NttPlan(4096, q).forward(x)).all()
assert (plan.inverse(plan.forward(x)) == x).all()
""",
    "Python, BFV": """
from nttforge import bfv
context = bfv.Context(bfv.Parameters.preset(n=8192, t=65537))
keys = context.generate_keys(relinearization=True, rotations=[1])
a, b = keys.encrypt([1, 2, 3]), keys.encrypt([10, 20, 30])
product = (a * b + a).relinearize(keys.relinearization)
assert list(keys.decrypt(product)[:3]) == [11, 42, 93]
assert keys.noise_budget_bits(product) > 0
""",
    "Python, a plan on the CPU of more than 64 MiB": """
n = 1 << 20
q = nttforge.ntt_primes(n, 60, 4)
plan = nttforge.NttPlan(n, q)
x = np.arange(4 * n, dtype=np.uint64).reshape(4, n)
assert (plan.inverse(plan.forward(x)) == x).all()
""",
    "Python, n = 2^20 on the card": """
from nttforge import cuda
n = 1 << 20
q = nttforge.ntt_primes(n, 60, 2)
plan = nttforge.NttPlan(n, q, device="cuda")
x = np.arange(2 * n, dtype=np.uint64).reshape(2, n)
y = plan.forward(cuda.to_device(x))
assert (y.to_host() == nttforge.NttPlan(n, q).forward(x)).all()
assert (plan.inverse(y).to_host() == x).all()
""",
}
LEAK = "nanobind: leaked"  # at the interpreter's end: something still refers to our objects


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    add = parser.add_argument
    add("--build", type=Path, default=ROOT / "build/gpu", help="folder (default build/gpu)")
    add("--jobs", type=int, default=len(os.sched_getaffinity(0)), help="cores (default: all)")
    add("--only", action="append", default=[], metavar="NAME", help="steps named so, or in part")
    add("--skip", action="append", default=[], metavar="NAME", help="not these steps")
    add("--no-sanitizers", action="store_true", help="leave compute-sanitizer out")
    add("--resume", action="store_true", help="leave out what was ok with the same programs")
    add("--limit", type=float, default=420, metavar="S", help="seconds for one step (default 420)")
    add("--deadline", type=float, metavar="S", help="be interrupted after so many seconds in all")
    add("--list", action="store_true", help="build if need be, name the steps, run nothing else")
    options = parser.parse_args()
    if options.jobs < 1:
        parser.error(f"--jobs = {options.jobs}: need at least 1")
    require_tools()
    for number in (signal.SIGTERM, signal.SIGALRM):
        signal.signal(number, interrupted)
    signal.setitimer(signal.ITIMER_REAL, options.deadline or 0)
    folder = options.build.resolve()
    environment = os.environ | {
        "NTTFORGE_REQUIRE_GPU": "1",
        "NTTFORGE_TEST_LEAKS": "1",
        "PYTHONPATH": os.pathsep.join(map(str, (folder / "python", *PACKAGES))),
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    if number_of_gpus() > 1:
        environment["NTTFORGE_REQUIRE_TWO_GPUS"] = "1"
    runner = Runner(folder / "logs", ROOT, options.jobs, options.limit)
    names: list[str] = []
    steps: list[Step] = []
    marks: dict[str, str] = {}
    try:
        build = build_steps(folder, options.jobs)
        names = [step.name for step in build]
        runner.run(build, environment, len(build))
        if all(runner.outcomes[name].state == "ok" for name in names):
            tools = () if options.no_sanitizers else SANITIZERS
            steps = chosen(test_steps(folder, tools, runner), options.only, options.skip)
            names += [*runner.outcomes, *(step.name for step in steps)]
            if options.list:
                print("\n".join(step.name for step in steps))
                return 0
            if not steps:
                print(f"no step is named {' or '.join(options.only)}: --list names them")
                return 1
            marks = dict.fromkeys((step.name for step in steps), fingerprint(folder))
            before = runner.remembered(marks) if options.resume else set()
            left = [step for step in steps if step.name not in before]
            for step in steps:
                if step.name in before:
                    runner.outcomes[step.name] = Outcome("ok", remark="before")
            runner.run(left, environment, len(steps) + len(build))
    except KeyboardInterrupt:
        print("\ninterrupted: --resume goes on from here", flush=True)
        runner.remember(marks)
        runner.report(list(dict.fromkeys(names)))
        return 130
    runner.remember(marks)
    return runner.report(list(dict.fromkeys(names)))


def number_of_gpus() -> int:
    """The cards that programs see; tests on a second one need one."""
    visible = os.environ.get("CUDA_VISIBLE_DEVICES")  # the driver's tool lists the others too
    if visible is not None:
        return len([name for name in visible.split(",") if name])
    if shutil.which("nvidia-smi") is None:
        return 0
    listed = subprocess.run(["nvidia-smi", "-L"], capture_output=True, text=True, check=False)
    return sum(line.startswith("GPU ") for line in listed.stdout.splitlines())


#: Packages of Python alone that the tests import.
PACKAGES = tuple(
    ROOT / "packages" / name for name in ("oracle", "compilers", "demo", "he", "seal", "serve")
)
#: Folders whose test programs run on every device there is, so on the card too.
ON_DEVICES = ("device", "multi", "bfv", "bgv", "ckks", "exact_bootstrap")


def interrupted(*_: object) -> NoReturn:
    raise KeyboardInterrupt


def require_tools() -> None:
    missing = [t for t in ("cmake", "ninja") if shutil.which(t) is None]
    missing += [
        m for m in ("nanobind", "pytest", "numpy", "tqdm") if not importlib.util.find_spec(m)
    ]
    if missing:
        sys.exit(
            f"missing: {', '.join(missing)}: install them for {sys.executable}, or set PYTHON=..."
        )


def build_steps(folder: Path, jobs: int) -> list[Step]:
    configure = ["cmake", "-S", ROOT, "-B", folder, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release"]
    configure += ["-DNTTFORGE_CUDA=ON", "-DNTTFORGE_TESTS=ON", "-DNTTFORGE_PYTHON=ON"]
    configure.append("-DNTTFORGE_PAPERS=ON")
    configure += ["-DNTTFORGE_BENCH=ON", f"-DPython_EXECUTABLE={sys.executable}"]
    configure += ["-DCMAKE_INSTALL_MESSAGE=NEVER"]
    targets = ["nttforge_cuda_test", *(f"nttforge_{name}_test" for name in ON_DEVICES), "_core"]
    build = ["cmake", "--build", folder, "-j", jobs, "--target", *targets]
    return [
        Step("configure", configure, cores=jobs),
        Step("build", build, after=("configure",), cores=jobs),
    ]


def test_steps(folder: Path, sanitizers: tuple[str, ...], runner: Runner) -> list[Step]:
    """Everything after the build; what takes long comes first."""
    tests = folder / "nttforge_cuda_test"
    names = subprocess.run([tests, "--list"], capture_output=True, text=True, check=True).stdout
    all_names = names.splitlines()
    sweeps = [name for name in all_names if name.startswith(SWEEP)]
    little = [name for name in all_names if name.startswith(LITTLE)]
    huge = [name for name in all_names if name.startswith(LARGE)]
    others = [name for name in all_names if name not in (*sweeps, *little, *huge)]
    steps = []
    if sanitizers and shutil.which("compute-sanitizer") is None:
        runner.skip("compute-sanitizer", "not on PATH")
        sanitizers = ()
    steps += benchmark_steps(folder, sanitizers)
    large = [name for name in sweeps if name.endswith(("2^19", "2^20"))] + huge[::-1]
    steps += [Step(name, [tests, name]) for name in large]
    steps += [Step("C++ tests", [tests, *others]), *python_steps(folder)]
    for name in ON_DEVICES:
        steps.append(
            Step(f"C++ tests of {name}/ on every device", [folder / f"nttforge_{name}_test"])
        )
    steps += example_steps(folder, runner)
    for tool in sanitizers:
        steps += sanitizer_steps(tool, tests, little)
    return steps + [Step(name, [tests, name]) for name in reversed(sweeps) if name not in large]


def sanitizer_steps(tool: str, tests: Path, little: list[str]) -> list[Step]:
    """One for each class of moduli; two with racecheck, which takes longer for large transforms."""
    groups = {group: list(names) for group, names in OTHER_KERNELS.items()}
    for name in reversed(little):
        group, _, sizes = name.removeprefix(LITTLE).partition(": n = 2^")
        if tool == "racecheck" and sizes:
            group += ", n > 2^16" if int(sizes.split()[0]) > 16 else ", n to 2^16"
        groups.setdefault(group, []).append(name)
    return [
        Step(
            f"{tool}, {group}",
            [*SANITIZER, tool, tests, *parts],
            environment={"NTTFORGE_TEST_GPU_ONLY": "1"},
        )
        for group, parts in groups.items()
    ]


BENCHMARKS = (
    "gpu_papers_bench",
    "gpu_nttsuite_bench",
    "bad18b_bench",
    "gpu_bench",
    "gpu_bfv_bench",
    "gpu_bgv_bench",
)


def benchmark_steps(folder: Path, sanitizers: tuple[str, ...]) -> list[Step]:
    """BFV and the kernels of [Kim20], [Bad18a], [Bad18b] and [Din24] against the CPU, then each
    kernel once for sanitizers.
    """
    build = Step(
        "build the benchmarks",
        ["cmake", "--build", folder, "-j", 6, "--target", *BENCHMARKS],
        cores=6,
    )
    check_bfv = [folder / "gpu_bfv_bench", "--what", "check"]
    steps = [build, Step("BFV, n = 2^12 to 2^15, both words", check_bfv, after=(build.name,))]
    check_bgv = [folder / "gpu_bgv_bench", "--what", "check"]
    steps.append(Step("BGV, n = 2^16, key switching", check_bgv, after=(build.name,)))
    for tool in sanitizers:
        command = [*SANITIZER, tool, *check_bgv, "--grid", "small"]
        steps.append(Step(f"{tool}, BGV, n = 2^13", command, after=(build.name,)))
    for tool in sanitizers:
        command = [*SANITIZER, tool, *check_bfv, "--only", 4096]
        steps.append(Step(f"{tool}, BFV, n = 2^12", command, after=(build.name,)))
    scheme = [folder / "bad18b_bench", "--device", "cuda", "--check", 1]
    steps.append(Step("kernels of [bad18b]", scheme, after=(build.name,)))
    for tool in sanitizers:
        command = [*SANITIZER, tool, *scheme, "--small", 1]
        steps.append(Step(f"{tool}, kernels of [bad18b]", command, after=(build.name,)))
    seven = [folder / "gpu_nttsuite_bench", "--check"]
    check = [*seven, 1, "--max-log-n", 14]
    steps.append(Step("kernels of [din24], 10^5 polynomials", check, after=(build.name,)))
    check = [*seven, 2, "--min-log-n", 15]
    steps.append(Step("kernels of [din24], n = 2^15 to 2^20", check, after=(build.name,)))
    for tool in sanitizers:  # the tuned kernels of n = 2^10, 2^12; larger ones have the same code
        command = [*SANITIZER, tool, *seven, 2, "--max-log-n", 12]
        steps.append(Step(f"{tool}, kernels of [din24]", command, after=(build.name,)))
    for paper in ("kim20", "bad18a"):
        check = [folder / "gpu_papers_bench", "--paper", paper, "--check"]
        after = (build.name,)
        steps.append(Step(f"kernels of [{paper}]", [*check, 1], after=after))
        for tool in sanitizers:
            command = [*SANITIZER, tool, *check, 2, "--limbs", 1]
            steps.append(Step(f"{tool}, kernels of [{paper}]", command, after=after))
    return steps


def python_steps(folder: Path) -> list[Step]:
    pytest = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"]
    files = sorted((ROOT / "python/tests/cuda").glob("test_*.py"))
    for tests in (
        "python/tests/*",
        "packages/compilers/tests",
        "packages/serve/tests",
        "packages/demo/tests",
    ):
        files += sorted(ROOT.glob(f"{tests}/test_*_devices.py"))
    steps = [Step(f"Python tests, {path.name}", [*pytest, path], forbidden=LEAK) for path in files]
    for name, code in PROGRAMS.items():
        program = f"import numpy as np, nttforge\n{code}"
        steps.append(Step(name, [sys.executable, "-c", program], forbidden=LEAK))
    selftest = [sys.executable, "-m", "nttforge", "selftest", "--device", "cuda"]
    steps.append(Step("self-test of the card", selftest, forbidden=LEAK))
    rings = [f"n = {2**k}" for k in (15, 14, 13, 12, 11, 10, 8)]  # the longest first
    for group in ("BFV [Bad18b]", *(f"{s} {ring}" for ring in rings for s in ("BFV", "BGV"))):
        circuits = [*selftest, "--only", group, "--circuits", "200"]
        steps.append(Step(f"200 circuits, {group}", circuits, forbidden=LEAK))
    # threads=0, BFV and n = 2^20: what a module that clashes with the C++ library fails in.
    module = [sys.executable, ROOT / "tools/check_exports.py", folder]
    return [*steps, Step("the module beside other C++ libraries", module)]


def example_steps(folder: Path, runner: Runner) -> list[Step]:
    prefix, out = folder / "prefix", folder / "gpu_cpp"
    install = ["cmake", "--install", folder, "--component", "development", "--prefix", prefix]
    configure = ["cmake", "-S", ROOT / "examples/gpu_cpp", "-B", out, "-G", "Ninja"]
    configure += [f"-DCMAKE_PREFIX_PATH={prefix}", "-DCMAKE_BUILD_TYPE=Release"]
    chain = [
        ("example in C++: install the library", install),
        ("example in C++: configure", configure),
        ("example in C++: build", ["cmake", "--build", out]),
        ("example in C++", [out / "gpu_example"]),
    ]
    steps = [
        Step(name, command, after=(chain[i - 1][0],) if i else ())
        for i, (name, command) in enumerate(chain)
    ]
    for module, name in (("torch", "gpu_pytorch.py"), ("cupy", "gpu_cupy.py")):
        if importlib.util.find_spec(module):
            run = [sys.executable, ROOT / "examples" / name]
            steps.append(Step(f"example {name}", run, forbidden=LEAK))
        else:
            runner.skip(f"example {name}", f"{module} is not installed")
    return steps


def fingerprint(folder: Path) -> str:
    """Digest of everything that the steps run."""
    files = [folder / "nttforge_cuda_test", *sorted((folder / "python/nttforge").glob("_core*.so"))]
    for sub in ("python/nttforge", "python/tests", "packages", "examples", "tools"):
        files += sorted((ROOT / sub).rglob("*.py"))
    found = hashlib.sha256()
    for path in files:
        found.update(str(path).encode() + path.read_bytes())
    return found.hexdigest()


if __name__ == "__main__":
    sys.exit(main())
