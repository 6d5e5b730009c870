# SPDX-License-Identifier: Apache-2.0
"""What the tools said of a design, as JSON and as a page."""
