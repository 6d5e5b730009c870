# SPDX-License-Identifier: Apache-2.0
"""The oracle: every definition of nttforge in plain Python integers, for clarity only.

Transforms are defined in :mod:`nttforge.spec`. Nothing here imports anything but that and the
standard library; the compiled extension is not needed.
"""
