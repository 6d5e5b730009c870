# SPDX-License-Identifier: Apache-2.0
"""Printing shared by the commands: tables, sizes, times, progress; files written in one piece."""

from __future__ import annotations

import contextlib
import os
import secrets
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import IO, Any, TypeVar

T = TypeVar("T")
#: Where the locale has no UTF-8, names of files have its characters only.
UTF8_REMEDY = "set PYTHONUTF8=1, or a locale with UTF-8 such as LC_ALL=C.UTF-8"


def table(header: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Columns separated by two spaces; numbers to the right, text to the left."""
    cells = [[str(c) for c in row] for row in rows]
    right = [bool(cells) and all(_is_number(row[i]) for row in cells) for i in range(len(header))]
    widths = [max(len(row[i]) for row in [list(header), *cells]) for i in range(len(header))]

    def line(row: Sequence[str]) -> str:
        parts = [
            c.rjust(w) if r else c.ljust(w) for c, w, r in zip(row, widths, right, strict=True)
        ]
        return "  ".join(parts).rstrip()

    return "\n".join([line(header), line(["-" * w for w in widths]), *map(line, cells)])


def _is_number(text: str) -> bool:
    if text in ("", "-"):
        return True
    try:
        float(text.split(" ")[0].replace(",", ""))
    except ValueError:
        return False
    return True


def size(count: int) -> str:
    """Bytes for a person.

    >>> size(999), size(2 * 1024**2)
    ('999 B', '2.0 MiB')
    """
    if count < 1000:
        return f"{count} B"
    value = float(count)
    for unit in ("KiB", "MiB"):
        value /= 1024
        if value < 1000:
            return f"{value:.1f} {unit}"
    return f"{value / 1024:.1f} GiB"


def duration(seconds: float) -> str:
    """Seconds for a person.

    >>> duration(0.0000123), duration(0.25), duration(3)
    ('12.3 us', '250 ms', '3.00 s')
    """
    if seconds < 1e-3:
        return f"{seconds * 1e6:.3g} us"
    if seconds < 1:
        return f"{seconds * 1e3:.3g} ms"
    return f"{seconds:.2f} s"


def progress(items: Sequence[T], title: str, name: Callable[[T], str] = str) -> Iterator[T]:
    """Yields the items; a bar on a terminal, a plain line per item elsewhere; always on stderr."""
    if sys.stderr.isatty():
        from tqdm import tqdm

        with tqdm(items, desc=title, leave=False, file=sys.stderr) as bar:
            for item in bar:
                bar.set_postfix_str(name(item))
                yield item
    else:
        for i, item in enumerate(items):
            print(f"{title}: {i + 1}/{len(items)} {name(item)}", file=sys.stderr, flush=True)
            yield item


def require_writable(folder: Path | str) -> None:
    """Raises OSError if files cannot be written there: asked before work whose results they hold.

    A folder that does not exist yet is not made; what is tried is the first above it that does.
    """
    place = Path(folder).absolute()
    while not place.exists() and place != place.parent:
        place = place.parent
    try:
        with tempfile.TemporaryFile(dir=place):
            pass
    except OSError as error:
        raise OSError(error.errno, f"cannot write there: {error.strerror}", str(folder)) from None


@contextlib.contextmanager
def whole_file(path: Path | str, mode: str = "w") -> Iterator[IO[Any]]:
    """A file that appears under its name only when the block ends without an error.

    A symbolic link is followed, an old file's permissions are kept. Devices and pipes (/dev/stdout)
    are written into, never replaced.
    """
    path = Path(path)
    encoding = None if "b" in mode else "utf-8"
    if path.exists() and not path.is_file():
        with path.open(mode, encoding=encoding) as file:
            yield file
        return
    path = path.resolve()
    path.parent.mkdir(parents=True, exist_ok=True)
    # The system applies the process's mask to a new file; one that replaces another is its owner's
    # alone until it has the permissions of that one.
    permissions = path.stat().st_mode & 0o777 if path.exists() else None
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
    handle = os.open(temporary, flags, 0o666 if permissions is None else 0o600)
    try:
        with os.fdopen(handle, mode, encoding=encoding) as file:
            yield file
        if permissions is not None:
            temporary.chmod(permissions)
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
