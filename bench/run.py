"""Run every benchmark program and keep its figures with machine, compiler flags and commit.

Each program verifies its outputs before it times anything. Figures go to OUT/<program>.json.
"""

import argparse
import json
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent


def commit() -> str:
    described = subprocess.run(
        ["git", "describe", "--always", "--dirty"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    return described.stdout.strip() or "unknown"


def compile_flags(build: pathlib.Path) -> str:
    """Flags of the portable part of the library, as the build recorded them."""
    database = build / "compile_commands.json"
    if not database.exists():
        return "unknown"
    for entry in json.loads(database.read_text()):
        if entry["file"].endswith("ntt/plan.cpp"):
            words = entry["command"].split()
            return " ".join(
                word for word in words if word.startswith(("-O", "-m", "-f", "-std", "-D"))
            )
    return "unknown"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--build", type=pathlib.Path, default=ROOT / "build/dev", help="CMake build folder"
    )
    parser.add_argument(
        "--out", type=pathlib.Path, default=ROOT / "out/bench", help="where the JSON files go"
    )
    arguments = parser.parse_args()
    programs = sorted(arguments.build.glob("*_bench"))
    if not programs:
        print(
            f"no benchmark programs in {arguments.build}: run `make build` first", file=sys.stderr
        )
        return 2
    arguments.out.mkdir(parents=True, exist_ok=True)
    for program in programs:
        target = arguments.out / f"{program.name}.json"
        print(f"{program.name} -> {target}", flush=True)
        command = [
            program,
            "--json",
            target,
            "--flags",
            compile_flags(arguments.build),
            "--commit",
            commit(),
        ]
        if subprocess.run(command, check=False).returncode != 0:
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
