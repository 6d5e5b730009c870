# SPDX-License-Identifier: Apache-2.0
"""Marks of tests that need more than the package, and whether full sweeps run."""

import importlib.util
import os
import shutil

import pytest


def needs(*packages: str) -> pytest.MarkDecorator:
    """Skips a test where a package of the extra nttforge[hardware] is missing."""
    missing = [name for name in packages if importlib.util.find_spec(name) is None]
    reason = f"needs the extra nttforge[hardware] ({', '.join(missing)})"
    return pytest.mark.skipif(bool(missing), reason=reason)


def needs_program(*names: str) -> pytest.MarkDecorator:
    """Skips a test where one of these programs is not on the path."""
    missing = [name for name in names if shutil.which(name) is None]
    return pytest.mark.skipif(bool(missing), reason=f"needs {', '.join(missing)} on the path")


def full_tests() -> bool:
    """Whether tests marked ``full`` run, and grids in full: NTTFORGE_TEST_FULL is 1."""
    return os.environ.get("NTTFORGE_TEST_FULL") == "1"
