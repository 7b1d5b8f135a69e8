"""Interactive charts as files beside the pages, which load one when a reader opens it, from disk too."""

from __future__ import annotations

import base64
import gzip
import json
from pathlib import Path

from fedatlas.files import write_text
from fedatlas.report.views._base import Explorer


def save_explorer(out: Path, stem: str, explorer: Explorer) -> str:
    """Writes `<stem>.js` under `out`: the chart as packed JSON in a script, as pages from disk may load nothing else.

    Returns:
        Its path from the pages.
    """
    content = json.dumps(explorer, allow_nan=False, separators=(",", ":"), default=list)
    packed = base64.b64encode(gzip.compress(content.encode(), mtime=0)).decode()
    write_text(out / f"{stem}.js", f'atlas.explorers["{stem}.js"]="{packed}";\n')
    return f"{stem}.js"
