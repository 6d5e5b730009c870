# SPDX-License-Identifier: Apache-2.0
"""CKKS: real and complex numbers, encrypted."""

from __future__ import annotations
