# SPDX-License-Identifier: Apache-2.0
"""Designs as software uses them: a driver over registers and DMA, and a simulated bus."""
