# SPDX-License-Identifier: Apache-2.0
"""Committed vectors and tables are what the oracle writes; doctests; no dependencies."""

import doctest
import hashlib
import importlib
import json
import os
import pkgutil
import subprocess
import sys
from pathlib import Path

import pytest

import nttforge.spec
import nttforge_oracle
from nttforge_oracle.__main__ import main
from nttforge_oracle.vectors import FILES, MADE, format, rules

ROOT = Path(__file__).parents[3]
VECTORS = ROOT / "tests" / "vectors"


def modules():
    return [
        module.name
        for package in (nttforge.spec, nttforge_oracle)
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}.")
    ]


@pytest.mark.parametrize("name", modules())
def test_doctests(name):
    assert doctest.testmod(importlib.import_module(name)).failed == 0


def test_the_doctests_exist():
    assert len(modules()) >= 20


@pytest.mark.full
def test_committed_vectors_are_what_the_oracle_writes(capsys):
    """Ten seconds, which ``make check`` takes already."""
    assert main(["vectors", "--check", "--out", str(VECTORS)]) == 0, capsys.readouterr().out


def test_committed_tables_are_what_the_oracle_writes(capsys):
    header = ROOT / "nttforge" / "random" / "gaussian_tables.hpp"
    assert main(["gaussian-tables", "--check", "--out", str(header)]) == 0, capsys.readouterr().out


def test_the_long_ones_are_made_as_their_digests_say(tmp_path):
    """What the build of the C++ tests does."""
    assert main(["made-vectors", "--out", str(tmp_path)]) == 0
    made = {p.name: hashlib.sha256(p.read_bytes()).hexdigest() for p in tmp_path.iterdir()}
    lines = (VECTORS / "made.sha256").read_text().splitlines()
    assert made == {name: digest for digest, name in (line.split() for line in lines)}
    assert set(made) == set(MADE)
    cmake = (ROOT / "CMakeLists.txt").read_text()
    assert all(f"/vectors/{name}" in cmake for name in MADE)


def test_check_notices_a_change_and_a_missing_file(tmp_path, capsys):
    header = tmp_path / "tables.hpp"
    arguments = ["gaussian-tables", "--out", str(header)]
    assert main([*arguments, "--check"]) == 1
    assert not header.exists()
    assert main(arguments) == 0
    assert main([*arguments, "--check"]) == 0
    header.write_text(header.read_text().replace("0x0ff5", "0x0ff6"))
    assert main([*arguments, "--check"]) == 1
    assert "tables.hpp differs from what the oracle writes: run" in capsys.readouterr().out


def test_vector_files_are_complete_and_small():
    kept = sorted(set(FILES) - set(MADE))
    assert sorted(p.name for p in VECTORS.glob("*.json")) == kept
    for name in kept:
        content = json.loads((VECTORS / name).read_text())
        assert content["command"].endswith("nttforge_oracle vectors")
        assert len(content["description"]) > 50
    assert sum(p.stat().st_size for p in VECTORS.glob("*.json")) < 950_000


def test_numbers_in_the_vectors_fit_64_bits():
    def check(value):
        if isinstance(value, dict):
            value = list(value.values())
        if isinstance(value, list):
            for v in value:
                check(v)
        elif isinstance(value, int):
            assert -(2**63) <= value < 2**64
        else:
            assert isinstance(value, str)

    for path in VECTORS.glob("*.json"):
        check(json.loads(path.read_text()))


def test_json_layout_reads_back():
    value = {
        "a": [],
        "b": list(range(200)),
        "c": [{"x": "y" * 100}, {"z": [[1, 2], [3]] * 40}],
        "d": -1,
    }
    text = format.to_json(value)
    assert json.loads(text) == value
    assert max(map(len, text.splitlines())) <= format.WIDTH + 10


def test_splitmix64_of_the_reference():
    """First outputs of the generator with state 0: states are multiples of the increment."""
    increment = 0x9E3779B97F4A7C15
    outputs = [rules.splitmix64(i * increment % 2**64) for i in range(3)]
    assert outputs == [0xE220A8397B1DCDAF, 0x6E789E6AA1B965F4, 0x06C45D188009454F]


def test_the_oracle_needs_neither_the_extension_nor_numpy():
    code = (
        "import sys, nttforge_oracle.__main__\n"
        "loaded = {m.partition('.')[0] for m in sys.modules}\n"
        "assert not {m for m in sys.modules if m.startswith('nttforge._core')}, 'extension'\n"
        "assert 'numpy' not in loaded, 'numpy'\n"
    )
    # -S would hide an installed nttforge; the source tree stands in front of it.
    path = os.pathsep.join(str(ROOT / folder) for folder in ("python", "packages/oracle"))
    subprocess.run([sys.executable, "-c", code], check=True, env={"PYTHONPATH": path})
