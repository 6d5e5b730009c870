# SPDX-License-Identifier: Apache-2.0
"""A compiler launcher: takes objects of the library from a build folder instead of compiling them.

    prebuilt.py BUILD COMPILER ARGUMENTS...

So that a test of how the library is built inside another project does not compile it again. What
the build folder has no object for is compiled.
"""

import pathlib
import shutil
import subprocess
import sys


def main() -> int:
    build, command = pathlib.Path(sys.argv[1]), sys.argv[2:]
    if "-o" in command and "-c" in command:
        output = pathlib.Path(command[command.index("-o") + 1])
        _, found, name = output.as_posix().partition("CMakeFiles/nttforge.dir/")
        known = build / "CMakeFiles/nttforge.dir" / name
        if found and known.is_file():
            shutil.copyfile(known, output)
            if "-MF" in command:  # Ninja reads what the object depends on
                pathlib.Path(command[command.index("-MF") + 1]).write_text(f"{output}:\n")
            return 0
    return subprocess.run(command, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
