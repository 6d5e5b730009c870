# SPDX-License-Identifier: Apache-2.0
"""The command line: output, exit codes, one-line errors, files written whole."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import nttforge
from nttforge.cli import COMMANDS, main
from nttforge.console import output as printing
from nttforge.spec import transform

Capture = pytest.CaptureFixture[str]


def _run(*words: str, stdin: str | None = None) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "nttforge", *words], input=stdin, capture_output=True, text=True
    )


def test_help_and_version() -> None:
    shown = _run("--help")
    assert shown.returncode == 0
    assert all(name in shown.stdout for name in COMMANDS)
    assert _run("--version").stdout == f"nttforge {nttforge.__version__}\n"
    for name in COMMANDS:
        assert main_code([name, "--help"]) == 0
    assert _run().returncode == 2


def main_code(words: list[str]) -> int:
    try:
        return main(words)
    except SystemExit as stop:  # argparse
        return int(stop.code or 0)


def test_forward_inverse_and_product(capsys: Capture) -> None:
    assert main(["ntt", "--q", "17", "1", "2", "3", "4"]) == 0
    x = capsys.readouterr().out.split()
    assert [int(v) for v in x] == transform.forward([1, 2, 3, 4], 17)
    assert main(["ntt", "--q", "17", "--inverse", *x]) == 0
    assert capsys.readouterr().out == "1 2 3 4\n"
    assert (
        main(["ntt", "--q", "17", "--ring", "cyclic", "--times", "0,1,0,0", "1", "2", "3", "4"])
        == 0
    )
    assert capsys.readouterr().out == "4 1 2 3\n"
    assert main(["ntt", "--q", "17", "--output-order", "natural", "0x1", "2", "3", "4"]) == 0
    want = transform.forward([1, 2, 3, 4], 17, output_order="natural")
    assert capsys.readouterr().out.split() == [str(v) for v in want]


def test_numbers_from_standard_input() -> None:
    done = _run("ntt", "--q", "17", "-", stdin="1, 2\n3 4\n")
    assert done.returncode == 0 and done.stderr == ""
    assert [int(v) for v in done.stdout.split()] == transform.forward([1, 2, 3, 4], 17)


def test_arrays_from_and_to_files(tmp_path: Path) -> None:
    x = np.arange(24, dtype=np.int64).reshape(3, 8) % 17
    np.save(tmp_path / "x.npy", x)
    out = tmp_path / "deep" / "y.npy"
    assert main(["ntt", "--q", "17", str(tmp_path / "x.npy"), "--out", str(out)]) == 0
    y = np.load(out)
    assert [transform.forward(row.tolist(), 17) for row in x] == y.tolist()
    text = tmp_path / "back.txt"
    assert main(["ntt", "--q", "17", "--inverse", str(out), "--out", str(text)]) == 0
    assert np.loadtxt(text, dtype=int).tolist() == x.tolist()
    product = tmp_path / "p.npy"
    assert (
        main(
            [
                "ntt",
                "--q",
                "17",
                str(tmp_path / "x.npy"),
                "--times",
                "2,0,0,0,0,0,0,0",
                "--out",
                str(product),
            ]
        )
        == 0
    )
    assert np.load(product).tolist() == (2 * x % 17).tolist()


@pytest.mark.parametrize(
    ("words", "parts"),
    [
        (["ntt", "--q", "16", "1", "2"], ["16", "prime"]),
        (["ntt", "--q", "17", "1", "2", "3"], ["n = 3", "power of two"]),
        (["ntt", "--q", "17", "--n", "8", "1", "2", "3", "4"], ["got 4 numbers", "n = 8"]),
        (["ntt", "--q", "17", "1", "x"], ["numbers[1] = 'x'", "need an integer"]),
        (["ntt", "--q", "17", "1", "18"], ["x[1] = 18", "q = 17"]),
        (["ntt", "--q", "17", "1", str(2**64)], ["numbers[1] = 18446744073709551616"]),
        (["ntt", "--q", "17", "--ring", "mobius", "1", "2"], ["--ring", "'mobius'", "cyclic"]),
        (["ntt", "--q", "17", "--target", "mmx", "1", "2"], ["mmx", "scalar"]),
        (["ntt", "--q", "17", "--transform", "fft", "1", "2"], ["--transform", "dgt, any"]),
        (["ntt", "--q", "17", "--algorithm", "fft", "1", "2"], ["--algorithm", "stockham"]),
        (["ntt", "--q", "17", "--root", "3,5", "1", "2"], ["--root = 3,5", "one root"]),
        (["ntt", "--q", "0x", "1", "2"], ["--q", "'0x'", "0x... hexadecimal"]),
        (["ntt", "--q", "7", "--transform", "dgt", "--root", "3", "1", "2"], ["--root RE,IM"]),
        (["plan", "--input-order", "sorted"], ["--input-order", "natural", "bit_reversed"]),
        (["plan", "--word-bits", "16"], ["--word-bits", "64, 32"]),
        (["plan", "--limbs", "x"], ["--limbs", "'x'", "nttforge plan --help"]),
        (["plan", "--measure", "--budget", "0"], ["--budget = 0 is not in (0, 3600]"]),
        (["trace", "--q", "97", "--algorithm", "fft", "1", "2"], ["--algorithm", "pease_nc"]),
        (["unknown"], ["'unknown'", "selftest", "nttforge --help"]),
        (["ntt", "--q", "17", "missing.npy"], ["missing.npy"]),
        (["ntt", "--q", "17", "--times", "1,2,3", "1", "2"], ["--times has shape (3,)"]),
        (["primes", "--bits", "99"], ["bits = 99", "[2, 62]"]),
        (["primes", "--n", "4096", "--bits", "14", "--count", "2"], ["count = 2", "14 bits"]),
        (["primes", "--support", "1"], ["q = 1"]),
        (["plan", "--n", "100", "--q", "17"], ["n = 100", "power of two"]),
        (["plan", "--n", "64", "--q", "97"], ["97", "n = 64"]),
        (["selftest", "--target", "mmx"], ["mmx"]),
        (["bfv", "params", "--n", "512"], ["n = 512"]),
        (
            ["trace", "--q", "97", "--algorithm", "dif", "--word-bits", "32", "1", "4294967297"],
            ["x[1] = 4294967297"],
        ),
        (["trace", "--check", "/dev/zero"], ["/dev/zero is too large"]),
        (["bfv", "params", "--t-bits", "0"], ["no set fits", "bits = 0"]),
        (["bfv", "params", "--t-bits", "70", "--json"], ["no set fits", "bits = 70"]),
        (["demo", "--records", "0"], ["--records = 0", "[1, 569]"]),
        (["demo", "--n", "4096"], ["--n = 4096", "16384"]),
    ],
)
def test_errors_are_one_line_and_code_2(
    words: list[str], parts: list[str], capsys: Capture
) -> None:
    assert main(words) == 2
    captured = capsys.readouterr()
    assert captured.err.startswith("nttforge: error: ") and captured.err.count("\n") == 1
    for part in parts:
        assert part in captured.err.replace("', '", ", ")  # not every argparse quotes
    assert "Traceback" not in captured.err


@pytest.mark.parametrize("command", ["ntt", "plan", "trace", "selftest"])
def test_help_lists_what_can_be_chosen(command: str, capsys: Capture) -> None:
    assert main_code([command, "--help"]) == 0
    words = capsys.readouterr().out
    target = "{" + ",".join(nttforge.targets.all_targets()) + "}"
    assert (target in words) == (command != "trace")
    algorithms = [a.name for a in nttforge.algorithms()]
    assert ("{merged," + ",".join(algorithms) + "}" in words) == (command in ("ntt", "trace"))
    if command != "selftest":
        assert "{negacyclic,cyclic}" in words and "{natural,bit_reversed}" in words
    if command in ("ntt", "plan"):
        assert "{ntt,dgt,any}" in words


def test_moduli_and_roots_in_hexadecimal(capsys: Capture) -> None:
    numbers = ["1", "2", "3", "4"]
    assert main(["ntt", "--q", "0x11", "--root", "0x9", *numbers]) == 0
    want = transform.forward([1, 2, 3, 4], 17, root=9)
    assert capsys.readouterr().out.split() == [str(v) for v in want]
    assert main(["plan", "--n", "4", "--q", "0x11", "97", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["spec"]["moduli"] == [17, 97]
    assert main(["primes", "--support", "0x11", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)[0]["q"] == 17
    re, im = nttforge.NttPlan(4, 7, transform="dgt").spec.roots
    dgt = ["ntt", "--q", "7", "--transform", "dgt"]
    assert main([*dgt, "--root", f"{re},{im:#x}", *numbers]) == 0
    given = capsys.readouterr().out
    assert main([*dgt, *numbers]) == 0
    assert capsys.readouterr().out == given


def test_a_folder_that_cannot_be_written_is_noticed(tmp_path: Path) -> None:
    printing.require_writable(tmp_path / "not" / "yet")
    assert list(tmp_path.iterdir()) == []
    (tmp_path / "file").write_text("")
    for folder in ("file", "file/below", "file/far/below"):
        with pytest.raises(NotADirectoryError, match="cannot write there"):
            printing.require_writable(tmp_path / folder)


def test_not_an_array_file(tmp_path: Path, capsys: Capture) -> None:
    bad = tmp_path / "bad.npy"
    bad.write_bytes(b"nothing of the kind")
    assert main(["ntt", "--q", "17", str(bad)]) == 2
    assert "is not a .npy file of numbers" in capsys.readouterr().err
    np.save(bad, np.array([1.5, 2.0]))
    assert main(["ntt", "--q", "17", str(bad)]) == 2
    assert "float64" in capsys.readouterr().err
    np.save(bad, np.array([-1, 2]))
    assert main(["ntt", "--q", "17", str(bad)]) == 2
    assert "-1" in capsys.readouterr().err


def test_nothing_is_written_after_an_error(tmp_path: Path) -> None:
    out = tmp_path / "y.npy"
    out.write_bytes(b"before")
    assert main(["ntt", "--q", "17", "1", "99", "--out", str(out)]) == 2
    assert out.read_bytes() == b"before"
    with pytest.raises(RuntimeError), printing.whole_file(out, "wb") as file:
        file.write(b"half")
        raise RuntimeError
    assert out.read_bytes() == b"before" and list(tmp_path.iterdir()) == [out]


def test_what_is_no_plain_file_is_written_into(tmp_path: Path) -> None:
    command = ["ntt", "--q", "17", "1", "2", "3", "4", "--out"]
    assert _run(*command, "/proc/self/fd/1").stdout == "15 11 13 16\n"
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with subprocess.Popen(["cat", str(pipe)], stdout=subprocess.PIPE, text=True) as reader:
        assert main([*command, str(pipe)]) == 0
        assert reader.communicate()[0] == "15 11 13 16\n"
    assert pipe.is_fifo()
    (tmp_path / "there").mkdir()
    link = tmp_path / "link"
    link.symlink_to(tmp_path / "there" / "file")
    assert main([*command, str(link)]) == 0
    assert link.is_symlink()
    assert (tmp_path / "there" / "file").read_text() == "15 11 13 16\n"
    (tmp_path / "there" / "file").chmod(0o640)
    assert main([*command, str(link)]) == 0
    assert (tmp_path / "there" / "file").stat().st_mode & 0o777 == 0o640
    assert main([*command, str(tmp_path)]) == 2


def test_primes(capsys: Capture) -> None:
    assert main(["primes", "--n", "4096", "--bits", "50", "--count", "3", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert [f["q"] for f in found] == nttforge.ntt_primes(4096, 50, 3)
    assert main(["primes", "--n", "4096", "--bits", "50", "--count", "3"]) == 0
    table = capsys.readouterr().out
    assert all(str(f["q"]) in table for f in found)
    assert main(["primes", "--generalised-mersenne", "--bits", "30"]) == 0
    assert "2^30 - 2^18 + 1" in capsys.readouterr().out
    assert main(["primes", "--support", "2147483647", "15"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert "2147483647" in lines[0] and "15 is not prime" in lines[1]


def test_plan(capsys: Capture) -> None:
    assert main(["plan", "--n", "256", "--limbs", "2"]) == 0
    text = capsys.readouterr().out
    assert "n = 256, negacyclic" in text and "->" in text and "predicted" in text
    assert (
        main(["plan", "--n", "256", "--q", "7681", "--word-bits", "32", "--measure", "--json"]) == 0
    )
    data = json.loads(capsys.readouterr().out)
    assert data["spec"]["moduli"] == [7681]
    assert data["recipe"] in [c["recipe"] for c in data["candidates"]]
    assert all(c["predicted_ns"] > 0 for c in data["candidates"])
    assert {c["state"] for c in data["candidates"]} <= {"measured", "not_tried"}
    for c in data["candidates"]:
        assert (c["measured_ns"] is not None) == (c["state"] == "measured")
    assert data["candidates"][0]["measured_ns"] > 0
    assert main(["plan", "--n", "256", "--q", "7681", "--target", "scalar"]) == 0
    assert "avx" not in capsys.readouterr().out


def test_doctor(capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    assert main(["doctor"]) == 0
    text = capsys.readouterr().out
    for word in (
        "nttforge",
        "Python",
        "CPU",
        "target scalar",
        "active target",
        "GPU",
        "threads",
    ):
        assert word in text
    verdict = text.splitlines()[-1]
    target = nttforge.active_target()
    assert re.match(f"nttforge works here: on the CPU with {target} and [0-9]+ threads?, ", verdict)
    assert main(["doctor", "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert facts["targets"]["scalar"] == "runs here"
    monkeypatch.setenv("NTTFORGE_TARGET", "mmx")
    assert main(["doctor"]) == 0
    text = capsys.readouterr().out
    assert "unset it" in text
    assert text.splitlines()[-1].startswith("nttforge cannot run with these settings: ERROR")
    monkeypatch.setenv("NTTFORGE_TARGET", "")  # as good as unset
    monkeypatch.setenv("NTTFORGE_THREADS", "1")
    assert main(["doctor", "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert facts["usable_threads"] == 1 and "NTTFORGE_TARGET" not in " ".join(facts["advice"])
    monkeypatch.setenv("NTTFORGE_THREADS", "many")
    assert main(["doctor"]) == 0
    assert "NTTFORGE_THREADS = 'many'" in capsys.readouterr().out


def test_selftest_passes_here(capsys: Capture) -> None:
    assert main(["selftest", "--seed", "1"]) == 0
    text = capsys.readouterr().out
    assert all(target in text for target in nttforge.available_targets())
    assert "every target agrees" in text and "seed 1" in text


def test_selftest_of_a_target_named_twice(capsys: Capture) -> None:
    assert main(["selftest", "--target", "scalar", "--target", "scalar"]) == 0
    assert "every target agrees" in capsys.readouterr().out


def test_selftest_notices_a_difference(capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    true_forward = nttforge.NttPlan.forward

    def off_by_one(self: nttforge.NttPlan, x: object, **keywords: object) -> np.ndarray:
        y = true_forward(self, x, **keywords)
        if self.n == 16:
            y[..., 3] += np.asarray(1, dtype=y.dtype)
        return y

    monkeypatch.setattr(nttforge.NttPlan, "forward", off_by_one)
    assert main(["selftest", "--target", "scalar"]) == 1
    captured = capsys.readouterr()
    assert "FAILED" in captured.out and "position 3" in captured.err


def test_bfv_parameters(capsys: Capture) -> None:
    assert main(["bfv", "params"]) == 0
    text = capsys.readouterr().out
    assert all(str(2**i) in text for i in range(10, 16))
    assert "by the 2024 security guidelines (Bossuat et al., table 5.2)" in text
    assert main(["bfv", "params", "--n", "4096", "--security-table", "hes2018"]) == 0
    assert "by the 2018 Homomorphic Encryption Standard (table 1)" in capsys.readouterr().out
    assert main(["bfv", "params", "--n", "8192", "--t-bits", "20", "--json"]) == 0
    (entry,) = json.loads(capsys.readouterr().out)
    assert entry["t"] == nttforge.ntt_primes(8192, 20)[0] and entry["slots"] == 8192
    assert entry["security_table"] == "guidelines2024" and "2024" in entry["security_source"]
    assert entry["security_bits"] == 128 and entry["serialized_bytes"]["ciphertext"] > 0


def test_a_terminal_of_ascii(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONIOENCODING", "ascii")
    for name in COMMANDS:
        shown = _run(name, "--help")
        assert shown.returncode == 0 and shown.stdout.isascii()
