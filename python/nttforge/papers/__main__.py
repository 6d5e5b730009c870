"""``python -m nttforge.papers KEY``: the command ``nttforge paper`` where the core is not built."""

import argparse
import sys

from ..cli import paper
from ..errors import NttforgeError

if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        prog="python -m nttforge.papers",
        description=paper.__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    paper.add_arguments(parser)
    try:
        sys.exit(paper.run(parser.parse_args()))
    except (NttforgeError, OSError) as error:
        sys.exit(f"nttforge: error: {error}")
