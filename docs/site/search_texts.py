# SPDX-License-Identifier: Apache-2.0
"""Texts of all pages for the search page, which shows an excerpt around what was searched for.

Sphinx's search fetches the pages that it found, and a browser that reads the site from a folder
fetches nothing. So the search page has their texts as a script, which answers those requests.
"""

from __future__ import annotations

import html
import json
from pathlib import Path
from typing import Any

SCRIPT = "search_texts.js"
_ANSWER = """(() => {
  const texts = %s;
  const others = window.fetch.bind(window);
  window.fetch = (address, ...options) => {
    const name = String(address).replace(/^(\\.\\/)+/, "").replace(/\\.html$/, "");
    return Object.hasOwn(texts, name)
      ? Promise.resolve(new Response(`<div role="main">${texts[name]}</div>`))
      : others(address, ...options);
  };
})();
"""


def script(texts: dict[str, str]) -> str:
    """The script for these texts by page."""
    answers = {name: html.escape(text) for name, text in sorted(texts.items())}
    return _ANSWER % json.dumps(answers, ensure_ascii=False).replace("</", "<\\/")


def on_page(app: Any, name: str, template: str, context: Any, doctree: Any) -> None:
    """Names the script in the search page."""
    if name == "search":
        app.add_js_file(SCRIPT)


def on_end(app: Any, exception: Exception | None) -> None:
    """Writes the script when all pages are written."""
    if exception is None and app.builder.format == "html":
        env = app.env
        texts = {name: env.get_doctree(name).astext() for name in env.found_docs}
        path = Path(app.outdir) / "_static" / SCRIPT
        path.write_text(script(texts), encoding="utf-8")
