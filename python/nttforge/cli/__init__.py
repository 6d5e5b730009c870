# SPDX-License-Identifier: Apache-2.0
"""The command ``nttforge``: one module per subcommand, errors as one line on standard error.

Exit codes: 0 fine, 1 a check failed, 2 bad input, 128 + number ended by a signal (130: Ctrl-C).
"""

from __future__ import annotations

import argparse
import errno
import importlib
import io
import os
import sys
from collections.abc import Sequence
from typing import IO, Any

from .. import _providers
from .._processes import ending_on_signals
from ..console.arguments import Parser
from ..console.modules import add_module
from ..console.output import UTF8_REMEDY
from ..errors import NttforgeError, UnsupportedError, shortened

COMMANDS = {
    "demo": "private scoring of real patients, client and server, start to end",
    "doctor": "what this machine has and what nttforge does with it",
    "selftest": "check every target of this machine against the definitions",
    "ntt": "transform numbers, or multiply polynomials",
    "trace": "the values after each stage of an algorithm",
    "plan": "show how a transform would be computed here, and why",
    "primes": "find primes; say which transforms a modulus supports",
    "rtl": "Verilog designs: choose, generate, simulate, synthesise, report",
    "he": "encrypted tables: parameters, keys, encrypt, eval, decrypt, inspect",
    "bench": "measure this machine, beside other libraries and its own ceilings",
    "paper": "reproduce a published table or figure",
    "cluster": "encrypted tables in partitions, on several processes or machines",
    "serve": "circuits on encrypted arrays as an HTTP service without a secret key",
    "completion": "completion with the Tab key in bash, zsh or fish",
}

#: Former names of commands.
ALIASES = {"bfv": "he"}

_placeholders: list[IO[Any]] = []  # open for as long as the process lives


def build_parser(only: str | None = None) -> argparse.ArgumentParser:
    """The parser of the whole command line, or with the arguments of one command alone.

    Only modules whose arguments are there are loaded.
    """
    parser = Parser(
        prog="nttforge",
        description="Number theoretic transforms and homomorphic encryption.",
        epilog="Run 'nttforge COMMAND --help' for a command's options and examples.",
    )
    parser.add_argument("--version", action=_Version, help="print the version and exit")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for name, text in COMMANDS.items():
        if only in (None, name):
            add_module(commands, name, text, _module(name), "run")
        else:
            commands.add_parser(name, help=text)
    return parser


def _module(name: str) -> Any:
    """The module of a command, of this package or of another distribution."""
    if name not in _providers.DISTRIBUTIONS[_providers.COMMANDS]:
        return importlib.import_module(f".{name}", __name__)
    try:
        return _providers.provided(_providers.COMMANDS, name)
    except UnsupportedError as error:
        return _Missing(error)


class _Missing:
    """A command of a distribution that is not installed: it says how to get it."""

    def __init__(self, error: UnsupportedError) -> None:
        self._error = error
        self.__doc__ = str(error)

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        parser.prefix_chars = "\0"  # options of the missing command are words like others
        parser.add_argument("words", nargs="*", help=argparse.SUPPRESS)

    def run(self, options: argparse.Namespace) -> int:
        raise self._error


class _Version(argparse.Action):
    """Loads the compiled core only when asked."""

    def __init__(self, option_strings: Sequence[str], dest: str, **keywords: object) -> None:
        super().__init__(option_strings, dest, nargs=0, help=str(keywords.get("help")))

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        from .. import __version__

        print(f"nttforge {__version__}")
        parser.exit()


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command line and returns its exit code."""
    _usable_streams()
    try:
        with ending_on_signals():
            words = list(sys.argv[1:] if arguments is None else arguments)
            at = next((i for i, word in enumerate(words) if not word.startswith("-")), None)
            command = "" if at is None else ALIASES.get(words[at], words[at])
            if at is not None:
                words[at] = command
            options = build_parser(command).parse_args(words)
            code = int(options.run(options))
            sys.stdout.flush()
            return code
    except SystemExit:  # after --help and --version too, which do not look whether anybody reads
        if not (isinstance(sys.stdout, _Closed) and sys.stdout.lost):
            raise
        print(f"nttforge: error: {_Closed.REASON}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("nttforge: interrupted", file=sys.stderr)
        return 130
    except BrokenPipeError:
        # The reader of our output went away; keep the interpreter from complaining at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 141
    except MemoryError as error:
        print(f"nttforge: error: not enough memory: {_one_line(error)}", file=sys.stderr)
        return 2
    except (NttforgeError, OSError) as error:
        print(f"nttforge: error: {_one_line(error)}", file=sys.stderr)
        return 2
    except UnicodeError as error:  # the name of a file in a locale without its characters
        print(f"nttforge: error: {_one_line(error)}; {UTF8_REMEDY}", file=sys.stderr)
        return 2
    except ImportError as error:
        print(f"nttforge: error: {_one_line(error)}{_missing(error)}", file=sys.stderr)
        return 2


class _Closed(io.TextIOBase):
    """Standard output where the caller closed it: whatever is printed is lost, and that is said."""

    REASON = "standard output is closed, and there is something to print"
    lost = False

    def writable(self) -> bool:
        return True

    def write(self, text: str) -> int:
        self.lost = True
        raise OSError(errno.EBADF, self.REASON)


def _usable_streams() -> None:
    """Replace None, which Python has for a closed descriptor: a print or read would fail."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:  # the descriptor is taken, so that no file gets its number
            stream = open(os.devnull, mode, encoding="utf-8")  # noqa: SIM115, PTH123
            setattr(sys, name, _Closed() if name == "stdout" else stream)
            _placeholders.append(stream)
    if isinstance(sys.stdout, io.TextIOWrapper):  # names and signs that the terminal cannot show
        sys.stdout.reconfigure(errors="backslashreplace")


def _one_line(error: BaseException) -> str:
    return shortened(" ".join(str(error).split())) or type(error).__name__


def _missing(error: ImportError) -> str:
    package = (error.name or "").split(".")[0].replace("_", "-")
    if package in ("sklearn", "matplotlib"):
        return f"; the demonstration needs more packages: {_providers.remedy('nttforge-demo')}"
    if package.startswith("nttforge-"):
        return f"; it is in a package of its own: {_providers.remedy(package)}"
    if "_core" in str(error):
        return "; the compiled core is missing: run pip install . in the repository"
    return ""
