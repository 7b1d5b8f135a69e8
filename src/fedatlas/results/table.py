"""The metrics table of a run, in long form."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pandas as pd
else:
    from fedatlas.lazy import pd


COLUMNS = ("configuration", "round", "client", "split", "metric", "value")
OVER_ALL_CLIENTS = -1


def over_all_clients(table: pd.DataFrame, metric: str, split: str) -> pd.DataFrame:
    """The rows of one metric over all clients; columns configuration, round and value."""
    found = (table["metric"] == metric) & (table["split"] == split) & (table["client"] == OVER_ALL_CLIENTS)
    return table.loc[found, ["configuration", "round", "value"]]
