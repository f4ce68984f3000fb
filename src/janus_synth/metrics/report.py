"""Report of scores: a frozen mapping that prints as a table, plain or rich, and converts to JSON."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from janus_synth.errors import DataError
from janus_synth.shortcuts import shortcut

if TYPE_CHECKING:
    from datetime import date

    from rich.table import Table as RichTable

    from janus_synth.metrics.disclosure import Disclosure


@dataclass(frozen=True, slots=True)
class Score:
    """One score with what is needed to interpret it.

    Attributes
    ----------
    name : str
        Its key in the report.
    value : float
        Of the synthetic rows; NaN where it is undefined.
    reference : float
        The same with real rows in place of the synthetic ones; NaN where it was not requested or is not defined.
    ideal : float or None
        The value of a perfect generator; None where the reference is the ideal.
    meaning : str
        A short explanation.
    """

    name: str
    value: float
    reference: float
    ideal: float | None
    meaning: str

    def cells(self) -> tuple[str, str, str, str, str]:
        """Texts of one line of the printed table."""
        ideal = "reference" if self.ideal is None else f"{self.ideal:g}"
        return self.name, _number(self.value), _number(self.reference), ideal, self.meaning


@dataclass(frozen=True, slots=True)
class Sampled:
    """How tables larger than memory were scored: from samples of their rows, with some scores of all rows."""

    rows: Mapping[str, int]
    """Sampled rows of the ``train``, ``test`` and ``synthetic`` tables."""
    exact: tuple[str, ...]
    """Scores that all rows were counted for; copies are sampled rows that equal any training row."""
    slack: float = 0.0
    """By how much a column's Kolmogorov–Smirnov distance may be larger: it is exact at up to 4,096 points."""

    def __str__(self) -> str:
        sizes = ", ".join(f"{n:,} {name}" for name, n in self.rows.items())
        told = f"; from all rows: {', '.join(self.exact)}" if self.exact else ""
        return f"scores are from random samples of {sizes} rows{told}"


@dataclass(frozen=True, slots=True, eq=False)
class ScoredTables:
    """The training, held-out and synthetic frames behind a report, and the settings that a page needs.

    It pickles as None: a stored report holds scores, and no rows.
    """

    frames: tuple[Any, Any, Any]
    options: Mapping[str, Any]

    def __reduce__(self) -> tuple[Any, ...]:
        return type(None), ()


