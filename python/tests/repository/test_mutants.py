# SPDX-License-Identifier: Apache-2.0
"""tools/mutants.py: what it replaces stands there, and the tests that must die are there."""

import importlib
import re
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture
def mutants(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(ROOT / "tools"))
    return importlib.import_module("mutants")


def test_every_mutant_has_its_text_and_its_test(mutants: ModuleType) -> None:
    assert len({mutant.file for mutant in mutants.MUTANTS}) == len(mutants.MUTANTS) == 10
    for mutant in mutants.MUTANTS:
        assert mutants.changed(mutant) != (ROOT / mutant.file).read_text("utf-8")
        if ".py" in mutant.test:
            assert (ROOT / mutant.test.split("::")[0]).is_file(), mutant
            continue
        folder, _, part = mutant.test.partition(" ")
        texts = [
            path.read_text("utf-8") for path in (ROOT / "nttforge" / folder).rglob("*_test.cpp")
        ]
        names = re.findall(r'NTTF_TEST\(\s*"([^"]*)"', "".join(texts))
        assert part and any(part in name for name in names), mutant


def test_a_text_that_moved_is_named(mutants: ModuleType) -> None:
    mutant = mutants.Mutant("nttforge/rlwe/galois.cpp", "no such text", "", "rlwe Galois")
    with pytest.raises(mutants.MutantError, match=r"galois\.cpp has 0 times 'no such text'"):
        mutants.changed(mutant)
