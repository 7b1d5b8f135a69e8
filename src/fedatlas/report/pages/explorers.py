"""Interactive charts as files beside the pages, which load one when a reader opens it, from disk too."""

from __future__ import annotations

import base64
import gzip
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from fedatlas.files import write_text
from fedatlas.report.views._base import Explorer


def save_explorer(out: Path, stem: str, explorer: Explorer) -> str:
    """Writes `<stem>.js` under `out`: the chart as packed JSON in a script, as pages from disk may load nothing else.

    Its tables are columns there, which pack a third smaller than rows; the page's script makes rows of them.

    Returns:
        Its path from the pages.
    """
    tables = {name: _columns(rows) for name, rows in explorer["spec"]["datasets"].items()}
    chart = {**explorer, "spec": {**explorer["spec"], "datasets": tables}}
    content = json.dumps(chart, allow_nan=False, separators=(",", ":"), default=list)
    packed = base64.b64encode(gzip.compress(content.encode(), mtime=0)).decode()
    write_text(out / f"{stem}.js", f'atlas.explorers["{stem}.js"]="{packed}";\n')
    return f"{stem}.js"


def _columns(rows: Sequence[Mapping[str, Any]]) -> dict[str, list[Any]]:
    names = dict.fromkeys(name for row in rows for name in row)
    return {name: [row.get(name) for row in rows] for name in names}
