"""A page as a browser sees it before any script runs."""

from __future__ import annotations

import base64
import gzip
import json
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import urlsplit


class Page(HTMLParser):
    """Collects what a page loads, links to and shows."""

    def __init__(self, path: Path):
        super().__init__()
        self.path, self.loads, self.links, self.images, self.ids, self._charts = path, [], [], [], [], []
        self.text = path.read_text(encoding="utf-8")
        self.feed(self.text)

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        self.ids += [attributes["id"]] if "id" in attributes else []
        if tag == "a":
            self.links.append(attributes.get("href", ""))
        else:
            self.loads += [attributes[key] for key in ("src", "href", "srcset", "data") if attributes.get(key)]
        if tag == "img":
            self.images.append(attributes)
        if "data-source" in attributes:
            self._charts.append(attributes["data-source"])
            self.loads.append(attributes["data-source"])

    @property
    def explorers(self) -> dict[str, dict]:
        """The interactive charts that the page loads when they are opened, by their files' paths."""
        return {address: unpacked(self.path.parent / address) for address in self._charts}

    @property
    def from_network(self) -> list[str]:
        """The addresses that the page would load from elsewhere."""
        return [address for address in self.loads if urlsplit(address).scheme not in ("", "data")]


def unpacked(path: Path) -> dict:
    """What a chart's file holds, as the page's script reads it."""
    packed = path.read_text(encoding="utf-8").split('"')[-2]
    content = json.loads(gzip.decompress(base64.b64decode(packed)))
    tables = content["spec"]["datasets"]
    for name, columns in tables.items():
        tables[name] = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
    return content
