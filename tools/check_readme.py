# SPDX-License-Identifier: Apache-2.0
"""Run the code of the README: python blocks, cpp blocks (against the installed library), "$" lines.

The python blocks of docs/encrypted-computing.md are one program; its errors name the page's lines.
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


def blocks_to_run(text: str, name: str, languages: tuple[str, ...]) -> list[re.Match[str]]:
    """The blocks that are not skipped; ends the program at one that could not be run."""
    found = list(BLOCK.finditer(text))
    if text.count("```") != 2 * len(found):
        sys.exit(f"{name}: a block does not begin with ``` and a language")
    for match in found:
        if match["language"] not in languages:
            sys.exit(f"{name}: {match['language']} is none of {', '.join(languages)}")
        if match["skip"]:
            print(f"not run ({match['skip']}): {match['code'].splitlines()[0]}")
    return [match for match in found if not match["skip"]]


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


def run_readme(build: pathlib.Path) -> bool:
    """Each block by itself; whether there were any of python and C++."""
    ran = {"python": 0, "cpp": 0, "console": 0}
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    for match in blocks_to_run(text, "README.md", tuple(ran)):
        language, code = match["language"], match["code"]
        with tempfile.TemporaryDirectory() as folder:
            if language == "python":
                subprocess.run([sys.executable, "-c", code], cwd=folder, check=True)
            elif language == "cpp":
                run_cpp(code, build, folder)
            else:
                run_shell(code, folder)
        ran[language] += 1
    print(f"README blocks run: {ran}")
    return ran["python"] > 0 and ran["cpp"] > 0


def run_guide(guide: pathlib.Path) -> bool:
    """All python blocks as one program, then those for a shell; whether there were any."""
    text, program = guide.read_text(encoding="utf-8"), ""
    blocks = blocks_to_run(text, guide.name, ("python", "console"))
    for match in blocks:
        if match["language"] != "python":
            continue
        line = text.count("\n", 0, match.start("code"))
        program += "\n" * (line - program.count("\n")) + match["code"]
    with tempfile.TemporaryDirectory() as folder:
        (pathlib.Path(folder) / guide.name).write_text(program, encoding="utf-8")
        subprocess.run([sys.executable, guide.name], cwd=folder, check=True)
        for match in blocks:
            if match["language"] == "console":
                run_shell(match["code"], folder)
    print(f"{guide.name}: {len(blocks)} blocks run")
    return len(blocks) > 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("build", type=pathlib.Path, help="CMake build folder of the library")
    build = parser.parse_args().build.resolve()
    complete = run_readme(build)
    complete = run_guide(ROOT / "docs/encrypted-computing.md") and complete
    return 0 if complete else 1


if __name__ == "__main__":
    sys.exit(main())
