# SPDX-License-Identifier: Apache-2.0
"""The worked examples of examples/python, scaled down where they are long."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

import nttforge

ROOT = Path(__file__).resolve().parents[3]
FOLDER = ROOT / "examples" / "python"
EXAMPLES = {
    "statistics": (["--rows", "300"], "300 rows: 10 means, 55 covariances and 11 weights equal"),
    "lookup": (["--index", "7"], "row 7 of 569: 30 numbers, mean radius 13.7"),
    "retrieval": (["--index", "4000"], "record 4000 of 4096, 256 bytes, is right"),
    "network": (["--images", "100"], "100 encrypted images: scores equal the network's, 9"),
    "membership": ([], "not among them: marmalade, submarines, xylophones"),
    "counter": (["--operations", "60"], "60 operations on 128 encrypted counters, 11 bootstraps"),
    "division": (["--bits", "3"], "56 divisions of 3 bits, 18 products, 5 planned bootstraps"),
    "life": (["--generations", "12"], "12 generations of 8 x 8 encrypted cells, 60 bootstraps"),
    "similarity": (["--digits"], "1796 inner products of 128 are exact"),
}


def test_every_example_is_run() -> None:
    found = {path.stem.removeprefix("private_") for path in FOLDER.glob("private_*.py")}
    assert found == EXAMPLES.keys()


@pytest.mark.parametrize("name", EXAMPLES)
def test_example(name: str) -> None:
    arguments, said = EXAMPLES[name]
    command = [sys.executable, str(FOLDER / f"private_{name}.py"), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    assert said in done.stdout
    assert re.search(r"server: .* of processor time", done.stdout)
    page = (ROOT / "docs" / "examples" / f"{name}.md").read_text("utf-8")
    assert f"python examples/python/private_{name}.py" in page


def test_the_shared_library_through_ctypes() -> None:
    library = ROOT / "build/dev/libnttforge_c.so"
    if not library.exists():
        pytest.skip("the shared library is not built: make build")
    program = ROOT / "examples/shared_library.py"
    done = subprocess.run([sys.executable, program, library], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    version = nttforge.__version__
    assert done.stdout == f"nttforge {version}: the product modulo X^256 + 1 and 3329 is right\n"
    header = (ROOT / "nttforge/nttforge.h").read_text("utf-8")
    header = re.sub(r"/\*.*?\*/", "", header, flags=re.S)
    body = re.findall(r"typedef struct nttforge_spec \{(.*?)\}", header, re.S)[0]
    stated = re.findall(r'^        \("(\w+)", ', program.read_text("utf-8"), re.M)
    assert stated == re.findall(r"\b(\w+);", body)


def test_what_needs_are_shown_by_exists() -> None:
    rows = re.findall(r"^\| (\d+) \|.*", (ROOT / "docs" / "needs.md").read_text("utf-8"), re.M)
    assert rows == [str(i) for i in range(1, 27)]
    text = (ROOT / "docs" / "needs.md").read_text("utf-8")
    named = re.findall(r"`(?:python/tests/)?([a-z]+/test_\w+\.py)`", text)
    assert len(named) > 20
    assert [name for name in named if not (ROOT / "python" / "tests" / name).is_file()] == []
