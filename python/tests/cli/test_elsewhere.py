# SPDX-License-Identifier: Apache-2.0
"""Commands that the package does not bring: they say where they are, or run what is registered."""

from __future__ import annotations

from importlib.metadata import EntryPoint, EntryPoints

import pytest

from nttforge.cli import elsewhere, main

Capture = pytest.CaptureFixture[str]


def registered(monkeypatch: pytest.MonkeyPatch, *entries: EntryPoint) -> None:
    found = EntryPoints(entries)
    monkeypatch.setattr(elsewhere, "entry_points", found.select)


@pytest.mark.parametrize("name", elsewhere.ELSEWHERE)
@pytest.mark.parametrize(
    "words", [(), ("--help",), ("cpu", "--rounds", "1"), ("--out", "x", "all")]
)
def test_a_missing_command_says_how_to_get_it(
    monkeypatch: pytest.MonkeyPatch, capsys: Capture, name: str, words: tuple[str, ...]
) -> None:
    registered(monkeypatch)
    assert main([name, *words]) == 2
    said = capsys.readouterr()
    assert said.out == "" and said.err.count("\n") == 1
    assert f"nttforge {name} is not in the package" in said.err
    assert elsewhere.ELSEWHERE[name][1] in said.err


def test_a_registered_module_is_the_command(
    monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    registered(monkeypatch, EntryPoint("bench", "nttforge.cli.primes", elsewhere.GROUP))
    assert main(["bench", "--n", "8", "--bits", "10"]) == 0
    assert "1009" in capsys.readouterr().out


def test_one_that_cannot_be_imported_leaves_the_others(
    monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    registered(monkeypatch, EntryPoint("bench", "nttforge_bench.gone", elsewhere.GROUP))
    assert main(["ntt", "--q", "17", "1", "2", "3", "4"]) == 0
    capsys.readouterr()
    assert main(["bench", "cpu"]) == 2
    assert "nttforge bench cannot be loaded" in capsys.readouterr().err
