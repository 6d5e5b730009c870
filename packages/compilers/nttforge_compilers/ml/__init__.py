# SPDX-License-Identifier: Apache-2.0
"""Fitted models on encrypted records, by CKKS: ``nttforge.ml``.

:func:`compile` takes a fitted model of scikit-learn, a PyTorch module or a list of layers;
:class:`Client` and :class:`Server` are its halves, which exchange bytes. The guide is docs/ml.md.
"""

from __future__ import annotations

from .compiled import Compiled, Report, compile, load
from .parties import Client, Server

__all__ = ["Client", "Compiled", "Report", "Server", "compile", "load"]
