# SPDX-License-Identifier: Apache-2.0
"""Settings of Sphinx for the site; docs/site/build.py runs it."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path.insert(0, str(HERE))
import search_texts  # noqa: E402  the folder is not on the path before

project = "nttforge"
author = "the nttforge authors"
project_copyright = "the nttforge authors, Apache-2.0"
_version = re.search(r"project\(nttforge VERSION ([0-9.]+)", (ROOT / "CMakeLists.txt").read_text())
assert _version is not None
release = version = _version[1]

extensions = ["myst_nb", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
source_suffix = {".md": "myst-nb", ".rst": "restructuredtext"}
suppress_warnings = ["ref.python"]  # "Context" in a signature: of BFV, of BGV, and what both share
smartquotes = False  # "--device" is two hyphens
root_doc = "index"
nitpicky = False  # types of signatures are words of NumPy and typing, which have no page here

myst_enable_extensions = ["deflist", "attrs_inline"]
myst_heading_anchors = 4
# A code block without Markdown's language is text: formulas and layouts.
highlight_language = "text"
pygments_style = "a11y-high-contrast-light"
pygments_dark_style = "a11y-high-contrast-dark"

nb_execution_mode = "cache"
nb_execution_raise_on_error = True
nb_execution_timeout = 120
nb_merge_streams = True
nb_execution_show_tb = True

autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_class_signature = "mixed"
autodoc_preserve_defaults = True
napoleon_google_docstring = False
napoleon_use_rtype = False
napoleon_custom_sections = [("Source", "notes_style")]
maximum_signature_line_length = 72
python_display_short_literal_types = True
add_module_names = False
python_use_unqualified_type_names = True

cpp_id_attributes = ["NTTF_HD", "NTTF_INLINE", "NTTF_HOST_DEVICE"]
cpp_maximum_signature_line_length = 72
c_maximum_signature_line_length = 72

html_theme = "furo"
html_title = f"nttforge {release}"
html_static_path = ["static"]
html_css_files = ["site.css"]
html_copy_source = False
html_show_sourcelink = False
html_last_updated_fmt = None
html_theme_options = {
    "footer_icons": [],
    "light_css_variables": {"font-stack": "system-ui, sans-serif", "color-link": "#0a58a8"},
    "dark_css_variables": {"color-link": "#7fb6f5"},
}


def plain_bars(app: Any, what: str, name: str, value: Any, options: Any, lines: list[str]) -> None:
    """The oracle's docstrings have absolute values, which reStructuredText takes for names."""
    if name.startswith(("nttforge.spec", "nttforge_oracle")):
        lines[:] = [re.sub(r"(?<!\\)[|]", r"\\|", line) for line in lines]


def setup(app: Any) -> dict[str, bool]:
    """Pages are read and written side by side."""
    app.connect("autodoc-process-docstring", plain_bars)
    app.connect("html-page-context", search_texts.on_page)
    app.connect("build-finished", search_texts.on_end)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
