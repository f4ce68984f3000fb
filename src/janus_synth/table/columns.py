"""One column of a schema: its kind, native dtype and domain, and single values in and out of its units.

``Column`` checks itself on construction, so every column is valid. ``physical_value`` converts what a user writes to
the number that a ``Table`` stores, ``shown_value`` converts it back.
"""

from __future__ import annotations

import difflib
import math
import re
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass, fields
from typing import Any, Literal, get_args

from janus_synth.arrays import Array
from janus_synth.errors import DataError, SchemaError
from janus_synth.identities import ROLES, Recipe, find_group, runs_of_group
from janus_synth.table.datetimes import format_datetime, physical_bound, zone_of
from janus_synth.table.identifiers import parse_template
from janus_synth.table.texts import check_format, parse_texts

Kind = Literal["numeric", "boolean", "categorical", "datetime", "identifier", "personal"]
Level = str | int | float | bool

KINDS: tuple[Kind, ...] = get_args(Kind)
LEVEL_TYPES = (str, int, float, bool)
MOST_LEVELS = 6
"""Levels that a printed schema lists."""
_LOCALE = re.compile(r"[a-z]{2,3}(_[A-Z]{2})?")


@dataclass(frozen=True, slots=True)
class Column:
    """One column: what it is, how it is stored and which values it may take.

    Parameters
    ----------
    name : str
        Name in the frame.
    kind : {"numeric", "boolean", "categorical", "datetime", "identifier", "personal"}
        How the column is learnt; identifiers and personal values are not learnt, rows get fresh ones.
    dtype : str
        Text that rebuilds the native dtype in the schema's frame kind, such as ``"Int64"``.
    nullable : bool
        Missing values were seen or are allowed.
    low, high : float, optional
        Domain of a numeric or datetime column in physical units: plain numbers, or microseconds
        (since the epoch in UTC for datetimes). None until known.
    levels : tuple of str, int, float or bool
        Values of a categorical or boolean column, in order.
    ordered : bool
        The levels have an order.
    template : str, optional
        For an identifier, how to make fresh ones (see ``janus_synth.table.identifiers``).
    format : str, optional
        How values are written as text: ``"%d/%m/%Y"``, ``"$#,##0.00"``, ``"yes/no"`` (see docs/reading.md).
    missing : tuple of str
        Texts that mean missing, such as ``"?"``; the first is written.
    role : str, optional
        For a personal column, what it holds, such as ``"name"`` or ``"email"`` (see docs/privacy.md).
    locale : str, optional
        For a personal column, where its made-up names come from, such as ``"de_DE"``.
    keep_equal : bool, optional
        For a personal column, whether values repeat as often as in the training rows.
    recipe : Recipe, optional
        For a personal column, the formats that its values are made from.
    generalised : bool, optional
        For a categorical column of codes, whether its levels are groups such as ``021{9:2}``, the codes that start with
        021: rows get one of them at random. False keeps codes as they are.
    nulls_of : str, optional
        For a hidden boolean column, the personal column whose missing cells it marks.

    Examples
    --------
    >>> Column("age", "numeric", "Int64", low=0, high=120).is_ordered
    True
    >>> Column("member", "boolean", "bool").levels
    (False, True)
    """

    name: str
    kind: Kind
    dtype: str
    nullable: bool = False
    low: float | None = None
    high: float | None = None
    levels: tuple[Level, ...] = ()
    ordered: bool = False
    template: str | None = None
    format: str | None = None
    missing: tuple[str, ...] = ()
    role: str | None = None
    locale: str | None = None
    keep_equal: bool | None = None
    recipe: Recipe | None = None
    generalised: bool | None = None
    nulls_of: str | None = None

    def __post_init__(self) -> None:
        self._check_basics()
        self._check_bounds()
        self._check_levels()
        self._check_template()
        self._check_format()
        self._check_person()
        self._check_groups()

    @property
    def is_ordered(self) -> bool:
        """Whether values compare with ``<``: numeric, datetime or ordered categorical."""
        return self.kind in ("numeric", "datetime") or self.ordered

    @property
    def is_learnt(self) -> bool:
        """Whether the model learns this column: everything but identifiers and personal values."""
        return self.kind not in ("identifier", "personal")

    @property
    def what(self) -> str:
        """The kind of a column that is not learnt, for messages."""
        return "an identifier" if self.kind == "identifier" else "personal"

    @property
    def what_plural(self) -> str:
        """The same for all such columns."""
        return "identifiers" if self.kind == "identifier" else "personal columns"

    @property
    def is_discrete(self) -> bool:
        """Whether the column is stored as indices into its levels."""
        return self.kind in ("boolean", "categorical")

    @property
    def missing_value(self) -> float:
        """What a ``Table`` stores in a missing cell: −1 among level indices, NaN among numbers.

        >>> Column("member", "boolean", "bool").missing_value, Column("age", "numeric", "int64").missing_value
        (-1, nan)
        """
        return -1 if self.is_discrete else math.nan

    def cells(self) -> tuple[str, str, str, str, str]:
        """Texts of one line of a printed schema: name, kind, dtype, whether cells may be missing, and values.

        >>> Column("age", "numeric", "int64", low=0, high=120).cells()
        ('age', 'numeric', 'int64', '', '0 to 120')
        """
        kind = f"ordered {self.kind}" if self.ordered else self.kind
        return self.name, kind, self.dtype, "yes" if self.nullable else "", self._shown_values()

    def _shown_values(self) -> str:
        if self.kind == "identifier" or (not self.is_discrete and self.low is None):
            return self.template or ""
        if not self.is_discrete:
            ends = [None if end is None else shown_value(self, end) for end in (self.low, self.high)]
            return " to ".join(f"{end:.6g}" if isinstance(end, float) else str(end) for end in ends)
        shown = (" < " if self.ordered else ", ").join(map(str, self.levels[:MOST_LEVELS]))
        return shown + (f" and {len(self.levels) - MOST_LEVELS} more" if len(self.levels) > MOST_LEVELS else "")

    def _check_basics(self) -> None:
        if not isinstance(self.name, str):
            raise SchemaError(f"a column is named {self.name!r}; names must be text. Use {str(self.name)!r}.")
        if self.kind not in KINDS:
            self._fail(f"the kind is {self.kind!r}; it must be one of {', '.join(KINDS)}")
        if not isinstance(self.dtype, str) or not self.dtype:
            self._fail(f"the dtype is {self.dtype!r}; it must be text such as 'int64'")
        for field in ("nullable", "ordered"):
            if not isinstance(getattr(self, field), bool):
                self._fail(f"{field} is {getattr(self, field)!r}; it must be true or false")

    def _check_bounds(self) -> None:
        for field in ("low", "high"):
            value = getattr(self, field)
            if value is None:
                continue
            if self.kind not in ("numeric", "datetime"):
                self._fail(f"{field} is given, but a {self.kind} column has no range. Drop it")
            object.__setattr__(self, field, self._finite(field, value))
        if self.low is not None and self.high is not None and self.low > self.high:
            self._fail(f"low {self.low} lies above high {self.high}. Swap them")

    def _finite(self, field: str, value: Any) -> float:
        try:
            number = math.nan if isinstance(value, bool | str) else float(value)
        except (TypeError, ValueError, OverflowError):
            number = math.nan
        if not math.isfinite(number):
            self._fail(f"{field} is {value!r}; it must be a finite number")
        if self.kind == "datetime" and number != round(number):
            self._fail(f"{field} is {value!r}; it must be a whole number of microseconds")
        return number

    def _check_levels(self) -> None:
        if isinstance(self.levels, str) or not isinstance(self.levels, Iterable):
            self._fail(f"levels is {self.levels!r}; it must be a list of values")
        levels = tuple(map(as_level, self.levels))
        if self.kind == "boolean" and not levels:
            levels = (False, True)
        object.__setattr__(self, "levels", levels)
        if levels and not self.is_discrete:
            self._fail(f"levels are given, but a {self.kind} column has none. Drop them")
        if self.kind == "boolean" and (levels != (False, True) or not all(isinstance(level, bool) for level in levels)):
            self._fail(f"the levels are {levels!r}; a boolean column has the levels (False, True)")
        if self.ordered and self.kind != "categorical":
            self._fail(f"ordered is for categorical columns, and this one is {self.kind}. Drop it")
        for level in levels:
            if not isinstance(level, LEVEL_TYPES):
                self._fail(f"the level {level!r} is a {type(level).__name__}; levels are text, numbers or booleans")
            if isinstance(level, float) and not math.isfinite(level):
                self._fail(f"the level {level!r} is not finite. Missing values need no level")
        if len({level_key(level) for level in levels}) < len(levels):
            twice = next(a for i, a in enumerate(levels) if level_key(a) in map(level_key, levels[:i]))
            self._fail(f"the level {twice!r} is listed twice")

    def _check_template(self) -> None:
        if self.template is None:
            return
        if self.kind == "datetime":  # older files keep the format here
            object.__setattr__(self, "format", self.format or self.template)
            object.__setattr__(self, "template", None)
        elif self.kind != "identifier":
            self._fail(f"a template is given, but a {self.kind} column has none. Drop it")
        elif isinstance(problem := parse_template(self.template), str):
            self._fail(f"the template {self.template!r} cannot be used: {problem}")

    def _check_format(self) -> None:
        if self.format is not None and (problem := check_format(self.kind, self.format)):
            self._fail(problem)
        words = self.missing if isinstance(self.missing, Iterable) else (self.missing,)
        words = (words,) if isinstance(words, str) else tuple(words)
        if not all(isinstance(word, str) for word in words):
            self._fail(f"missing is {self.missing!r}; it must be a list of texts such as ['?', 'NA']")
        object.__setattr__(self, "missing", words)

    def _check_person(self) -> None:
        given = [field for field in ("role", "locale", "keep_equal", "recipe") if getattr(self, field) is not None]
        if given and self.kind != "personal":
            self._fail(f"{given[0]} is given, but the column is {self.kind}. Set the kind to 'personal', or drop it")
        if self.role is not None and self.role not in ROLES:
            self._fail(f"the role is {self.role!r}; it must be one of {', '.join(ROLES)}")
        if self.locale is not None and not (isinstance(self.locale, str) and _LOCALE.fullmatch(self.locale)):
            self._fail(f"the locale is {self.locale!r}; it must be text such as 'de_DE'")
        if not isinstance(self.keep_equal, bool | None):
            self._fail(f"keep_equal is {self.keep_equal!r}; it must be true or false")
        if isinstance(self.recipe, Mapping):
            object.__setattr__(self, "recipe", self._read_recipe(self.recipe))
        if not isinstance(self.recipe, Recipe | None):
            self._fail(f"the recipe is {self.recipe!r}; leave it out to have it learnt")

    def _read_recipe(self, values: Mapping[str, Any]) -> Recipe | None:
        try:
            return Recipe.from_dict(values)
        except ValueError as error:
            self._fail(str(error))
            return None

    def _check_groups(self) -> None:
        if not isinstance(self.generalised, bool | None):
            self._fail(f"generalised is {self.generalised!r}; it must be true or false")
        if self.generalised and (self.kind != "categorical" or self.ordered):
            self._fail("generalised is for categorical columns without an order. Drop it")
        if self.nulls_of is not None and (self.kind != "boolean" or not isinstance(self.nulls_of, str)):
            self._fail(f"nulls_of is {self.nulls_of!r}; it names a personal column, and is for hidden boolean columns")
        for level in self.levels if self.generalised else ():
            if isinstance(level, str) and isinstance(problem := runs_of_group(level), str):
                self._fail(f"the group {level!r} cannot be used: {problem}")

    def _fail(self, problem: str) -> None:
        raise SchemaError(f"column {self.name!r}: {problem}.", column=self.name)


