# SPDX-License-Identifier: Apache-2.0
"""Programs of simulated designs are compiled without optimisation: those of tests run shortly."""

from __future__ import annotations

import pytest

from nttforge_hardware.tools import verilate


@pytest.fixture(scope="session", autouse=True)
def _programs_compiled_fast() -> None:
    verilate.OPTIMISATION = "-O0"
