# SPDX-License-Identifier: Apache-2.0
"""No option of ``rtl generate`` is ignored: each changes what is emitted or said, or is refused."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable
from pathlib import Path

import pytest

from nttforge.cli import main
from nttforge_hardware.emit import files

#: Designs that options are added to; what is not asked for has its default.
BASES = {
    "plain": "--n 16 --bits 20 --dp 4 --pp 2",
    "limits": "--n 16 --bits 20 --max-dsp 40 --jobs 1",
    "buffers": "--n 16 --bits 20 --dp 4 --pp 2 --buffers word",
    "product": "--n 16 --bits 20 --dp 4 --pp 2 --direction product",
    "dgt": "--n 32 --bits 20 --dp 8 --pp 2 --transform dgt --core montgomery",
    "runtime": "--n 16 --bits 20 --dp 4 --pp 2 --moduli runtime --direction both",
    "runtime limits": "--n 16 --bits 20 --max-dsp 40 --jobs 1 --moduli runtime",
}
EVERY = frozenset(BASES)
CHOSEN = frozenset({"limits", "runtime limits"})
RUNTIME = frozenset({"runtime", "runtime limits"})

#: An option with a value, and the designs that it changes; the others refuse it.
OPTIONS: list[tuple[str, frozenset[str]]] = [
    ("--n 64", EVERY),
    ("--bits 24", EVERY),
    ("--limbs 2", EVERY),
    ("--moduli 257", EVERY),  # without --bits 20, see below
    ("--direction inverse", EVERY),
    ("--transform dgt", {"plain", "limits", "buffers"}),
    ("--ring cyclic", EVERY - {"dgt"}),
    ("--core solinas", EVERY - RUNTIME),
    ("--max-latency-us 0.0001", frozenset()),
    ("--max-dsp 1", frozenset()),
    ("--max-memory-kbits 0.01", frozenset()),
    ("--max-ramb18 0", frozenset()),
    ("--max-uram 1", frozenset()),
    ("--max-lut 1", frozenset()),
    ("--max-bandwidth-gb-s 0.001", frozenset()),
    ("--max-interval-gb-s 0.001", frozenset()),
    ("--memory-gb-s 1", EVERY - RUNTIME),
    ("--device ecp5", EVERY),
    ("--twiddles rom", frozenset()),
    ("--buffers frame", {"plain", "limits", "buffers", "dgt"}),
    ("--memories rom", frozenset()),
    ("--objective area", CHOSEN),
    ("--jobs 0", frozenset()),
    ("--max-latency-us 1000 --frequency-mhz 0.001", frozenset()),
    ("--pipeline fast", EVERY),
    ("--registers memory_regs=2", EVERY),
    ("--engines 2", RUNTIME),
    ("--tables 3", RUNTIME),
    ("--start frame", RUNTIME),
    ("--burst 16", RUNTIME),
    ("--layers 3", EVERY - {"dgt"}),
    ("--scheme ml-dsa", frozenset()),  # beside --bits
    ("--sets 5", EVERY - RUNTIME),
    ("--seed 7", EVERY),
    ("--axi", EVERY),
    ("--axi --tdata bytes", EVERY - RUNTIME),
    ("--tdata bytes", frozenset()),
    ("--name mine", EVERY),
    ("--prefix mine_", EVERY),
    ("--image-folder elsewhere", EVERY),
]  # fmt: skip


Written = Callable[[str], object]


@pytest.fixture
def written(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> Written:
    """What generate prints and emits but for the command, or the exit code 2 of a refusal."""
    emitted: dict[str, str] = {}
    monkeypatch.setattr(files, "write_design", lambda found, out, force: emitted.update(found))

    def generate(words: str) -> object:
        emitted.clear()
        code = main(["rtl", "generate", *shlex.split(words), "--out", str(tmp_path / "out")])
        said = capsys.readouterr()
        if code:
            assert code == 2 and not emitted
            assert len([line for line in said.err.splitlines() if "error: " in line]) == 1
            return code
        return said.out, {
            name: re.sub(r"nttforge rtl generate .*", "", text) for name, text in emitted.items()
        }

    return generate


@pytest.mark.parametrize("base", BASES)
def test_no_option_is_ignored(base: str, written: Written) -> None:
    plain = written(BASES[base])
    assert plain != 2
    wrong = []
    for words, changes in OPTIONS:
        if words in BASES[base]:
            continue
        start = BASES[base].replace("--bits 20 ", "") if "--moduli" in words else BASES[base]
        found = written(f"{start} {words}")
        if (found != 2) != (base in changes) or found == plain:
            wrong.append((words, "refused" if found == 2 else "taken", found == plain))
    assert not wrong


def test_recipes_of_large_memories(written: Written) -> None:
    """Recipes that change nothing else."""
    start = "--n 4096 --dp 4 --pp 2 --device xcup"
    plain = written(f"{start} --sets 1")
    assert written(f"{start} --sets 1 --memories ultra --max-uram 3") == 2
    assert written(f"{start} --sets 1 --memories ultra --max-uram 4") not in (2, plain)
    for option in ("--memories ultra", "--twiddles on_the_fly"):
        assert written(f"{start} --sets 1 {option}") not in (2, plain)
        assert written(f"{start} --moduli runtime {option}") == 2
