# SPDX-License-Identifier: Apache-2.0
"""``nttforge completion``: the Tab key pressed in real shells, each on a terminal of its own."""

from __future__ import annotations

import os
import select
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from nttforge.cli import COMMANDS, build_parser
from nttforge.cli import completion as command
from nttforge.cli.completion import SHELLS, takes_path

pty = pytest.importorskip("pty")

#: What starts each shell without a user's files, and the lines that load the completions. The
#: command is replaced by a function that shows its words, each in brackets.
_START = {
    "bash": (["bash", "--norc", "--noprofile", "-i"], "source ./nttforge.bash"),
    "zsh": (
        ["zsh", "-f", "-i"],
        "mkdir -p f; cp nttforge.zsh f/_nttforge; fpath=($PWD/f $fpath); "
        "autoload -Uz compinit; compinit -u -D",
    ),
    "fish": (["fish", "--no-config", "-i"], "source ./nttforge.fish"),
}
_FUNCTION = {
    "bash": "nttforge() { printf '<%s>' \"$@\"; echo; }",
    "zsh": "nttforge() { printf '<%s>' \"$@\"; echo; }",
    "fish": "function nttforge; printf '<%s>' $argv; echo; end",
}
#: What is typed before the Tab key, and what the command then gets.
_TYPED = {
    "prim": "<primes>",
    "rtl generat": "<rtl><generate>",
    "plan --input-o": "<plan><--input-order>",
    "ntt --ring cyc": "<ntt><--ring><cyclic>",
    "he encrypt patie": "<he><encrypt><patients.csv>",
    "completion fi": "<completion><fish>",
}


def _script(shell: str) -> str:
    done = subprocess.run(
        [sys.executable, "-m", "nttforge", "completion", shell],
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout


class _Terminal:
    """A program on a pseudo-terminal, as a person at the keyboard has it."""

    def __init__(self, words: list[str], folder: Path) -> None:
        self.process, self.terminal = pty.fork()
        if self.process == 0:
            os.chdir(folder)
            home = {"HOME": str(folder), "TERM": "xterm", "PATH": os.environ["PATH"]}
            os.execvpe(words[0], words, {**home, "LC_ALL": "C.UTF-8"})
        self.seen = ""

    def send(self, text: str) -> None:
        os.write(self.terminal, text.encode())

    def wait_for(self, text: str, seconds: float = 30) -> bool:
        """Read until ``text`` has come, and forget what came before it."""
        end = time.monotonic() + seconds
        while text not in self.seen:
            ready, _, _ = select.select([self.terminal], [], [], max(0, end - time.monotonic()))
            if not ready:
                return False
            try:
                self.seen += os.read(self.terminal, 65536).decode(errors="replace")
            except OSError:  # the program has ended
                return False
        self.seen = self.seen.partition(text)[2]
        return True

    def close(self) -> None:
        os.kill(self.process, signal.SIGKILL)
        os.waitpid(self.process, 0)
        os.close(self.terminal)


@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")
@pytest.mark.parametrize("shell", list(SHELLS))
def test_tab_completes(shell: str, tmp_path: Path) -> None:
    pytest.importorskip("shtab")
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is not installed")
    (tmp_path / f"nttforge.{shell}").write_text(_script(shell))
    (tmp_path / "patients.csv").touch()
    words, load = _START[shell]
    terminal = _Terminal(words, tmp_path)
    try:
        terminal.send(f"{_FUNCTION[shell]}\r{load}\rnttforge ready\r")
        assert terminal.wait_for("<ready>"), terminal.seen
        for typed, shown in _TYPED.items():
            terminal.send(f"nttforge {typed}\t\r")
            assert terminal.wait_for(shown), f"{typed}: {terminal.seen}"
    finally:
        terminal.close()


def test_every_command_is_there() -> None:
    pytest.importorskip("shtab")
    for shell in SHELLS:
        text = _script(shell)
        assert all(name in text for name in COMMANDS)


def test_what_takes_a_path() -> None:
    taken = {a.dest for a in command._actions(build_parser()) if takes_path(a)}
    assert {"out", "table", "keys", "plan", "peers"} <= taken
    assert not {"ring", "json", "n", "bits", "q"} & taken


def test_without_shtab_and_without_cost() -> None:
    """Shtab is loaded on request only; where it is missing, one line says how to get it."""
    program = "import sys; sys.modules['shtab'] = None; from nttforge.cli import main; " + (
        "sys.exit(main(['completion', 'bash']))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.returncode == 2 and done.stdout == ""
    assert "pip install 'shtab" in done.stderr and done.stderr.count("\n") == 1
    program = "import sys, nttforge.cli as c; c.build_parser(); sys.exit('shtab' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", program]).returncode == 0


def test_a_command_loads_no_other() -> None:
    program = (
        "import sys, nttforge.cli as c; c.main(['primes', '--n', '64', '--bits', '20']); "
        "sys.exit(any(m.startswith('nttforge_') for m in sys.modules))"
    )
    assert subprocess.run([sys.executable, "-c", program], capture_output=True).returncode == 0
