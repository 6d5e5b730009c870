# SPDX-License-Identifier: Apache-2.0
"""Files that commands write: their permissions, and their names where the locale has ASCII only."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from nttforge import bfv
from nttforge.console.output import whole_file
from nttforge_he import files

KEYS = bfv.Context(bfv.Parameters.preset(4096)).generate_keys()
ASCII = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}


def mode_of(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_the_mask_of_the_process_is_applied_and_never_changed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file that another thread makes meanwhile would have had no mask at all."""
    before = os.umask(0o027)
    try:
        monkeypatch.setattr(os, "umask", lambda mask: pytest.fail("the mask is changed"))
        path = tmp_path / "new"
        with whole_file(path) as file:
            file.write("1")
            (temporary,) = tmp_path.iterdir()
            assert temporary.name.startswith(".new.") and mode_of(temporary) == 0o640
        assert mode_of(path) == 0o640
        for mode in (0o604, 0o600, 0o666):
            path.chmod(mode)
            with whole_file(path, "wb") as file:
                file.write(b"2")
                (temporary,) = (p for p in tmp_path.iterdir() if p != path)
                assert mode_of(temporary) == 0o600
            assert mode_of(path) == mode
    finally:
        monkeypatch.undo()
        os.umask(before)


def run(folder: Path, *words: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "nttforge", *words],
        cwd=folder,
        env=os.environ | environment,
        capture_output=True,
        encoding="utf-8",
        errors="surrogateescape",
        check=False,
    )


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Keys, and a table with a column that ASCII cannot write."""
    folder = tmp_path_factory.mktemp("locale")
    files.write(folder / "keys" / files.PARAMETERS, KEYS.context.parameters.to_bytes())
    files.write(folder / "keys" / files.PUBLIC, KEYS.public.to_bytes())
    files.write(folder / "keys" / files.SECRET, KEYS.secret.to_bytes(), secret=True)
    (folder / "table.csv").write_text("a,café\n1,2\n3,4\n", "utf-8")
    return folder


def test_a_name_that_the_locale_cannot_write(home: Path) -> None:
    words = ["bfv", "encrypt", "table.csv", "--keys", "keys", "--out"]
    done = run(home, *words, "refused", **ASCII)
    assert done.returncode == 2
    assert done.stderr == (
        "nttforge: error: column 'caf\\xe9': names of files are in ascii here, which cannot write "
        "it; set PYTHONUTF8=1, or a locale with UTF-8 such as LC_ALL=C.UTF-8\n"
    )
    assert not (home / "refused").exists()
    done = run(home, *words, "in", LC_ALL="C", PYTHONUTF8="1")  # the remedy
    assert done.returncode == 0 and (home / "in" / "café.enc").is_file()
    decrypt = ["bfv", "decrypt", "in/a.enc", "in/café.enc", "--keys", "keys"]
    done = run(home, *decrypt, "--out", "back.csv", **ASCII)
    assert done.returncode == 0, done.stderr
    assert (home / "back.csv").read_text("utf-8") == "a,café\n1,2\n3,4\n"


def test_a_name_that_is_no_text_is_one_line(home: Path) -> None:
    strange = os.fsencode(home) + b"/in/caf\xe9.enc"
    Path(os.fsdecode(strange)).write_bytes((home / "in" / "a.enc").read_bytes())
    words = ["bfv", "decrypt", os.fsdecode(strange), "--keys", "keys", "--out", "strange.csv"]
    done = run(home, *words)
    assert done.returncode == 2 and done.stderr.count("\n") == 1
    assert "surrogates not allowed; set PYTHONUTF8=1, or a locale with UTF-8" in done.stderr
    assert not (home / "strange.csv").exists()
