# SPDX-License-Identifier: Apache-2.0
"""The oracle: every definition of nttforge in plain Python integers, for clarity only.

Nothing here imports anything but the standard library; the compiled extension is not needed.
"""
