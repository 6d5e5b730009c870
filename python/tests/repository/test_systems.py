# SPDX-License-Identifier: Apache-2.0
"""The package on macOS and Windows: what mypy (tools/check_types.py) cannot know of their calls."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parents[2] / "nttforge"
#: The module that asks for the system, and those that only say its name.
ASKING, SAYING = "_system.py", ("cli/doctor.py",)
FOLDERS = ("/proc/", "/sys/")
#: os.kill ends any process on Windows, whatever the signal; fork copies threads' locks.
CALLS = {"os.kill", "os.fork", "multiprocessing.get_context", "multiprocessing.Process"}


def faults(text: str) -> Iterator[str]:
    """Calls and paths that mean something else on another system, and text of unnamed encoding."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Attribute):
            name = ast.unparse(node)
            if name in {"sys.platform", "os.name", "platform.system"} | CALLS:
                yield f"line {node.lineno}: {name}"
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            if node.value.startswith(FOLDERS):
                yield f"line {node.lineno}: {node.value}"
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            least = {"read_text": 1, "write_text": 2}.get(node.func.attr)
            named = any(keyword.arg in ("encoding", None) for keyword in node.keywords)
            if least is not None and len(node.args) < least and not named:
                yield f"line {node.lineno}: {node.func.attr} of unnamed encoding"


def test_only_one_module_asks_for_the_system() -> None:
    found = {
        name: list(faults(path.read_text("utf-8")))
        for path in sorted(PACKAGE.rglob("*.py"))
        if (name := path.relative_to(PACKAGE).as_posix()) not in (ASKING, *SAYING)
    }
    assert {name: lines for name, lines in found.items() if lines} == {}
    assert len(found) > 100


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("import os\nos.kill(1, 9)", "line 2: os.kill"),
        ("if sys.platform == 'win32': pass", "line 1: sys.platform"),
        ("open('/proc/self/status')", "line 1: /proc/self/status"),
        ("path.write_text(text)", "line 1: write_text of unnamed encoding"),
        ("path.read_text('utf-8'), path.write_text(text, encoding='utf-8')", None),
    ],
)
def test_faults_are_found(text: str, said: str | None) -> None:
    assert list(faults(text)) == ([] if said is None else [said])
