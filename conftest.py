# SPDX-License-Identifier: Apache-2.0
"""One switch for what takes long: tests marked ``full`` run with ``--full``, as in ``make full``.

The switch is NTTFORGE_TEST_FULL=1, which the C++ tests read too; ``--full`` sets it, also for the
programs that tests start.
"""

from __future__ import annotations

import os

import pytest
from marks import full_tests

_LEFT_OUT = pytest.StashKey[int]()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--full",
        action="store_true",
        help="run the tests marked full too, and full sweeps (NTTFORGE_TEST_FULL=1)",
    )


def pytest_configure(config: pytest.Config) -> None:
    if config.getoption("--full"):
        os.environ["NTTFORGE_TEST_FULL"] = "1"


# After -k and -m, so that the count is of tests that would have run.
@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    left_out = [] if full_tests() else [item for item in items if item.get_closest_marker("full")]
    config.stash[_LEFT_OUT] = len(left_out)
    if left_out:
        items[:] = [item for item in items if not item.get_closest_marker("full")]
        config.hook.pytest_deselected(items=left_out)


def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, config: pytest.Config
) -> None:
    count = config.stash.get(_LEFT_OUT, 0)
    if count:
        tests = "test is" if count == 1 else "tests are"
        terminalreporter.write_line(
            f"{count} {tests} left to make full: --full or NTTFORGE_TEST_FULL=1 runs them too"
        )
