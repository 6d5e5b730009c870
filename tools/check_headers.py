# SPDX-License-Identifier: Apache-2.0
"""Check that every C++ header of the library, internal ones too, compiles alone and twice.

So do those of the papers' kernels. Headers of an instruction set are compiled with its flags
(cmake/targets.cmake), those of another processor's are left out. Headers for the CUDA compiler
(*.cuh, and what measures on GPUs) are left to the build. What compiled before with the same text,
compiler and flags is not compiled again: the build folder keeps a list.
"""

import argparse
import hashlib
import os
import pathlib
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

ROOT = pathlib.Path(__file__).resolve().parent.parent
FLAGS = (
    "-std=c++20",
    "-fsyntax-only",
    "-Wall",
    "-Wextra",
    "-Werror",
    "-Wno-unknown-warning-option",
)
INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]+)"', re.MULTILINE)


def machine_flags() -> list[str]:
    """The flags of the largest instruction set, as cmake/targets.cmake has them."""
    text = (ROOT / "cmake/targets.cmake").read_text(encoding="utf-8")
    return sorted(set(re.findall(r" (-m(?!tune)[a-z0-9]+)", text)))


def texts_of(header: str, folder: pathlib.Path, seen: dict[str, str]) -> dict[str, str]:
    """``header`` and what it includes of the library, with their texts, added to ``seen``."""
    if header not in seen and (folder / header).is_file():
        seen[header] = (folder / header).read_text(encoding="utf-8")
        for name in INCLUDE.findall(seen[header]):
            texts_of(name, folder, seen)
    return seen


def compile_alone(header: str, folder: pathlib.Path, command: list[str]) -> str:
    """What the compiler says of a file that only includes ``header``, twice; "" if nothing."""
    text = f'#include "{header}"\n#include "{header}"\n'
    whole = [*command, f"-I{folder}", "-x", "c++", "-"]
    done = subprocess.run(whole, input=text, capture_output=True, text=True, check=False)
    return "" if done.returncode == 0 else f"{header} does not compile alone:\n{done.stderr}"


def check(
    headers: list[str], folder: pathlib.Path, command: list[str], passed: set[str]
) -> list[str]:
    """The problems of ``headers`` in ``folder``; ``passed`` holds and gets digests of good ones."""
    version = subprocess.run([command[0], "--version"], capture_output=True, text=True, check=True)

    def digest_of(header: str) -> str:
        texts = sorted(texts_of(header, folder, {}).items())
        return hashlib.sha256(repr((version.stdout, command, header, texts)).encode()).hexdigest()

    digests = {header: digest_of(header) for header in headers}
    left = [header for header in headers if digests[header] not in passed]
    with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        found = list(pool.map(lambda header: compile_alone(header, folder, command), left))
    passed.update(
        digests[header] for header, problem in zip(left, found, strict=True) if not problem
    )
    return [problem for problem in found if problem]


def self_test(command: list[str]) -> list[str]:
    """A header that leaves out what it needs must be found, and one that may come only once."""
    cases = {
        "good.hpp": "#pragma once\n#include <vector>\nstd::vector<int> good();\n",
        "missing.hpp": "#pragma once\nstd::vector<int> missing();\n",
        "twice.hpp": "struct Twice {};\n",
    }
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for file, text in cases.items():
            (folder / file).write_text(text, encoding="utf-8")
        found = [text.split()[0] for text in check(list(cases), folder, command, set())]
    return [] if found == ["missing.hpp", "twice.hpp"] else [f"self-test found {found}"]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("build", type=pathlib.Path, help="folder that keeps the list of good ones")
    parser.add_argument("--self-test", action="store_true", help="show that the check can fail")
    options = parser.parse_args()
    command = [os.environ.get("CXX", "c++"), *FLAGS]
    paths = [*ROOT.glob("nttforge/**/*.hpp"), *ROOT.glob("papers/kernels/**/*.hpp")]
    paths = [path for path in paths if '"bench/gpu_' not in path.read_text(encoding="utf-8")]
    headers = sorted(path.relative_to(ROOT).as_posix() for path in paths)
    here = os.uname().machine == "x86_64"
    command += machine_flags() if here else []
    foreign = "lanes_neon" if here else "avx"  # intrinsics of another processor
    headers = [name for name in headers if foreign not in name and not name.endswith("_wasm.hpp")]
    kept = options.build / "headers.txt"
    passed = set(kept.read_text(encoding="utf-8").split()) if kept.is_file() else set()
    problems = check(headers, ROOT, command, passed)
    kept.write_text("\n".join(sorted(passed)) + "\n", encoding="utf-8")
    problems += self_test(command) if options.self_test else []
    print("\n".join(problems) or f"{len(headers)} headers compile alone")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
