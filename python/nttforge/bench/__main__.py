"""``python -m nttforge.bench cpu``: the command ``nttforge bench`` where the core is not built."""

import argparse
import sys

from ..cli import bench
from ..errors import NttforgeError

if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        prog="python -m nttforge.bench",
        description=bench.__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    bench.add_arguments(parser)
    try:
        sys.exit(bench.run(parser.parse_args()))
    except (NttforgeError, OSError) as error:
        sys.exit(f"nttforge: error: {error}")
