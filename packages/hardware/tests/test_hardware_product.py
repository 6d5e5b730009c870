# SPDX-License-Identifier: Apache-2.0
"""Product pipelines against the oracle, and the flags that bad input sets."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest
from marks import needs

from nttforge.cli import main
from nttforge.errors import ParameterError
from nttforge.spec.fast import negacyclic_product
from nttforge_hardware import HardwareParameters, plan_design
from nttforge_hardware.emit.files import design_files, write_design
from nttforge_hardware.emit.product import product_files
from nttforge_hardware.plan.devices import device_pipeline
from nttforge_hardware.plan.primes import usable_primes
from nttforge_hardware.plan.product import plan_product
from nttforge_hardware.tools.simulate import simulate_files
from nttforge_hardware.tools.synthesis import synthesise
from nttforge_oracle import fips

SEED = 20261122
H = HardwareParameters


def _products() -> dict[str, HardwareParameters]:
    mixed = (usable_primes(16, 14, 1)[0], usable_primes(16, 18, 1)[0])
    return {
        "two_stages": H(32, usable_primes(32, 20, 1), dp=4, pp=2),
        "cyclic": H(16, (2**13 - 2**9 + 1,), dp=2, pp=4, ring="cyclic"),
        "mixed": H(16, mixed, dp=4, pp=1),
        "remainders": H.incomplete(32, [97, 193], 4, dp=2, pp=2),
        "cyclic_remainders": H.incomplete(32, [97], 4, dp=2, pp=2, ring="cyclic", pipeline="small"),
    }


def test_the_steps_give_the_product() -> None:
    source = random.Random(SEED)
    for p in (*_products().values(), H(64, usable_primes(64, 30, 2), dp=8, pp=3, core="barrett")):
        if p.ring != "negacyclic":
            continue
        design = plan_product(p)
        for prime, q in enumerate(p.moduli[:: p.degree]):
            a, b = ([source.randrange(q) for _ in range(p.n * p.degree)] for _ in range(2))
            assert design.compute(prime, a, b) == negacyclic_product(a, b, q)


def test_products_of_ml_kem_are_those_of_the_standard() -> None:
    """FIPS 203, Algorithms 9 to 12, line by line."""
    source = random.Random(SEED)
    a, b = ([source.randrange(fips.KEM_Q) for _ in range(256)] for _ in range(2))
    design = plan_product(H.incomplete(256, [fips.KEM_Q], 7, dp=4, pp=7))
    values = fips.kem_multiply(fips.kem_ntt(a), fips.kem_ntt(b))
    assert design.compute(0, a, b) == fips.kem_inverse(values)
    assert design.gammas(0)[:2] == [17, fips.KEM_Q - 17]
    with pytest.raises(ParameterError, match=r"leaves remainders of degree 3: .* take layers = 7"):
        plan_product(H.incomplete(256, [fips.KEM_Q], 6))


@needs("pyosys")
@pytest.mark.full
def test_products_of_remainders_take_the_predicted_blocks(tmp_path: Path) -> None:
    pipeline = device_pipeline("xc7")
    design = plan_product(H.incomplete(16, [97], 3, dp=2, pp=1, pipeline=pipeline))
    write_design(product_files(design), tmp_path)
    counted = synthesise(tmp_path, "xc7")
    assert (counted.dsps, counted.ramb18) == (design.dsps, design.ramb18)


needs_verilator = needs("verilator")


@needs_verilator
@pytest.mark.parametrize(
    "names",
    [
        ("two_stages", "cyclic_remainders"),
        pytest.param(("cyclic", "mixed", "remainders"), marks=pytest.mark.full),
    ],
)
def test_products_and_error_flags_in_verilator(names: tuple[str, ...], tmp_path: Path) -> None:
    files = {
        name: product_files(plan_product(_products()[name]), name=name, folder=f"{name}/")
        for name in names
    }
    plain = plan_design(H(16, (97,), dp=4, pp=2))
    for name in ("late", "large"):
        files[name] = design_files(plain, name=name, folder=f"{name}/")
    bench = files["late"]["testbench/late_check.sv"]
    changed = bench.replace("sent % WORDS == WORDS - 1;", "sent % WORDS == 0;")
    assert changed != bench
    files["late"]["testbench/late_check.sv"] = changed
    first, *rest = files["large"]["testbench/input.hex"].split()
    files["large"]["testbench/input.hex"] = "\n".join(["f" * len(first), *rest]) + "\n"
    # A flush that leaves words in the limb: seen where there are flushes.
    files["stuck"] = design_files(plain, name="stuck", folder="stuck/")
    top = files["stuck"]["rtl/stuck_top.sv"]
    files["stuck"]["rtl/stuck_top.sv"] = top.replace(
        "u_limb_0 (\n    .clk(clk), .reset(clear)", "u_limb_0 (\n    .clk(clk), .reset(reset)"
    )
    assert files["stuck"]["rtl/stuck_top.sv"] != top
    for name, runs in simulate_files(files, tmp_path).items():
        for run, result in runs.items():
            good = name in names or (name == "stuck" and run == "streaming")
            assert result.passed == good, f"{name}, {run}: {result.messages}"
            assert "error_last = 1, error_range = 0" in result.messages
            assert "error_last = 0, error_range = 1" in result.messages


def test_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    shape = ["--n", "32", "--direction", "product", "--dp", "4", "--pp", "2"]
    assert main(["rtl", "generate", *shape, "--out", str(tmp_path / "d")]) == 0
    assert "predicted product latency" in capsys.readouterr().out
    manifest = json.loads((tmp_path / "d" / "design.json").read_text())
    assert manifest["parameters"]["kind"] == "product" and "product" in manifest["command"]
    scheme = ["--scheme", "ml-kem", *shape[2:]]
    assert main(["rtl", "generate", *scheme, "--out", str(tmp_path / "kem")]) == 0
    assert "products, n = 256" in capsys.readouterr().out
    manifest = json.loads((tmp_path / "kem" / "design.json").read_text())
    again = [*manifest["command"].split()[1:], "--out", str(tmp_path / "again")]
    assert main(again) == 0
    one, two = ((tmp_path / name / "rtl/ntt_top.sv").read_text() for name in ("kem", "again"))
    assert one == two and "nttf_base_product" in one
    capsys.readouterr()
    assert main(["rtl", "generate", *shape[:4], "--out", str(tmp_path / "e")]) == 2
    assert "nothing limits the design" in capsys.readouterr().err
