"""Run the code of the README: python blocks, cpp blocks (against the installed library), "$" lines.

A block is skipped only if the line before it is <!-- not run: reason -->; the reason is printed.
"""

import argparse
import pathlib
import re
import subprocess
import sys
import tempfile

from test_consumer import ROOT, build_consumer, installed_prefix

BLOCK = re.compile(
    r"(?:<!-- not run: (?P<skip>[^>]*) -->\n)?```(?P<language>\w+)\n(?P<code>.*?)```", re.DOTALL
)


def run_shell(code: str, folder: str) -> None:
    for line in code.splitlines():
        if line.startswith("$ "):
            command = ["bash", "-ec", line[2:]]
            subprocess.run(command, cwd=folder, check=True, stdout=subprocess.DEVNULL)


def run_cpp(code: str, build: pathlib.Path, folder: str) -> None:
    source = pathlib.Path(folder) / "source"
    source.mkdir(exist_ok=True)
    (source / "CMakeLists.txt").write_text((ROOT / "tests/consumer/CMakeLists.txt").read_text())
    (source / "main.cpp").write_text(code)
    build_consumer(source, pathlib.Path(folder) / "build", installed_prefix(build))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("build", type=pathlib.Path, help="CMake build folder of the library")
    build = parser.parse_args().build.resolve()
    ran: dict[str, int] = {}
    for match in BLOCK.finditer((ROOT / "README.md").read_text(encoding="utf-8")):
        language, code = match["language"], match["code"]
        if match["skip"]:
            print(f"not run ({match['skip']}): {code.splitlines()[0]}")
            continue
        with tempfile.TemporaryDirectory() as folder:
            if language == "python":
                subprocess.run([sys.executable, "-c", code], cwd=folder, check=True)
            elif language == "cpp":
                run_cpp(code, build, folder)
            elif language == "console":
                run_shell(code, folder)
            else:
                continue
        ran[language] = ran.get(language, 0) + 1
    print(f"README blocks run: {ran}")
    return 0 if ran.get("python") and ran.get("cpp") else 1


if __name__ == "__main__":
    sys.exit(main())
