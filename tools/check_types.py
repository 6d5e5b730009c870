# SPDX-License-Identifier: Apache-2.0
"""Check types with mypy --strict and pyright: the packages, examples, and the typing cases.

python tools/check_types.py BUILD [--sample | --systems]

With --sample pyright looks at what a user writes alone: the examples, the documents' programs and
the typing cases, with all that these call; mypy looks at everything all the same. With --systems
mypy looks at the packages a second and a third time as on Windows and macOS: what Python lacks
there stands only where the system was asked for (nttforge/_system.py).

Both see what a user has installed: the package with the stubs of the compiled module, the examples,
the Python of README.md and docs/encrypted-computing.md, and python/tests/package/typing_cases.py.
There a line that ends in "# expect-error" must be an error for both, and no other line may be one.

basedpyright is pyright with its JavaScript inside the wheel; pyright's own package on PyPI loads it
from another registry at its first run.
"""

from __future__ import annotations

import argparse
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

from code_blocks import blocks_of
from test_consumer import ROOT

CASES = "typing_cases.py"
#: The package, and those of the repository that stand on it.
PACKAGES = (
    "python/nttforge",
    "bench/nttforge_bench",
    "papers/nttforge_papers",
    *(str(path.parent.relative_to(ROOT)) for path in sorted(ROOT.glob("packages/*/*/py.typed"))),
)
#: The guide is for reading: no annotations, and it knows which keys and bounds are there.
_GUIDE = """# mypy: allow-untyped-defs, allow-untyped-calls
# mypy: disable-error-code="union-attr, operator"
# pyright: reportOptionalMemberAccess=false, reportOptionalOperand=false
# pyright: reportOperatorIssue=false"""

#: Calls that Windows lacks, the third also macOS.
_UNGUARDED = """from fcntl import flock
import os
import signal

os.killpg(0, 9)
os.sched_getaffinity(0)
signal.raise_signal(signal.SIGKILL)
"""

_PYRIGHT = {
    "typeCheckingMode": "standard",
    "reportMissingImports": False,  # CuPy, PyTorch
    "reportMissingModuleSource": False,
}


def lay_out(build: pathlib.Path, tree: pathlib.Path) -> list[str]:
    """The packages, with stubs, and the programs that use it; returns the programs' names."""
    shutil.rmtree(tree, ignore_errors=True)
    ignored = shutil.ignore_patterns("__pycache__", "*.so", "_core")
    for package in PACKAGES:
        shutil.copytree(ROOT / package, tree / package.rpartition("/")[2], ignore=ignored)
    stubs = build / "python" / "nttforge" / "_core"
    if not (stubs / "__init__.pyi").is_file():
        sys.exit(f"{stubs} holds no stubs of the compiled module: run make build first")
    shutil.copytree(stubs, tree / "nttforge" / "_core")
    programs = {p.name: p.read_text("utf-8") for p in sorted((ROOT / "examples").glob("*.py"))}
    workings = sorted((ROOT / "examples" / "python").glob("*.py"))
    programs |= {p.name: p.read_text("utf-8") for p in workings}
    programs[CASES] = (ROOT / "python/tests/package" / CASES).read_text("utf-8")
    for i, block in enumerate(_python("README.md")):
        programs[f"readme_{i}.py"] = block
    guide = _python("docs/encrypted-computing.md")
    programs["encrypted_computing.py"] = "\n".join([_GUIDE, *guide])
    for name, text in programs.items():
        (tree / name).write_text(text, "utf-8")
    return list(programs)


def _python(name: str) -> list[str]:
    return [b.code for b in blocks_of(name) if b.language == "python" and not b.reason]


