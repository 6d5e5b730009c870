# SPDX-License-Identifier: Apache-2.0
"""Rivals as their users fetch them, in a scratch folder: set to a job, with our oracle's words."""

from __future__ import annotations

import json
import random
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

from runs import Prepared, hexadecimal

from nttforge.spec.number_theory import smallest_root_of_unity
from nttforge.spec.transform import bit_reverse
from nttforge_oracle.fast import forward_fast

#: Folder below --peers, and where it comes from.
SOURCES = {
    "parametric-ntt": "https://github.com/acmert/parametric-ntt",
    "OpenNTT": "https://github.com/flokrieger/OpenNTT",
    "AutoNTT": "https://github.com/SFU-HiAccel/AutoNTT",
}
BUTTERFLIES = 4


def check_fetched(peers: Path) -> dict[str, str]:
    """The commit of every rival; says how to fetch what is missing."""
    missing = [name for name in SOURCES if not (peers / name).is_dir()]
    if missing:
        lines = "\n".join(f"  git clone {SOURCES[name]} {peers / name}" for name in missing)
        raise SystemExit(f"--peers {peers} lacks {', '.join(missing)}:\n{lines}")
    found = {}
    for name in SOURCES:
        command = ["git", "-C", str(peers / name), "rev-parse", "HEAD"]
        found[name] = subprocess.check_output(command, text=True).strip()
    return found


def _reversed(values: list[int]) -> list[int]:
    log_n = len(values).bit_length() - 1
    return [values[bit_reverse(i, log_n)] for i in range(len(values))]