@dataclass(frozen=True, slots=True, eq=False)
class Report(Mapping[str, float]):
    """All scores of one synthetic table, by name.

    Attributes
    ----------
    scores : mapping of str to Score
        Each value with its reference, ideal and meaning; ``report[name]`` is the value alone.
    columns : mapping of str to float
        Distance of every column on its own: Kolmogorov–Smirnov if ordered, total variation if discrete.
    target : str
        Column that utility and minority preservation are about.
    detector : str
        Classifier behind ``detection`` and ``utility``.
    n_rows : mapping of str to int
        Rows of the ``train``, ``test`` and ``synthetic`` tables.
    disclosure : Disclosure, optional
        Attacks on the rows, where they were asked for.
    sampled : Sampled, optional
        For tables larger than memory: what was sampled, and which scores are of all rows.

    Examples
    --------
    >>> score = Score("ks", 0.125, 0.0625, 0.0, "distance of ordered columns")
    >>> report = Report({"ks": score}, {"x": 0.125}, "x", "xgboost", {"train": 9, "test": 9, "synthetic": 9})
    >>> report["ks"]
    0.125
    >>> print(report)
    9 synthetic rows beside 9 training and 9 held-out rows; target x, detector xgboost
    <BLANKLINE>
    score   value  reference  ideal  meaning
    ks     0.1250     0.0625      0  distance of ordered columns
    """

    scores: Mapping[str, Score]
    columns: Mapping[str, float]
    target: str
    detector: str
    n_rows: Mapping[str, int]
    disclosure: Disclosure | None = None
    tables: ScoredTables | None = field(default=None, repr=False)
    """The tables that were scored, for ``to_html``; files and copies in other processes do not hold them."""
    sampled: Sampled | None = None

    def __getitem__(self, name: str) -> float:
        return self.scores[name].value

    def __iter__(self) -> Iterator[str]:
        return iter(self.scores)

    def __len__(self) -> int:
        return len(self.scores)

    def to_dict(self) -> dict[str, Any]:
        """Plain dictionaries, None where a score is undefined."""
        scores = {
            name: {"value": _finite_or_none(s.value), "reference": _finite_or_none(s.reference), "ideal": s.ideal}
            for name, s in self.scores.items()
        }
        found = {
            "target": self.target,
            "detector": self.detector,
            "n_rows": dict(self.n_rows),
            "scores": scores,
            "columns": {name: _finite_or_none(value) for name, value in self.columns.items()},
        }
        if self.sampled is not None:
            rows, exact = dict(self.sampled.rows), list(self.sampled.exact)
            found["sampled"] = {"rows": rows, "exact": exact, "slack": self.sampled.slack}
        return found if self.disclosure is None else {**found, "disclosure": self.disclosure.to_dict()}

    def to_json(self, *, indent: int | None = 2) -> str:
        """Render `to_dict` as JSON text, null where a score is undefined."""
        return json.dumps(self.to_dict(), indent=indent, allow_nan=False, ensure_ascii=False)

    def to_html(
        self,
        path: str | os.PathLike[str],
        *,
        title: str | None = None,
        names: Mapping[str, str] | None = None,
        day: date | None = None,
    ) -> None:
        """Write a self-contained page with the scores and pictures of the tables, completely or not at all.

        Parameters
        ----------
        path : path
            The file; one of that name is replaced.
        title : str, optional
            Heading of the page.
        names : mapping of str to str, optional
            What to call the tables ``train``, ``test`` and ``synthetic``, such as their files.
        day : date, optional
            Day to print; today by default.

        Raises
        ------
        DataError
            If the report came from another process or a file, which do not pass on the tables.

        Examples
        --------
        >>> import tempfile, pathlib, pandas as pd
        >>> from janus_synth import metrics
        >>> parts = [pd.DataFrame({"x": range(i, 30 + i), "y": [0, 1] * 15}) for i in range(3)]
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     metrics.evaluate(*parts, metrics=["ks"]).to_html(f"{folder}/report.html")
        ...     text = pathlib.Path(folder, "report.html").read_text(encoding="utf-8")
        >>> text[:15]
        '<!DOCTYPE html>'
        """
        if self.tables is None:
            raise DataError(
                "this report no longer knows the tables it scored. Call janus_synth.report.write_report(path, train, "
                "test, synthetic, report)."
            )
        options = self.tables.options if title is None else {**self.tables.options, "title": title}
        shortcut("write_report")(path, *self.tables.frames, self, files=names, day=day, **options)

    def __str__(self) -> str:
        lines = [HEADINGS, *(score.cells() for score in self.scores.values())]
        widths = [max(len(line[j]) for line in lines) for j in range(len(HEADINGS))]
        below = [] if self.disclosure is None else ["", str(self.disclosure)]
        return "\n".join([self._title(), "", *(_align_cells(line, widths) for line in lines), *below])

    def __rich__(self) -> RichTable:
        """Render as a table for a terminal."""
        from rich.table import Table as RichTable

        table = RichTable(title=self._title(), title_justify="left")
        for j, heading in enumerate(HEADINGS):
            table.add_column(heading, justify="right" if j in NUMERIC else "left")
        for score in self.scores.values():
            table.add_row(*score.cells())
        return table

    def _repr_html_(self) -> str:
        """Render as a table for notebooks."""
        from janus_synth.pages import render  # Jinja is slow to import

        rows = [score.cells() for score in self.scores.values()]
        table = render(
            "table.html.j2", caption=self._title(), headings=HEADINGS, rows=rows, first_number=1, after_numbers=4
        )
        return table if self.disclosure is None else table + self.disclosure._repr_html_()

    def _title(self) -> str:
        sizes = {name: f"{size:,}" for name, size in self.n_rows.items()}
        return (
            f"{sizes['synthetic']} synthetic rows beside {sizes['train']} training and {sizes['test']} "
            f"held-out rows; target {self.target}, detector {self.detector}"
        ) + ("" if self.sampled is None else f"; {self.sampled}")


HEADINGS = ("score", "value", "reference", "ideal", "meaning")
NUMERIC = frozenset({1, 2, 3})


def _align_cells(line: tuple[str, ...], widths: list[int]) -> str:
    cells = [
        text.rjust(width) if j in NUMERIC else text.ljust(width)
        for j, (text, width) in enumerate(zip(line, widths, strict=True))
    ]
    return "  ".join(cells).rstrip()


def _number(value: float) -> str:
    return "–" if math.isnan(value) else f"{value:z.4f}"


def _finite_or_none(value: float) -> float | None:
    return float(value) if math.isfinite(value) else None
