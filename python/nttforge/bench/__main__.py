# SPDX-License-Identifier: Apache-2.0
"""``python -m nttforge.bench cpu``: the command ``nttforge bench`` where the core is not built."""

from ..cli import bench
from ..console.modules import run_alone

if __name__ == "__main__":
    run_alone(bench, "python -m nttforge.bench")