def parametric_ntt(peers: Path, scratch: Path, n: int, q: int) -> Prepared:
    """A modulus and tables that are loaded, both directions, cyclic.

    An inverse transform gives its coefficients bit-reversed.
    """
    bits, pe, log_n = q.bit_length(), BUTTERFLIES, n.bit_length() - 1
    folder = _fresh(scratch, f"parametric_ntt_{n}")
    set_to = {"DATA_SIZE_ARB": bits, "RING_SIZE": n, "PE_NUMBER": pe}
    for source in sorted((peers / "parametric-ntt").glob("*.v")):
        if source.name == "NTTN_test.v":
            continue
        text = source.read_text("utf-8")
        for name, value in set_to.items():
            line = f"`define {name} {value}"
            text = re.sub(rf"^`define {name}\s.*$", line, text, flags=re.MULTILINE)
        # Yosys refuses registers that a loop resets asynchronously. Ours are reset like this.
        text = text.replace("@(posedge clk or posedge reset)", "@(posedge clk)")
        (folder / source.name).write_text(text, "utf-8")
    word_bits = log_n + 1
    factor = pow(2, word_bits * -(-bits // word_bits), q)
    omega = smallest_root_of_unity(n, q)
    tables = [
        pow(root, ((pe << stage) * k + (i << stage)) % (n // 2), q) * factor % q
        for root in (omega, pow(omega, -1, q))
        for stage in range(log_n)
        for k in range(max(1, (n // (2 * pe)) >> stage))
        for i in range(pe)
    ]
    tables += [q, pow(n, -1, q) * factor % q]
    coefficients = _coefficients(n, q)
    values = forward_fast(coefficients, q, "cyclic")
    hexadecimal(folder / "tables.hex", tables)
    hexadecimal(folder / "given.hex", coefficients + _reversed(values))
    hexadecimal(folder / "wanted.hex", values + _reversed(coefficients))
    sources = sorted(path.name for path in folder.glob("*.v") if path.name != "defines.v")
    return Prepared(
        folder,
        "NTTN",
        tuple(sources),
        "parametric_ntt.sv",
        {"N": n, "BITS": bits, "TABLE": len(tables)},
        headers=("defines.v",),
        images=("tables.hex", "given.hex", "wanted.hex"),
        facts={"modulus": "loaded", "ring": "cyclic", "port": 1, "slots": 1, "butterflies": pe},
        note="reset made synchronous",
    )


def openntt(peers: Path, scratch: Path, n: int, q: int, memory: bool) -> Prepared:
    """A modulus at a port whose tables are fixed, both directions, negacyclic, two slots."""
    pe, slots = BUTTERFLIES, 2
    folder = _fresh(scratch, f"openntt_{n}_{int(memory)}")
    for part in ("tool", "hardware"):
        shutil.copytree(peers / "OpenNTT" / part, folder / part)
    (folder / "software" / "Testing").mkdir(parents=True)
    psi = smallest_root_of_unity(2 * n, q)
    options = {
        "transf_type": "NTT",
        "memory_opt": int(memory),
        "ntt_type": "mfntt_dit_nr-mintt_dif_rn",
        "n": n,
        "q_count": 1,
        "q_list": q,
        "tw_list": psi,
        "tw_inv_list": pow(psi, -1, q),
        "io_band": 2 * pe,
        "mem_depth": slots,
        "coeff_arith": 0,
        "c": 1,
    }
    command = [sys.executable, str(folder / "tool" / "openntt.py")]
    command += [f"--{name}={value}" for name, value in options.items()]
    subprocess.run(command, cwd=folder / "tool", check=True, stdout=subprocess.DEVNULL)
    for source in (folder / "hardware").rglob("*.sv"):
        # Verilator wants a name for instances of modules that users put in, though none is built.
        text, named = source.read_text("utf-8"), r"\1 u_custom (clk"
        text = re.sub(r"\b(my_custom_r[ao]m|\w+_custom) ?\(clk", named, text)
        source.write_text(text, "utf-8")
    coefficients = _coefficients(n, q)
    values = forward_fast(coefficients, q, "negacyclic")
    hexadecimal(folder / "given.hex", coefficients + values)
    hexadecimal(folder / "wanted.hex", values + coefficients)
    paths = sorted((folder / "hardware").rglob("*.sv"))
    found = [path.relative_to(folder).as_posix() for path in paths]
    used = [name for name in found if "tb_" not in name and "CryptoCore" not in name]
    packages = sorted(name for name in used if name.endswith("_pkg.sv"))
    return Prepared(
        folder,
        "OpenNTT",
        (*packages, *(name for name in used if name not in packages)),
        "openntt.sv",
        {"N": n, "BITS": q.bit_length(), "PE": pe, "SLOTS": slots},
        facts={
            "modulus": "at a port, tables fixed",
            "ring": "negacyclic",
            "port": 1,
            "slots": slots,
            "butterflies": pe,
        },
    )


def _coefficients(n: int, q: int) -> list[int]:
    source = random.Random(n)
    return [source.randrange(q) for _ in range(n)]


def _fresh(scratch: Path, name: str) -> Path:
    folder = scratch / name
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    return folder


#: Runs in AutoNTT's folder: its explorer, without the check that a vendor's platform is installed.
_EXPLORE = """
import json, sys
sys.path.insert(0, ".")
import inputs.user_inputs as given
given.validate_platform_file = lambda *a: None
from dse.dse import invoke_DSE
from dse.dse_config import DSEParams
wanted = DSEParams()
given.get_user_inputs(wanted)
best = invoke_DSE(wanted)
print("LEAGUE " + json.dumps({
    "units": best.NUM_BU, "cycles": best.COMPUTE_LATECY_CYCLES,
    "us": round(best.EXPECTED_LATENCY_MS * 1000, 3),
    "transforms_per_second": best.EXPECTED_THROUGHPUT, "resources": best.DESIGN_RESOURCES}))
"""


def autontt(
    peers: Path, scratch: Path, architecture: str, n: int, bits: int, dsps: int
) -> dict[str, Any] | None:
    """What AutoNTT's explorer predicts for its best design within so many DSPs, if there is one."""
    folder = peers / "AutoNTT" / "automation_framework"
    given = json.loads((folder / "fpga_resources.json").read_text("utf-8"))
    limits = scratch / "autontt.json"
    limits.write_text(json.dumps(given | {"DSP": dsps}), "utf-8")
    words = ["--poly_size", str(n), "--mod_size", str(bits), "--resources", str(limits)]
    said = subprocess.run(
        [sys.executable, "-c", _EXPLORE, *words, "--arch_type", architecture],
        cwd=folder,
        capture_output=True,
        text=True,
    )
    found = [line for line in said.stdout.splitlines() if line.startswith("LEAGUE ")]
    return json.loads(found[0].removeprefix("LEAGUE ")) if found else None
