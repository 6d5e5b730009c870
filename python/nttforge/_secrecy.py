# SPDX-License-Identifier: Apache-2.0
"""Who may hold a secret key: a process that never speaks to Dask, whose messages are programs.

A process decides once, by what it does first: make or read a secret key, or open a connection to
Dask. The other one is refused from then on, in the processes that it forks as well.
"""

from __future__ import annotations

import threading

from .errors import UnsupportedError

_deciding = threading.Lock()
_held = ""  # the first secret of this process, if there was one
_refusal = ""  # why this process has none, if it must not


def require_may_hold(what: str) -> None:
    """Raises UnsupportedError where secrets are refused; called before one is read."""
    if _refusal:
        raise UnsupportedError(f"{what} is refused here: {_refusal}")


def hold_secret(what: str) -> None:
    """From here on this process holds a secret and does not speak to Dask.

    A secret that is gone again counts as well: copies of its bytes may be left in memory.

    Raises
    ------
    UnsupportedError
        This process refuses secrets, as the coordinator and the workers of a cluster do.
    """
    global _held
    with _deciding:
        require_may_hold(what)
        _held = _held or what


def refuse_secrets(what: str, reason: str) -> None:
    """From here on this process makes and reads no secret key, from a pickle neither.

    Parameters
    ----------
    what : str
        What this process is about to do, such as "a connection to Dask".
    reason : str
        Why it must have no secret, and where secrets belong.

    Raises
    ------
    UnsupportedError
        A secret was made or read here before.
    """
    global _refusal
    with _deciding:
        if _held:
            raise UnsupportedError(
                f"{what} is refused here: this process made or read {_held}, and Dask's messages "
                "are pickles, by which any worker could take it. nttforge_cluster.local_workers "
                "and connected start a process without secrets that speaks to Dask; nttforge "
                "cluster score is the command for who has no key"
            )
        _refusal = _refusal or reason