def check_array(column: Column, array: Array, n_rows: int) -> None:
    """Raise DataError unless there are ``n_rows`` values, all of them levels (or −1) where the column has levels."""
    if array.shape != (n_rows,):
        raise DataError(f"column {column.name!r} has shape {array.shape}; it must be ({n_rows},).")
    if column.is_discrete and array.size and not -1 <= array.min() <= array.max() < len(column.levels):
        raise DataError(f"column {column.name!r} has indices outside its {len(column.levels)} levels.")


def as_level(value: Any) -> Any:
    """Turn a NumPy scalar or a subclass of a level type into the plain Python value."""
    if type(value) in LEVEL_TYPES:
        return value
    if hasattr(value, "item") and getattr(value, "ndim", None) == 0:
        value = value.item()
    for plain in (bool, str, int, float):
        if isinstance(value, plain):
            return plain(value)
    return value


def level_key(level: Any) -> Hashable:
    """Key that keeps True and 1 apart, which Python considers equal; 1 and 1.0 stay the same level."""
    return isinstance(level, bool), level


TEXT_DTYPE = re.compile(r"str|object(?:$|\[str)|utf8|large_string|String|category")
"""Names of dtypes that hold text, in frames of all libraries."""
FORMS = "janus_forms"
"""Key of a pandas frame's ``attrs`` under which the forms of its columns are kept (see ``forms_of``)."""


