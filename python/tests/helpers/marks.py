# SPDX-License-Identifier: Apache-2.0
"""Marks of tests that need more than the package."""

import importlib.util

import pytest


def needs(*packages: str) -> pytest.MarkDecorator:
    """Skips a test where a package of the extra nttforge[hardware] is missing."""
    missing = [name for name in packages if importlib.util.find_spec(name) is None]
    reason = f"needs the extra nttforge[hardware] ({', '.join(missing)})"
    return pytest.mark.skipif(bool(missing), reason=reason)
