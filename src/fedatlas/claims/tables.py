"""Claims about the cells of a printed table, so that every number of a paper stands in one place.

An entry of a claims file that names a `table` of config/paper_results stands for one claim about each cell of some of
its rows and columns. It is unfolded when claims are loaded.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from string import Formatter
from typing import Annotated, Any, NamedTuple

from pydantic import Field, model_validator

from fedatlas.config import Names, Place, Strict, validate
from fedatlas.errors import AtlasError
from fedatlas.names import nearest

PERCENT = 100
_OF_CLAIMS = (  # for all cells alike
    "also", "quote", "needs_scale", "needs_data", "needs_seeds", "threshold_from", "by_construction",
)  # fmt: skip
_IN_WORDS = {"row", "column", "number"}
_PLACEHOLDERS = {"id": {"row", "method"}, "source": _IN_WORDS, "statement": _IN_WORDS}

ReadTable = Callable[[str], Mapping[str, Any]]  # the content of a file of config/paper_results, by its name


class Column(NamedTuple):
    """A column of the table and the algorithm whose numbers it holds."""

    column: str
    algorithm: str


class PrintedTable(Strict):
    """Claims about the numbers of a table, in per cent, one for each row and method; other keys are those of a claim.

    Attributes:
        id: of the claims; `{row}` stands for the row in small letters and `{method}` for the method.
        source, statement: with `{row}`, `{column}` and, for the number as it is printed, `{number}`.
        table: the file of config/paper_results.
        part: which number of a cell that holds several.
        rows: the experiment of each row.
        methods: column and algorithm of each method, by its name in ids.
        proposed: the methods that the paper proposes, which alone can be better than it says.
        check: as in a claim, but for `algorithms` and `expect`.
    """

    id: str
    source: str
    statement: str
    table: str
    part: str | None = None
    rows: Annotated[dict[str, str], Field(min_length=1)]
    methods: Annotated[dict[str, Column], Field(min_length=1)]
    proposed: Names = ()
    check: dict[str, Any]

    @model_validator(mode="after")
    def _names_known(self) -> PrintedTable:
        for key, known in _PLACEHOLDERS.items():
            names = {name for _, name, _, _ in Formatter().parse(getattr(self, key)) if name is not None}
            if names - known:
                there = ", ".join(f"{{{name}}}" for name in sorted(known))
                raise ValueError(f"'{key}' names {{{min(names - known)}}}; there are: {there}")
        if unknown := {*self.proposed} - {*self.methods}:
            raise ValueError(f"'proposed' names {min(unknown)}, which is not among the 'methods'")
        return self

    def claims(self, read: ReadTable) -> Iterator[dict[str, Any]]:
        """The keys of this table's claims that differ from cell to cell."""
        for row, experiment in self.rows.items():
            for method, (column, algorithm) in self.methods.items():
                number = self._number(read, row, column)
                words = {"row": row, "column": column, "number": f"{number:.1f}"}
                check = {**self.check, "algorithms": [algorithm], "expect": round(number / PERCENT, 6)}
                yield {
                    "id": self.id.format(row=row.lower(), method=method),
                    "source": self.source.format(**words),
                    "statement": self.statement.format(**words),
                    "experiment": experiment,
                    "check": check | ({"better": "highest"} if method in self.proposed else {}),
                }

    def _number(self, read: ReadTable, row: str, column: str) -> float:
        cell = read(self.table).get("table_values", {}).get(row, {}).get(column)
        number = cell.get(self.part) if self.part and isinstance(cell, Mapping) else cell
        if not isinstance(number, int | float):
            where = ", ".join(filter(None, [row, column, self.part]))
            raise AtlasError(
                f"config/paper_results/{self.table}.yaml has no number at {where}: check 'rows', 'methods' and 'part'.",
                ("rows",),
            )
        return float(number)


def unfolded(entry: Mapping[str, Any], read: ReadTable, place: Place) -> list[dict[str, Any]]:
    """The claims of an entry of a claims file: itself, or one for each cell of the table that it names.

    Raises:
        AtlasError: names the file, the entry and the key if one is wrong or a cell is not printed.
    """
    if not {"table", "rows", "methods"} & {*entry}:
        return [dict(entry)]
    for key in {*entry} - {*PrintedTable.model_fields, *_OF_CLAIMS}:
        if meant := nearest(key, {*PrintedTable.model_fields, *_OF_CLAIMS} - {*entry}):
            raise place.error(AtlasError(f"unknown key '{key}'; did you mean '{meant}'?", (key,)))
    own = {key: value for key, value in entry.items() if key in PrintedTable.model_fields}
    shared = {key: value for key, value in entry.items() if key not in own}
    table = validate(own, PrintedTable, place)
    try:
        return [shared | cell for cell in table.claims(read)]
    except AtlasError as error:
        raise place.error(error) from error
