# SPDX-License-Identifier: Apache-2.0
"""What can go wrong in a task, by its kind: whoever gave the task out decides by it what to do."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from nttforge.errors import FormatError, MissingKeyError, NttforgeError


class Trouble(Exception):
    """What went wrong and what it was: "keys", "input", "damaged", "disk", "memory", "compute"."""

    def __init__(self, kind: str, error: BaseException) -> None:
        super().__init__(kind, str(error))
        self.kind = kind
        self.lacks_key = isinstance(error, MissingKeyError)
        text = str(error) or type(error).__name__
        known = isinstance(error, (OSError, FormatError)) or type(error).__module__ == (
            "nttforge.errors"
        )
        self.text = text if known else f"{type(error).__name__}: {text}"


@contextlib.contextmanager
def stage(kind: str) -> Iterator[None]:
    """Errors of the block become a :class:`Trouble` of this kind."""
    try:
        yield
    except Trouble:
        raise
    except MemoryError as error:
        raise Trouble("memory", error) from None
    except FormatError as error:
        raise Trouble("damaged" if kind == "input" else kind, error) from None
    except NttforgeError as error:  # no disk is the reason of what the library refuses
        raise Trouble("compute" if kind == "disk" else kind, error) from None
    except Exception as error:
        raise Trouble(kind, error) from None
