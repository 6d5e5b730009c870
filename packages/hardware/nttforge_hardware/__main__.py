# SPDX-License-Identifier: Apache-2.0
"""``nttforge-rtl ACTION``, also ``python -m nttforge_hardware``: ``nttforge rtl`` by this wheel."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from . import _definitions as _definitions


def main(arguments: Sequence[str] | None = None) -> int:
    """Run ``nttforge rtl`` with these arguments, by default those of the process."""
    from nttforge.cli import main as nttforge

    return nttforge(["rtl", *(sys.argv[1:] if arguments is None else arguments)])


if __name__ == "__main__":
    sys.exit(main())
