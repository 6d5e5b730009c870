# SPDX-License-Identifier: Apache-2.0
"""``nttforge cluster``: the whole way, going on after an end, TLS; ``--scheduler`` elsewhere."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import psutil
import pytest
from cluster_tables import outside_cluster, processes_below, wait_until

from nttforge.cli import main
from nttforge.errors import ClusterError
from nttforge_cluster import Certificates, connected

pytest.importorskip("sklearn")
RECORDS = 6000


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Keys, records and certificates by the commands."""
    folder = tmp_path_factory.mktemp("commands")
    before = Path.cwd()
    os.chdir(folder)
    try:
        assert main(["cluster", "keys", "--out", "keys"]) == 0
        assert main(["cluster", "sample", "--records", str(RECORDS), "--out", "patients.csv"]) == 0
        encrypt = ["cluster", "encrypt", "patients.csv", "--keys", "keys/client"]
        assert main([*encrypt, "--out", "encrypted", "--partition", "1024"]) == 0
        assert main(["cluster", "certificates", "--out", "tls"]) == 0
    finally:
        os.chdir(before)
    return folder


@pytest.fixture(autouse=True)
def there(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(home)


SCORE = ["cluster", "score", "encrypted", "--keys", "keys/server"]
TLS = ["--tls-ca", "tls/ca.pem", "--tls-cert", "tls/cert.pem", "--tls-key", "tls/key.pem"]


def compared(out: str, capsys: pytest.CaptureFixture[str]) -> str:
    words = ["cluster", "decrypt", out, "--keys", "keys/client", "--out", f"{out}.csv"]
    assert main([*words, "--compare", "patients.csv"]) == 0
    return capsys.readouterr().out


def test_killed_and_gone_on_with(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command = [sys.executable, "-m", "nttforge", *SCORE, "--out", "scores"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        wait_until(lambda: list(Path("scores").glob("part-*.enc")) or process.poll() is not None)
        process.send_signal(signal.SIGKILL)
    assert not Path("scores/dataset.json").exists()
    there = len(list(Path("scores").glob("part-*.enc")))
    assert 1 <= there < 6
    assert main([*SCORE, "--out", "scores", "--local", "2"]) == 0
    said = capsys.readouterr().out
    assert f"({6 - there} computed now, {there} kept)" in said
    assert "scheduler tls://127.0.0.1:" in said
    assert "dashboard" not in said
    assert "2 workers, device cpu" in said
    assert "two batches of" in said
    equal = f"{RECORDS} of {RECORDS} scores and refinements equal the plaintext computation"
    assert equal in compared("scores", capsys)
    assert len(Path("scores.csv").read_text().splitlines()) == RECORDS + 1
    assert [p.name for p in Path("scores").iterdir() if p.name.startswith(".")] == []


def test_nothing_to_do_has_no_rate(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(SCORE) == 0
    assert " records/s" in capsys.readouterr().out
    assert main(SCORE) == 0
    said = capsys.readouterr().out
    assert "(0 computed now, 6 kept)" in said
    assert "records/s" not in said


@pytest.mark.full
def test_interrupted_by_ctrl_c(home: Path) -> None:
    """The terminal signals the group: one line is said, and no process and no file is left."""
    command = [sys.executable, "-m", "nttforge", *SCORE, "--out", "stopped"]
    command += ["--local", "2", "--in-flight", "1"]
    scratch = home / "scratch"
    scratch.mkdir()
    with subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        env={**os.environ, "TMPDIR": str(scratch)},
        # A test run started in the background inherits an ignored SIGINT.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    ) as process:
        wait_until(lambda: list(Path("stopped").glob("*part-*")) or process.poll() is not None)
        below = [psutil.Process(pid) for pid in processes_below(process.pid)]
        os.killpg(process.pid, signal.SIGINT)
        _, errors = process.communicate(timeout=60)
    assert process.returncode == 130
    assert errors.splitlines()[-1] == "nttforge: interrupted"
    assert "Traceback" not in errors
    assert "distributed" not in errors
    assert len(below) >= 3
    gone = (psutil.STATUS_ZOMBIE, psutil.STATUS_DEAD)
    wait_until(lambda: all(not p.is_running() or p.status() in gone for p in below))
    assert list(scratch.iterdir()) == []


def test_a_small_table_is_work_for_several(home: Path) -> None:
    words = ["cluster", "encrypt", "patients.csv", "--keys", "keys/client", "--out", "small"]
    assert main(words) == 0
    assert len(list(Path("small").glob("part-*.enc"))) == 6  # of 2 ciphertexts with 512 records


@pytest.mark.full
def test_a_scheduler_with_tls(
    home: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    certificates = Certificates(*(home / "tls" / n for n in ("ca.pem", "cert.pem", "key.pem")))
    with outside_cluster(tmp_path, tls=home / "tls") as (address, _):
        assert main([*SCORE, "--out", "by-tls", "--scheduler", address, *TLS]) == 0
        assert f"scheduler {address}, 1 workers" in capsys.readouterr().out
        assert main([*SCORE, "--out", "x", "--scheduler", address]) == 2
        assert "asks for TLS: give --tls-ca, --tls-cert and --tls-key" in capsys.readouterr().err
        plain = address.replace("tls://", "tcp://")
        assert main([*SCORE, "--out", "x", "--scheduler", plain]) == 2
        assert "no scheduler answers at" in capsys.readouterr().err
        assert main(["cluster", "certificates", "--out", "others"]) == 0
        strange = Certificates(*(home / "others" / p.name for p in vars(certificates).values()))
        with pytest.raises(ClusterError, match="check address, certificates"):  # noqa: SIM117
            with connected(address, strange, seconds=3):
                pass
    capsys.readouterr()
    assert f"{RECORDS} of {RECORDS} scores" in compared("by-tls", capsys)
    assert not Path("x").exists()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--local", "0"], "--local 0 must be in 1 ... 1024: worker processes"),
        (["--dashboard"], "--dashboard goes with --local N: another scheduler has its own"),
        (["--local", "1", "--scheduler", "tcp://a:1"], "--local and --scheduler: give one of them"),
        (["--scheduler", "nowhere"], "'nowhere' is no address: need tcp://HOST:PORT or tls://"),
        (["--scheduler", "tls://a:1"], "asks for TLS: give --tls-ca, --tls-cert and --tls-key"),
        (["--scheduler", "tcp://a:1", *TLS], "has no TLS, and certificates are given"),
        (["--tls-ca", "tls/ca.pem"], "--tls-cert and --tls-key missing: TLS needs all three files"),
        ([*TLS[:-1], "none"], "--tls-key none does not exist: nttforge cluster certificates"),
        (["--memory", "much"], "--memory 'much': need bytes, as 2GiB or 500MiB"),
        (["--in-flight", "-1"], "--in-flight = -1 is not in [0, 2^20]"),
        (["--keys", "keys/client"], "give the server's folder of nttforge cluster keys"),
        (["--device", "tpu"], 'device = "tpu" is unknown'),
    ],
)
def test_bad_words(words: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*SCORE, "--out", "bad", *words]) == 2
    assert message in capsys.readouterr().err
    assert not list(Path("bad").glob("part-*"))


def test_bad_clients(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def refused(message: str, *words: str) -> None:
        assert main(["cluster", *words]) == 2
        assert message in capsys.readouterr().err

    out = ["--out", str(tmp_path / "x.csv")]
    refused("secret.key exists: what it encrypted could not be read", "keys", "--out", "keys")
    refused("--records = 0 is not in [1, 2^40]", "sample", "--records", "0", *out)
    refused("ca.pem exists: name another folder", "certificates", "--out", "tls")
    refused("'a b' is no name or address", "certificates", "--out", "c", "--hosts", "a b")
    refused("--days = 0 is not in [1, 3650]", "certificates", "--out", "c", "--days", "0")
    refused(
        "only the client's folder of keygen has it",
        "encrypt",
        "patients.csv",
        "--keys",
        "keys/server",
        "--out",
        "y",
    )
    Path("small.csv").write_text("a,b\n1,2\n")
    refused(
        "small.csv lacks 'mean_radius', 'mean_texture', 'mean_perimeter', 'mean_area', "
        "'mean_smoothness' and 25 more of the model's 30 features; it has columns that are no "
        "features of the model, 'a', 'b': rename them, or leave them out with --ignore-columns",
        "encrypt",
        "small.csv",
        "--keys",
        "keys/client",
        "--out",
        "y",
    )
    assert main(["cluster", "sample", "--records", "9", "--out", "nine.csv"]) == 0
    words = ["decrypt", "scores", "--keys", "keys/client", *out, "--compare", "nine.csv"]
    refused("--compare: the table has fewer records than there are scores", *words)


@pytest.mark.full
def test_other_work_on_a_scheduler(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Results of explore and of proofs are those of this machine, byte for byte."""
    explore = ["rtl", "explore", "--n", "64", "--max-dsp", "100", "--json", "--jobs", "1"]
    proofs = ["rtl", "prove", "frames of 3 words", "--json", "--jobs", "1"]

    def said(*words: str) -> str:
        # In a process of its own: this one has made keys, and so does not speak to Dask.
        command = [sys.executable, "-m", "nttforge", *words]
        done = subprocess.run(command, capture_output=True, text=True, timeout=120)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def timeless(text: str) -> list[dict[str, Any]]:
        return [{k: v for k, v in x.items() if k != "seconds"} for x in json.loads(text)]

    with outside_cluster(tmp_path, workers=2) as (address, _):
        assert said(*explore, "--scheduler", address) == said(*explore)
        assert timeless(said(*proofs, "--scheduler", address)) == timeless(said(*proofs))
    assert main([*explore, "--scheduler", "here"]) == 2
    assert "is no address" in capsys.readouterr().err
    assert main(["paper", "all", "--kept", "--scheduler", address]) == 2
    assert "--kept measures nothing: leave --scheduler out" in capsys.readouterr().err
