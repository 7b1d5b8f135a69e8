"""A page as a browser sees it before any script runs."""

from __future__ import annotations

import json
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import urlsplit


class Page(HTMLParser):
    """Collects what a page loads, links to and shows."""

    def __init__(self, path: Path):
        super().__init__()
        self.path, self.loads, self.links, self.images, self.ids, self.scripts = path, [], [], [], set(), []
        self._script = None
        self.text = path.read_text(encoding="utf-8")
        self.feed(self.text)

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        self.ids.add(attributes.get("id"))
        if tag == "a":
            self.links.append(attributes.get("href", ""))
        else:
            self.loads += [attributes[key] for key in ("src", "href", "srcset", "data") if attributes.get(key)]
        if tag == "img":
            self.images.append(attributes)
        self._script = attributes.get("type") if tag == "script" else None

    def handle_endtag(self, tag):
        self._script = None

    def handle_data(self, data):
        if self._script == "application/json":
            self.scripts.append(json.loads(data))

    @property
    def from_network(self) -> list[str]:
        """The addresses that the page would load from elsewhere."""
        return [address for address in self.loads if urlsplit(address).scheme not in ("", "data")]