def forms_of(columns: Iterable[Column]) -> dict[str, dict[str, Any]]:
    """How files write columns: the kind, the format and the texts for missing, by name; as plain values.

    Examples
    --------
    >>> forms_of([Column("x", "numeric", "float64", format="0.0%"), Column("y", "numeric", "float64")])
    {'x': {'kind': 'numeric', 'format': '0.0%', 'missing': []}}
    """
    return {
        column.name: {"kind": column.kind, "format": column.format, "missing": list(column.missing)}
        for column in columns
        if column.format or column.missing
    }


FIELDS = tuple(field.name for field in fields(Column))
_KEPT_FIELDS = ("name", "dtype", "nullable", "missing")  # the fields that survive a change of kind


def change_column(column: Column, changes: Mapping[str, Any]) -> Column:
    """Copy of a column with some fields changed; bounds may be text, dates or numbers.

    A new kind drops the fields of the old one (bounds, levels, template, format).
    """
    check_fields(column.name, changes)
    kind = changes.get("kind", column.kind)
    kept = FIELDS if kind == column.kind else _KEPT_FIELDS
    values = {field: getattr(column, field) for field in kept} | {"kind": kind, **changes}
    for field in ("low", "high"):
        if field in changes:
            values[field] = physical_bound(column.name, kind, values["dtype"], changes[field])
    return Column(**values)


