# SPDX-License-Identifier: Apache-2.0
"""A design's own constants, tables and images against the definition; wrong ones are found."""

from __future__ import annotations

import json
import random
import re
from pathlib import Path

import pytest

from nttforge.errors import FormatError, ParameterError
from nttforge_hardware.emit.files import design_files, write_design
from nttforge_hardware.emit.product import product_files
from nttforge_hardware.plan.design import plan_design
from nttforge_hardware.plan.dgt import plan_dgt
from nttforge_hardware.plan.parameters import HardwareParameters
from nttforge_hardware.plan.product import plan_product
from nttforge_hardware.prove.folder import prove_folder
from nttforge_hardware.prove.folder_files import number_of

H = HardwareParameters


def _in_full(parameters: HardwareParameters) -> object:
    return pytest.param(parameters, marks=pytest.mark.full)


def _write(folder: Path, parameters: HardwareParameters, **more: str) -> Path:
    write_design(design_files(plan_design(parameters), sets=1, **more), folder)
    return folder


@pytest.mark.parametrize(
    "parameters",
    [
        H(64, (257,), "both", dp=4, pp=2),
        _in_full(H(64, (7681, 12289), "forward", dp=32, pp=1, pipeline="fast")),
        H(32, (193,), "inverse", "cyclic", dp=2, pp=5, pipeline="small"),
        _in_full(H(64, (7681,), "both", dp=8, pp=6, core="barrett")),
        _in_full(H(64, (2**30 - 2**18 + 1,), "both", dp=4, pp=3, core="solinas")),
        _in_full(H(2048, (12289,), "both", dp=2, pp=1, twiddles="on_the_fly")),
    ],
    ids=str,
)
def test_designs_hold_what_they_should(tmp_path: Path, parameters: HardwareParameters) -> None:
    findings = prove_folder(_write(tmp_path, parameters))
    assert [f for f in findings if not f.proved] == []
    p, directions = parameters, len(parameters.directions)
    assert len(findings) == 1 + p.bp * (2 + 2 * directions)
    read = [f.entries for f in findings if f.name.endswith("twiddles as read")]
    assert read == [p.n // 2 * p.log_n] * p.bp * directions


def test_dgt_products_and_prefixes(tmp_path: Path) -> None:
    dgt = plan_dgt(64, (2**13 - 1,), "both", dp=8, pp=2, core="barrett")
    write_design(design_files(dgt, sets=1, folder="/else/where/"), tmp_path / "dgt")
    product = plan_product(H(16, (97,), dp=2, pp=4))
    write_design(product_files(product, sets=1, prefix="mine_"), tmp_path / "product")
    for folder in ("dgt", "product"):
        assert all(f.proved and f.entries for f in prove_folder(tmp_path / folder))


def _change(path: Path, pattern: str, new: str) -> None:
    text = path.read_text()
    changed = re.sub(pattern, new, text, count=1)
    assert changed != text, pattern
    path.write_text(changed)


_LIMB = "rtl/ntt_limb_0.sv"


@pytest.mark.parametrize(
    ("name", "pattern", "new", "message"),
    [
        ("twiddles/ntt_limb_0_super_pipeline_0.hex", r"[1-9a-e]\n", "f\n", "gives"),
        (_LIMB, r"\.EXCHANGE\((\d+)'h\w", r".EXCHANGE(\1'h0", "exchange|butterfly|delay"),
        (_LIMB, r"\.DELAY\((\d+)'h.", r".DELAY(\1'h0", "too short|cycles|close|overlap"),
        (_LIMB, r"\.INDEX_BIT\((\d+)'h.", r".INDEX_BIT(\1'h0", "gives|not in the memory"),
        (_LIMB, r"\.FROM_LANE\((\d+)'h.", r".FROM_LANE(\1'h0", "gives|not read"),
        (_LIMB, r"CONSTANT = (\d+)'d\d+", r"CONSTANT = \1'd5", "CONSTANT = 5 is not 1 / Q"),
        (_LIMB, r"32'd\d+(,  // TWO_ADICITY)", r"32'd30\1", "TWO_ADICITY"),
    ],
)
def test_a_wrong_entry_is_found(
    tmp_path: Path, name: str, pattern: str, new: str, message: str
) -> None:
    folder = _write(tmp_path, H(64, (7681,), "both", dp=8, pp=2, core="montgomery"))
    _change(folder / name, pattern, new)
    problems = [text for f in prove_folder(folder) for text in f.problems]
    assert problems and any(re.search(message, text) for text in problems), problems


def test_every_word_of_an_image_matters(tmp_path: Path) -> None:
    folder = _write(tmp_path, H(32, (97,), "both", "cyclic", dp=4, pp=2, pipeline="small"))
    source, images = random.Random(1), sorted((folder / "twiddles").iterdir())
    for path in images:
        whole = path.read_text()
        lines = whole.splitlines()
        for number, line in enumerate(lines):
            wrong = int(line, 16) ^ 1 << source.randrange(14)
            path.write_text("\n".join([*lines[:number], f"{wrong:x}", *lines[number + 1 :]]))
            assert not all(f.proved for f in prove_folder(folder)), (path.name, number)
        path.write_text(whole)
    assert all(f.proved for f in prove_folder(folder))


def test_files_that_anybody_may_have_changed(tmp_path: Path) -> None:
    folder = _write(tmp_path, H(16, (97,), dp=4, pp=1))
    image = "twiddles/ntt_limb_0_super_pipeline_0.hex"
    good = {name: (folder / name).read_text() for name in (image, _LIMB, "design.json")}
    manifest = json.loads(good["design.json"])
    for name, text, message in (
        (image, "zz\n" + good[image], r"line 1: 'zz' is no word"),
        (image, good[image] + "0\n", "words, the memory"),
        (image, "f" * 40 + good[image][14:], "more than 14 bits|words, the memory"),
        (_LIMB, good[_LIMB].replace("twiddles/", "../../etc/"), "does not lie in twiddles"),
        (_LIMB, good[_LIMB].replace("CORE = {", "CODE = {"), "no constant CORE"),
        (_LIMB, good[_LIMB].replace(".LANES(4)", ".LANES(8)"), "LANES and WORDS are not those"),
        (_LIMB, good[_LIMB].replace(".PASSES(4)", ".PASSES(4'dx)"), "is no number"),
        (_LIMB, good[_LIMB].replace(".ROWS(4)", ".ROWS(-4)"), "ROWS = -4 must be in 0"),
    ):
        assert text != good[name], message
        (folder / name).write_text(text)
        with pytest.raises(FormatError, match=message):
            prove_folder(folder)
        (folder / name).write_text(good[name])
    for field, value in (("n", 15), ("n", "16"), ("dp", 3), ("ring", "?"), ("moduli", [])):
        changed = manifest | {"parameters": manifest["parameters"] | {field: value}}
        (folder / "design.json").write_text(json.dumps(changed))
        with pytest.raises(FormatError):
            prove_folder(folder)
    changed = manifest | {"parameters": manifest["parameters"] | {"moduli": [193]}}
    (folder / "design.json").write_text(json.dumps(changed))
    assert prove_folder(folder)[1].problems == ("Q of the limbs are [97], moduli [193]",)
    changed = manifest | {"parameters": manifest["parameters"] | {"kind": "sieve"}}
    (folder / "design.json").write_text(json.dumps(changed))
    with pytest.raises(ParameterError, match="kind 'sieve'"):
        prove_folder(folder)
    with pytest.raises(FormatError, match="is no number"):
        number_of("32'dz")
    with pytest.raises(FormatError, match="takes more than its 4 bits"):
        number_of("4'h10")


def test_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from nttforge.cli import main

    folder = _write(tmp_path, H(16, (97,), dp=4, pp=1))
    assert main(["rtl", "prove", str(folder)]) == 0
    assert "as defined" in capsys.readouterr().out
    _change(folder / _LIMB, r"\.DELAY\((\d+)'h.", r".DELAY(\1'h0")
    assert main(["rtl", "prove", str(folder), "--json"]) == 1
    assert any(f["problems"] for f in json.loads(capsys.readouterr().out))
