# SPDX-License-Identifier: Apache-2.0
"""``python -m nttforge_bench cpu``: the command ``nttforge bench`` where the core is not built."""

from . import command
from .console import run_alone

if __name__ == "__main__":
    run_alone(command, "python -m nttforge_bench")
