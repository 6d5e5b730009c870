# SPDX-License-Identifier: Apache-2.0
"""What a careless or hostile caller gets: an error that says what is wrong, in a line."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import nttforge
from nttforge import NttPlan, Wisdom, bfv
from nttforge.errors import (
    ArgumentTypeError,
    FormatError,
    NttforgeError,
    ParameterError,
    UnsupportedError,
)

NTTFORGE = [sys.executable, "-m", "nttforge"]
SIZES = "a power of two, 1 ... 2^24 on CPUs, 1 ... 2^28 on GPUs"


def run(*arguments: str, **options: Any) -> subprocess.CompletedProcess[str]:
    return subprocess.run([*NTTFORGE, *arguments], capture_output=True, text=True, **options)


# Where output cannot go.


@pytest.mark.parametrize(
    "arguments",
    [
        "doctor",
        "primes",
        "bfv params --n 4096",
        "trace --list",
        "ntt --q 17 1 2",
        "--version",
        "--help",
        "plan --help",
    ],
)
def test_closed_output_is_an_error(arguments: str) -> None:
    command = f'exec "{sys.executable}" -m nttforge {arguments} >&-'
    done = subprocess.run(["sh", "-c", command], capture_output=True, text=True)
    assert done.returncode == 2
    assert done.stderr.splitlines()[-1].startswith("nttforge: error: ")
    assert "standard output is closed" in done.stderr


def test_closed_output_is_none_of_ours_where_nothing_is_printed(tmp_path: Path) -> None:
    command = f'exec "{sys.executable}" -m nttforge ntt --q 17 1 2 --out "{tmp_path}/x" >&-'
    subprocess.run(["sh", "-c", command], check=True)
    assert (tmp_path / "x").read_text() == "9 10\n"


# Numbers.


@pytest.mark.parametrize("text", ["1_0", "\u0661", "1.0", "0b1", "", "\u0967\u0968"])
def test_numbers_are_ascii_digits(text: str) -> None:
    for arguments in (["ntt", "--q", "17", "1", text], ["primes", "--bits", text]):
        done = run(*arguments)
        assert done.returncode == 2 and "need an integer" in done.stderr, arguments
        assert len(done.stderr.splitlines()) == 1


def test_numbers_are_decimal_or_hexadecimal() -> None:
    assert run("ntt", "--q", "0x11", "0x1", "02").stdout == run("ntt", "--q", "17", "1", "2").stdout


def test_long_values_are_shortened_in_errors() -> None:
    for token in ("7" * 12_000_000, "x" * 12_000_000):
        done = run("ntt", "--q", "17", "-", input=f"1 {token}")
        assert done.returncode == 2 and 50 < len(done.stderr) < 300
        assert "12000000" in done.stderr or "119999" in done.stderr
    for name in ("ring", "input_order", "transform", "device"):
        with pytest.raises(NttforgeError) as error:
            NttPlan(8, 17, **{name: "y" * 10**6})
        assert name in str(error.value) and len(str(error.value)) < 1100
    assert len(str(NttforgeError("z" * 10**6))) < 1100


# Sizes of transforms.


@pytest.mark.parametrize("n", [0, -8, 12, 2**29, 2**70])
def test_one_answer_for_sizes(n: int) -> None:
    for call in (lambda: NttPlan(n, 17), lambda: nttforge.ntt_primes(n, 50)):
        with pytest.raises(ParameterError, match="n = ") as error:
            call()
        if abs(n) < 2**63:
            assert f"n = {n} is not supported: need {SIZES}" in str(error.value)
    if abs(n) < 2**63:
        for command in ("plan", "primes"):
            assert f"n = {n} is not supported: need {SIZES}" in run(command, f"--n={n}").stderr


def test_sizes_that_only_gpus_have() -> None:
    with pytest.raises(UnsupportedError, match="too large for the CPU engine") as error:
        NttPlan(2**25, nttforge.ntt_primes(2**25, 50), target="scalar")
    assert SIZES in str(error.value)


def test_too_few_primes_name_sizes_that_have_enough() -> None:
    text = run("primes", "--n", "2048", "--bits", "14", "--count", "5").stderr
    assert "there is only 1 prime of 14 bits" in text
    assert "bits = 18 has enough for this n, and n = 256 has enough of this size" in text


# Names of files.


def test_any_bytes_name_a_wisdom_file(tmp_path: Path) -> None:
    wisdom = Wisdom()
    wisdom.remember(nttforge.explore(NttPlan(256, 7681).spec, budget=0.05))
    folder = os.fsencode(tmp_path)
    for path in (folder + b"/a\xff", os.fsdecode(folder + b"/b\xfe"), tmp_path / "c"):
        assert wisdom.save(path) == os.fsdecode(path)
        assert Wisdom.load(path) == wisdom
    with pytest.raises(NttforgeError, match=r"missing\\xff"):
        Wisdom.load(folder + b"/missing\xff")
    for wrong in ("a\0b", b"a\0b", "\ud800"):
        with pytest.raises(ParameterError, match="path = "):
            Wisdom.load(wrong)
    with pytest.raises(ArgumentTypeError, match="path is a int"):
        Wisdom.load(3)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "variable",
    [
        "HOME",
        *(pytest.param(v, marks=pytest.mark.full) for v in ("XDG_CACHE_HOME", "NTTFORGE_WISDOM")),
    ],
)
def test_a_home_that_is_not_utf8(variable: str, tmp_path: Path) -> None:
    names = ("HOME", "XDG_CACHE_HOME", "NTTFORGE_WISDOM")
    environment = {k: v for k, v in os.environb.items() if os.fsdecode(k) not in names}
    environment[variable.encode()] = os.fsencode(tmp_path) + b"/\xff"
    measure = ["plan", "--n", "256", "--measure", "--budget", "0.05", "--save"]
    for arguments in (
        ["doctor"],
        ["doctor", "--json"],
        measure,
        ["plan", "--n", "256", "--wisdom"],
    ):
        done = subprocess.run([*NTTFORGE, *arguments], env=environment, capture_output=True)
        assert done.returncode == 0 and b"Traceback" not in done.stderr, done.stderr
    assert any(path.name.startswith("\udcff") for path in tmp_path.iterdir())


# Texts and bytes.


def test_wisdom_from_text_has_the_limits_of_files() -> None:
    with pytest.raises(FormatError, match="16777216"):
        Wisdom.from_json(" " * (2**24 + 1))
    with pytest.raises(FormatError, match="more than 1048576 values"):
        Wisdom.from_json("[" + "1," * (2**23 - 1))
    with pytest.raises(FormatError, match="UTF-8"):
        Wisdom.from_json('"\ud800"')
    with pytest.raises(ArgumentTypeError, match="text is a bytes"):
        Wisdom.from_json(b"{}")  # type: ignore[arg-type]


def test_a_hostile_wisdom_file_takes_little_memory(tmp_path: Path) -> None:
    path = tmp_path / "wisdom.json"
    path.write_text("[" + "1," * (2**23 - 1))
    program = """