def check_fields(name: str, changes: Mapping[str, Any]) -> None:
    """Raise SchemaError for fields that a column does not have, and for a new name."""
    if not isinstance(changes, Mapping):
        raise SchemaError(
            f"column {name!r}: give its changes as a mapping such as {{'kind': 'categorical'}}.", column=name
        )
    possible = [field for field in FIELDS if field != "name"]
    if unknown := [key for key in changes if key not in possible]:
        raise SchemaError(
            f"column {name!r}: {', '.join(map(repr, unknown))} cannot be set; there are {', '.join(possible)}.",
            column=name,
        )


def physical_value(column: Column, value: Any) -> float:
    """Physical value of a user's value: a number, microseconds, or the index of a level.

    Parameters
    ----------
    column : Column
        Any learnt column.
    value : number, text, date, datetime, timedelta or level
        Datetimes may be ISO text; without a time zone they are in the column's own.

    Raises
    ------
    SchemaError
        If the column cannot hold the value.

    Examples
    --------
    >>> physical_value(Column("start", "datetime", "datetime64[us]"), "1970-01-02")
    86400000000.0
    >>> physical_value(Column("city", "categorical", "str", levels=("Oslo", "Rome")), "Rome")
    1.0
    """
    if column.is_discrete:
        return float(_index_of(column, as_level(value)))
    if not column.is_learnt:
        raise SchemaError(f"column {column.name!r} is {column.what} and is not learnt.", column=column.name)
    number = as_level(_formatted_value(column, value))
    try:
        physical = math.nan if isinstance(number, str | bool) else float(number)
    except (TypeError, ValueError, OverflowError):
        physical = math.nan
    if math.isnan(physical):
        raise SchemaError(f"column {column.name!r} is {column.kind}, but {value!r} is not.", column=column.name)
    return physical


def _formatted_value(column: Column, value: Any) -> Any:
    """Physical value of a text in the column's own format, or of any other value as ``physical_bound`` gives it."""
    if isinstance(value, str) and column.format is not None and (read := read_formatted(column, value)) is not None:
        return read
    return physical_bound(column.name, column.kind, column.dtype, value)


def read_formatted(column: Column, text: str) -> Any:
    """Number, microseconds or boolean of a text in the column's format; None if it does not have it."""
    import pyarrow as pa

    return None if column.format is None else parse_texts(pa.array([text]), column.kind, column.format)[0].as_py()


def _index_of(column: Column, level: Any) -> int:
    if column.kind == "boolean" and isinstance(level, str) and (read := read_formatted(column, level)) is not None:
        return int(read)
    if column.kind == "boolean" and not isinstance(level, str) and level in (0, 1):
        return int(level)
    keys = [level_key(known) for known in column.levels]
    if level_key(level) in keys:
        return keys.index(level_key(level))
    shown = [str(known) for known in column.levels]
    if column.generalised and (place := find_group(str(level), {text: i for i, text in enumerate(shown)})) is not None:
        raise SchemaError(
            f"column {column.name!r} is learnt as groups of codes, because few rows share a code: {level!r} is one of "
            f"{shown[place]!r}. Ask for that group, or fit with keep_rare=True.",
            column=column.name,
        )
    close = difflib.get_close_matches(str(level), shown, n=3) or shown[:8]
    known = (repr(column.levels[shown.index(text)]) for text in close)
    raise SchemaError(
        f"column {column.name!r} has no level {level!r}. Known levels include {', '.join(known)}. "
        "Levels of very few training rows are merged into others unless keep_rare=True.",
        column=column.name,
    )


def shown_value(column: Column, value: float) -> Level | None:
    """Physical value as a user would write it; None for missing.

    Examples
    --------
    >>> shown_value(Column("start", "datetime", "datetime64[us]"), 86_400_000_000)
    '1970-01-02'
    """
    if math.isnan(value) or (column.is_discrete and value < 0):
        return None
    if column.is_discrete:
        return column.levels[int(value)]
    if column.kind == "datetime":
        return format_datetime(value, utc=zone_of(column.dtype) is not None)
    return int(value) if value == round(value) and abs(value) < 2**53 else float(value)
