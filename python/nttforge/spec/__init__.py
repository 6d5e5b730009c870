# SPDX-License-Identifier: Apache-2.0
"""The definitions of transforms in plain Python integers, for clarity only.

Nothing here imports anything but the standard library; the compiled extension is not needed. The
definitions of everything else are the package nttforge-oracle.
"""
