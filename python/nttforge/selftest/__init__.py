# SPDX-License-Identifier: Apache-2.0
"""Checks of the compiled code on this machine, for the command ``nttforge selftest``."""