import resource, sys
from nttforge import Wisdom
peak = lambda: resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
before = peak()
try:
    Wisdom.load(sys.argv[1])
except ValueError:
    print(peak() - before)
"""
    done = subprocess.run([sys.executable, "-c", program, path], capture_output=True, text=True)
    assert int(done.stdout) < 200  # MiB


def test_residues_that_change_while_they_are_looked_at() -> None:
    plan = NttPlan(8, 17)

    class Changing:  # finds a fault that is gone when it is looked for again
        spec = plan._plan.core.spec

        def require_reduced(self, x: object) -> None:
            raise ParameterError("x has a residue that is not in [0, q)")

    plan._plan.core = Changing()
    with pytest.raises(ParameterError, match="x has a residue"):
        plan.forward([1] * 8)


def test_bytes_that_change_while_they_are_read() -> None:
    context = bfv.Context(bfv.Parameters.preset(1024))
    good = context.generate_keys().encrypt([1, 2, 3]).to_bytes()
    data = bytearray(good)
    stop = threading.Event()

    def change() -> None:
        rng = np.random.default_rng(1)
        while not stop.is_set():
            data[int(rng.integers(len(data)))] ^= 0xFF
            data[:] = good

    thread = threading.Thread(target=change)
    thread.start()
    loaded = 0
    try:
        for _ in range(300):
            try:
                loaded += bfv.Ciphertext.from_bytes(context, data).to_bytes() == good
            except NttforgeError:
                continue
    finally:
        stop.set()
        thread.join()
    assert bfv.Ciphertext.from_bytes(context, memoryview(good)).to_bytes() == good


def test_the_copy_of_changeable_bytes_is_the_only_thing_read() -> None:
    from nttforge.rlwe._require import steady

    data = bytearray(b"abc")
    with steady(data) as given:
        data[:] = b"xyz"
        assert given.tobytes() == b"abc"
    assert given.tobytes() == b"\0\0\0"  # the copy may have been of a secret


def test_an_index_goes_with_a_seed() -> None:
    context = bfv.Context(bfv.Parameters.preset(1024))
    encryptor = bfv.Encryptor(context.generate_keys().public)
    zero = bfv.BatchEncoder if context.parameters.has_batching else bfv.CoefficientEncoder
    plaintext = zero(context).encode([0])
    with pytest.raises(ParameterError, match=r"index = 5 goes with a seed, and seed is None"):
        encryptor.encrypt(plaintext, index=5)
    assert encryptor.encrypt(plaintext, seed=bytes(32), index=5).context is context


# Memory.


def test_errors_of_memory_say_how_much_for_what() -> None:
    program = """
import resource
import numpy as np
from nttforge import NttPlan
plan = NttPlan(4096, 1073692673)
x = np.zeros((2**12, 4096), np.uint64)
size = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (size + 2**25, resource.RLIM_INFINITY))
try:
    plan.forward(x)
except MemoryError as error:
    print(error)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert "an array of results: 134217728 bytes of memory are needed" in done.stdout, done.stderr


def test_keys_that_do_not_fit_are_refused_first() -> None:
    context = bfv.Context(bfv.Parameters.preset(32768))
    each = context.parameters.memory_sizes()["rotation_key"]
    if nttforge._core.available_memory_bytes() > 4000 * each:
        pytest.skip("this machine has the memory")
    with pytest.raises(UnsupportedError, match=rf"4000 rotation keys of {each} bytes each need"):
        context.generate_keys(rotations=range(1, 4001))
