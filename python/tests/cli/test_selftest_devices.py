# SPDX-License-Identifier: Apache-2.0
"""``nttforge selftest`` on GPUs: encryption beside transforms, differences that it must notice."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest
from devices import gpu_devices

from nttforge.cli import main
from nttforge.selftest import encryption
from nttforge.selftest.host import Failure
from nttforge.typing import DeviceName

Capture = pytest.CaptureFixture[str]


@pytest.mark.parametrize("device", gpu_devices())
def test_encryption_has_the_bytes_of_the_cpu(device: DeviceName, capsys: Capture) -> None:
    words = ["selftest", "--device", device, "--only", "n = 256", "--circuits", "4", "--seed", "1"]
    assert main(words) == 0
    shown = capsys.readouterr()
    # Two of keys, plaintexts, two encryptions, a decryption, two of evaluation keys, 4 x 2.
    assert "BFV n = 256, 32-bit words  ok 16" in shown.out
    assert "BGV n = 256, 32-bit words  ok 16" in shown.out
    assert "agrees with the CPU engine" in shown.out
    assert "selftest: 2/2 BGV n = 256" in shown.err


def test_every_preset_has_a_row() -> None:
    names = [s.name for s in encryption.parameter_sets(2**17)]
    for scheme in ("BFV", "BGV"):
        for n in (1024, 2048, 4096, 8192, 16384, 32768):
            assert f"{scheme} n = {n}" in names and f"{scheme} n = {n}, 32-bit words" in names
    assert [name for name in names if "Bad18b" in name][-1] == "BFV [Bad18b] n = 16384"
    assert len(set(names)) == len(names)


@pytest.mark.parametrize("place", [0, 3, 9])
def test_the_first_difference_is_named(monkeypatch: pytest.MonkeyPatch, place: int) -> None:
    honest, runs = encryption._transcript, []

    def damaged(*words: object) -> Iterator[tuple[str, bytes]]:
        runs.append(0)
        second = len(runs) == 2
        for i, (what, data) in enumerate(honest(*words)):  # type: ignore[arg-type]
            wrong = second and i == place
            yield what, data[:-1] + bytes([data[-1] ^ 1]) if wrong else data

    monkeypatch.setattr(encryption, "_transcript", lambda *words: damaged(*words))
    chosen = next(s for s in encryption.parameter_sets(256) if s.name.startswith("BFV"))
    names = [what for what, _ in honest(chosen.context(chosen.parameters), bytes(32), 1)]  # type: ignore[arg-type]
    with pytest.raises(Failure) as failure:
        encryption.compare(chosen, 1, "cpu", random.Random(1))
    message = str(failure.value)
    assert message.startswith(chosen.name) and "seed" in message and "must be 0x" in message
    assert names[place].split("(")[0] in message


def test_all_devices(capsys: Capture) -> None:
    if gpu_devices() != ["cuda:host"]:
        pytest.skip("takes long on cards, and needs the host's run of the GPU's kernels")
    assert main(["selftest", "--device", "all", "--circuits", "0", "--seed", "1"]) == 0
    text = capsys.readouterr().out
    assert text.index("device cpu") < text.index("device cuda:host")
    assert "every target agrees" in text and "agrees with the CPU engine" in text


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["--device", "gpu"], 'device = "gpu" is unknown'),
        (["--device", "cuda:host", "--target", "scalar"], "--target goes with the CPU"),
        (["--device", "all", "--target", "scalar"], "leave them out with --device all"),
        (["--device", "all", "--only", "BFV"], "leave them out with --device all"),
        (["--only", "nothing"], "no check is named so; there are small transforms; "),
        (["--circuits", "-1"], "--circuits = -1 is not in [0, 1000000]"),
    ],
)
def test_refusals(words: list[str], expected: str, capsys: Capture) -> None:
    assert main(["selftest", *words]) == 2
    shown = capsys.readouterr()
    assert expected in shown.err and shown.out == ""


def test_one_check_of_the_cpu(capsys: Capture) -> None:
    words = ["selftest", "--device", "cpu", "--target", "scalar", "--only", "pointwise"]
    assert main(words) == 0
    text = capsys.readouterr().out
    assert "pointwise operations" in text and "small transforms" not in text
