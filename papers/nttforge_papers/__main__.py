# SPDX-License-Identifier: Apache-2.0
"""``python -m nttforge_papers KEY``: the command ``nttforge paper`` where the core is not built."""

from nttforge_bench.console import run_alone

from . import command

if __name__ == "__main__":
    run_alone(command, "python -m nttforge_papers")