def mypy(
    tree: pathlib.Path, programs: list[str], system: str = sys.platform
) -> dict[tuple[str, int], str]:
    """Errors by file and line, on a system as ``sys.platform`` names it."""
    command = [sys.executable, "-m", "mypy", "--config-file", str(ROOT / "pyproject.toml")]
    command += ["--no-error-summary", "--no-pretty", "--hide-error-context"]
    command += ["--platform", system]
    command += ["--cache-dir", str(tree.parent / "mypy_cache")]
    names = [package.rpartition("/")[2] for package in PACKAGES]
    run = subprocess.run([*command, *names, *programs], cwd=tree, text=True, capture_output=True)
    if run.returncode not in (0, 1):
        sys.exit(f"mypy failed: {run.stdout}{run.stderr}")
    found = re.findall(r"^([^:\n]+):(\d+): error: (.*)$", run.stdout, re.MULTILINE)
    return {(path, int(line)): text for path, line, text in found}


def pyright(tree: pathlib.Path, programs: list[str] | None) -> dict[tuple[str, int], str]:
    """Errors by file and line, of the programs or of everything."""
    # In the tree itself: from the root, nttforge would be the folder of the C++ sources.
    settings = _PYRIGHT if programs is None else {**_PYRIGHT, "include": programs}
    (tree / "pyrightconfig.json").write_text(json.dumps(settings), "utf-8")
    command = [sys.executable, "-m", "basedpyright", "--outputjson", "-p", str(tree)]
    run = subprocess.run(command, cwd=tree, text=True, capture_output=True)
    try:
        said = json.loads(run.stdout)
    except ValueError:
        sys.exit(f"basedpyright failed: {run.stdout}{run.stderr}")
    if said["summary"]["filesAnalyzed"] < (100 if programs is None else len(programs)):
        sys.exit(f"basedpyright looked at {said['summary']['filesAnalyzed']} files only")
    return {
        (os.path.relpath(d["file"], tree), d["range"]["start"]["line"] + 1): d["message"]
        for d in said["generalDiagnostics"]
        if d["severity"] == "error"
    }


def elsewhere(tree: pathlib.Path) -> list[str]:
    """Errors of the package on other systems; each must find what a file of its own lacks there."""
    (tree / "unguarded.py").write_text(_UNGUARDED, "utf-8")
    problems = []
    for system, missing in (("win32", {1, 5, 6, 7}), ("darwin", {6})):
        errors = mypy(tree, ["unguarded.py"], system)
        found = {line for path, line in errors if path == "unguarded.py"}
        if found != missing:
            sys.exit(f"as on {system} mypy found lines {found} of the bad file, not {missing}")
        problems += [
            f"mypy, on {system}: {path}:{line}: {text}"
            for (path, line), text in sorted(errors.items())
            if path != "unguarded.py"
        ]
    (tree / "unguarded.py").unlink()
    return problems


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build", type=pathlib.Path, help="CMake build folder with the stubs")
    parser.add_argument("--sample", action="store_true", help="pyright for the programs alone")
    parser.add_argument("--systems", action="store_true", help="also as on Windows and macOS")
    options = parser.parse_args()
    build = options.build.absolute()
    tree = ROOT / "build" / "types"
    programs = lay_out(build, tree)
    lines = (tree / CASES).read_text("utf-8").splitlines()
    wanted = {(CASES, i) for i, line in enumerate(lines, 1) if line.endswith("# expect-error")}
    if len(wanted) < 10:
        sys.exit(f"{CASES} has {len(wanted)} lines that must be errors: something is wrong with it")
    problems = elsewhere(tree) if options.systems else []
    print("".join(f"{line}\n" for line in problems), end="")
    failures = len(problems)
    seen = pyright(tree, programs if options.sample else None)
    for name, errors in (("mypy", mypy(tree, programs)), ("basedpyright", seen)):
        for (path, line), text in sorted(errors.items()):
            if (path, line) not in wanted:
                print(f"{name}: {path}:{line}: {text}")
                failures += 1
        for path, line in sorted(wanted - errors.keys()):
            print(f"{name}: {path}:{line}: must be an error: {lines[line - 1].strip()}")
            failures += 1
    if failures:
        sys.exit(f"{failures} errors of types (paths below {tree.relative_to(ROOT)})")
    print(
        f"types hold: the packages, {len(programs)} programs, {len(wanted)} errors that must be"
        + ("; the packages on Windows and macOS" if options.systems else "")
    )


if __name__ == "__main__":
    main()
