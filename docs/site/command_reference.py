# SPDX-License-Identifier: Apache-2.0
"""The page of the command line, from the parsers of the commands themselves."""

from __future__ import annotations

import argparse
import re
import sys
from pathlib import Path

from prose import escaped

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))

from help_examples import commands, root_parser


def _example(line: str) -> str:
    """A line of the examples as a console shows it, its remark behind a #."""
    if line.startswith("      "):
        return f"   {line}"
    command, *remark = re.split(r" {2,}(?![-\d])", line.strip(), maxsplit=1)
    return f"   $ {command}" + (f"  # {remark[0]}" if remark else "")


def _text_lines(text: str) -> list[str]:
    """The prose of a help text; its examples become a block of their own."""
    lines: list[str] = []
    for paragraph in re.split(r"\n\s*\n", text.strip()):
        body = paragraph.splitlines()
        if body[0].strip() == "examples:":
            lines += [".. code-block:: console", "", *map(_example, body[1:]), ""]
        elif all(line.startswith("  ") for line in body):
            lines += ["::", "", *[f"   {line}" for line in body], ""]
        else:
            lines += [escaped(" ".join(line.strip() for line in body)), ""]
    return lines


def _invocation(action: argparse.Action, formatter: argparse.HelpFormatter) -> str:
    return formatter._format_action_invocation(action)


def _option_lines(parser: argparse.ArgumentParser) -> list[str]:
    formatter = parser._get_formatter()
    lines: list[str] = []
    for action in parser._actions:
        if isinstance(action, (argparse._SubParsersAction, argparse._HelpAction)):
            continue
        if action.help == argparse.SUPPRESS:
            continue
        said = formatter._expand_help(action) if action.help else ""
        name = re.sub(r"\s+", " ", _invocation(action, formatter))
        lines += [f"``{name}``", f"   {escaped(' '.join(said.split()))}" if said else "   \\ "]
    return [*lines, ""] if lines else []


def _usage(parser: argparse.ArgumentParser) -> list[str]:
    text = re.sub(r"^usage: ", "", parser.format_usage().strip())
    return ["::", "", f"   {' '.join(text.split())}", ""]


def _section(parser: argparse.ArgumentParser, depth: int) -> list[str]:
    title = f"``{parser.prog}``"
    lines = ["", f".. _{parser.prog.replace(' ', '-')}:", "", title, "-~."[depth] * len(title), ""]
    lines += _text_lines(parser.description or "") if parser.description else []
    lines += [".. rst-class:: usage", "", *_usage(parser)]
    lines += _option_lines(parser)
    if parser.epilog and depth:
        lines += _text_lines(parser.epilog)
    return lines


def page() -> dict[str, str]:
    """Path in the site's source and text of the page."""
    root = root_parser()
    lines = ["Command line", "============", "",
             "This is what ``nttforge COMMAND --help`` says of every command. Exit codes: 0 fine, "
             "1 a check failed, 2 bad input, 128 + number ended by a signal. Bad input is one line "
             "on standard error.", "", "Completion with the Tab key in bash, zsh and fish: "
             ":ref:`nttforge-completion`. "
             "Environment variables: :doc:`/environment`.", ""]  # fmt: skip
    for parser in commands(root):
        depth = max(0, parser.prog.count(" ") - 1)
        lines += _section(parser, min(depth, 2))
    return {"reference/command-line.rst": "\n".join(lines) + "\n"}
