# SPDX-License-Identifier: Apache-2.0
"""``python -m nttforge_bench cpu``: the command ``nttforge bench`` where the core is not built."""

from nttforge.console.modules import run_alone

from . import command

if __name__ == "__main__":
    run_alone(command, "python -m nttforge_bench")
