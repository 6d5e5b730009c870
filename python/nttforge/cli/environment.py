# SPDX-License-Identifier: Apache-2.0
"""The environment variables that nttforge reads (docs/environment.md), and which are set."""

from __future__ import annotations

import difflib
import os

PREFIX = "NTTFORGE_"
#: Variables that the library and the commands read; the others are read by tests only.
RUN_TIME = (
    "NTTFORGE_TARGET",
    "NTTFORGE_THREADS",
    "NTTFORGE_PIN",
    "NTTFORGE_WISDOM",
    "NTTFORGE_COMMIT",
)
TESTS = (
    "NTTFORGE_CHROMIUM",
    "NTTFORGE_TEST_SEED",
    "NTTFORGE_NOISE_CIRCUITS",
    "NTTFORGE_TEST_FULL",
    "NTTFORGE_HARDWARE_SETS",
    "NTTFORGE_REQUIRE_GPU",
    "NTTFORGE_REQUIRE_TWO_GPUS",
    "NTTFORGE_REQUIRE_LIBRARIES",
    "NTTFORGE_TEST_GPU_ONLY",
    "NTTFORGE_TEST_LEAKS",
)


def variables_set() -> dict[str, str]:
    """Every variable of the name ``NTTFORGE_...``, known or not."""
    return {name: os.environ[name] for name in sorted(os.environ) if name.startswith(PREFIX)}


def unknown(name: str) -> str:
    """Say what is wrong with a variable's name; empty if something reads it."""
    known = (*RUN_TIME, *TESTS)
    if name in known:
        return ""
    tails = {k.removeprefix(PREFIX): k for k in known}
    close = difflib.get_close_matches(name.removeprefix(PREFIX), tails, 1)
    return "unknown" + (f": {tails[close[0]]}?" if close else "")
