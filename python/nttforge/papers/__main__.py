# SPDX-License-Identifier: Apache-2.0
"""``python -m nttforge.papers KEY``: the command ``nttforge paper`` where the core is not built."""

from ..cli import paper
from ..console.modules import run_alone

if __name__ == "__main__":
    run_alone(paper, "python -m nttforge.papers")
