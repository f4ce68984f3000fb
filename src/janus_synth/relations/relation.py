"""Relations between columns as values: one ``Relation``, and the ranked sequence that ``discover`` returns."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, overload

from janus_synth.relations.details import Copy, Detail

if TYPE_CHECKING:
    import pandas as pd

KINDS = (
    "sum",
    "one-hot",
    "calendar",
    "clock",
    "product",
    "ratio",
    "factor",
    "lookup",
    "band",
    "copy",
    "ordering",
    "nulls",
    "implication",
    "increment",
)
"""Kinds of relations, in the order in which they are listed."""
WIDTH = 100
"""Width of the printed table in characters."""
HEADINGS = ("kind", "relation", "rows", "exceptions")


@dataclass(frozen=True, slots=True)
class Relation:
    """A relation between columns that the rows of a table keep.

    Parameters
    ----------
    kind : str
        One of ``KINDS``.
    columns : tuple of str
        Its columns, the determined one first.
    rule : str
        The same as a rule (``janus_synth.holds`` evaluates it); empty where the language cannot say it.
    support : int
        Rows that it applies to.
    exceptions : int
        Those of them that break it.
    example : mapping of str to value
        Values of its columns in one row that keeps it.
    detail : dataclass
        What else is known of it, by kind: see ``janus_synth.relations.details``.
    text : str
        Statement for people.

    Examples
    --------
    >>> from janus_synth.relations.details import Lookup
    >>> detail = Lookup("country", ("city",))
    >>> text, example = "country is determined by city", {"country": "Italy", "city": "Rome"}
    >>> rule = "fixed_combinations(city, country)"
    >>> relation = Relation("lookup", ("country", "city"), rule, 90, 0, example, detail, text)
    >>> print(relation)
    country is determined by city
    """

    kind: str
    columns: tuple[str, ...]
    rule: str
    support: int
    exceptions: int
    example: Mapping[str, object]
    detail: Detail
    text: str = ""

    @property
    def is_exact(self) -> bool:
        """Whether no row breaks it."""
        return self.exceptions == 0

    def __str__(self) -> str:
        return self.text or self.rule


class Relations(Sequence[Relation]):
    """Relations of a table, ranked: structural and exact ones first.

    Parameters
    ----------
    relations : iterable of Relation
        In any order.
    n_rows : int
        Rows of the table.

    Examples
    --------
    >>> import pandas as pd
    >>> from janus_synth import discover
    >>> trips = pd.DataFrame({"casual": [3, 8, 1, 9, 4] * 20, "registered": [i * i % 101 for i in range(100)]})
    >>> found = discover(trips.assign(total=trips.casual + trips.registered))
    >>> print(found)
    1 relation in 100 rows
    <BLANKLINE>
    kind  relation                      rows  exceptions
    sum   total == casual + registered   100           0
    >>> found.rules
    ('total == casual + registered',)
    """

    def __init__(self, relations: Sequence[Relation], n_rows: int) -> None:
        self._relations = tuple(sorted(relations, key=_rank))
        self.n_rows = n_rows

    @property
    def rules(self) -> tuple[str, ...]:
        """Rules that hold in all rows, each once."""
        return tuple(dict.fromkeys(r.rule for r in self._relations if r.rule and r.is_exact))

    def of_kind(self, kind: str) -> tuple[Relation, ...]:
        """Relations of one kind."""
        return tuple(relation for relation in self._relations if relation.kind == kind)

    def to_frame(self) -> pd.DataFrame:
        """Return one row per relation, as a pandas DataFrame."""
        import pandas as pd

        names = ("kind", "columns", "text", "rule", "support", "exceptions", "example", "detail")
        cells = {name: [getattr(relation, name) for relation in self._relations] for name in names}
        return pd.DataFrame(cells | {"example": [dict(relation.example) for relation in self._relations]})

    @overload
    def __getitem__(self, index: int) -> Relation: ...
    @overload
    def __getitem__(self, index: slice) -> Relations: ...
    def __getitem__(self, index: int | slice) -> Relation | Relations:
        if isinstance(index, slice):
            return Relations(self._relations[index], self.n_rows)
        return self._relations[index]

    def __iter__(self) -> Iterator[Relation]:
        return iter(self._relations)

    def __len__(self) -> int:
        return len(self._relations)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Relations):
            return NotImplemented
        return self.n_rows == other.n_rows and self._relations == other._relations

    __hash__ = None  # type: ignore[assignment]

    def __str__(self) -> str:
        if not self._relations:
            return self._title()
        lines = [HEADINGS, *map(_cells, self._relations)]
        widths = [max(len(line[j]) for line in lines) for j in range(len(HEADINGS))]
        widths[1] = min(widths[1], WIDTH - sum(widths) + widths[1] - 2 * (len(HEADINGS) - 1))
        return "\n".join([self._title(), "", *(part for line in lines for part in _aligned(line, widths))])

    __repr__ = __str__

    def _repr_html_(self) -> str:
        from janus_synth.pages import render  # Jinja is slow to import

        rows = list(map(_cells, self._relations))
        return render("table.html.j2", caption=self._title(), headings=HEADINGS, rows=rows, first_number=2)

    def _title(self) -> str:
        n = len(self._relations)
        return f"{n or 'no'} relation{'' if n == 1 else 's'} in {self.n_rows:,} row{'' if self.n_rows == 1 else 's'}"


def _rank(relation: Relation) -> tuple[Any, ...]:
    """Copies in a share of the rows come last; others by kind, exact ones first, then by the rows they apply to."""
    partial = isinstance(relation.detail, Copy) and relation.exceptions > 0
    return partial, KINDS.index(relation.kind), relation.exceptions > 0, -relation.support, relation.columns


def _cells(relation: Relation) -> tuple[str, ...]:
    return relation.kind, str(relation), f"{relation.support:,}", f"{relation.exceptions:,}"


def _aligned(line: tuple[str, ...], widths: list[int]) -> Iterator[str]:
    """Lines of one relation; its text is wrapped at spaces."""
    wrapped = wrap_text(line[1], widths[1])
    for i, part in enumerate(wrapped):
        first, *numbers = (line[0], line[2], line[3]) if i == 0 else ("", "", "")
        cells = [first.ljust(widths[0]), part.ljust(widths[1])]
        cells += [number.rjust(width) for number, width in zip(numbers, widths[2:], strict=True)]
        yield "  ".join(cells).rstrip()


def wrap_text(text: str, width: int) -> list[str]:
    """Break a text at spaces; what is longer than a line is cut.

    Examples
    --------
    >>> wrap_text("total == casual + registered", 16)
    ['total == casual', '  + registered']
    """
    lines, line = [], ""
    for word in text.split(" "):
        longer = f"{line} {word}" if line else word
        if len(longer) > width and line.strip():
            lines.append(line)
            longer = f"  {word}"
        while len(longer) > width:
            lines.append(longer[:width])
            longer = f"  {longer[width:]}"
        line = longer
    return [*lines, line]
