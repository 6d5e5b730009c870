# SPDX-License-Identifier: Apache-2.0
"""Definitions of nttforge and of its oracle, where they are not installed: the wheel brings them.

Numbers, transforms, errors and the command line are plain Python in nttforge. The generator needs
no more of it, so a copy in the wheel (``definitions/``, of the same version) is looked at last.
Only ``NttPlan(..., device="rtl")`` needs the compiled core.
"""

from __future__ import annotations

import sys
from pathlib import Path

FOLDER = Path(__file__).parent / "definitions"

if FOLDER.is_dir() and str(FOLDER) not in sys.path:
    sys.path.append(str(FOLDER))
