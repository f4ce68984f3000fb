"""Texts of a column in; what a person would read them as, with the format, out (``TextForm``)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from janus_synth.arrays import Floats
from janus_synth.table.texts.datetime_format import (
    format_formatted,
    infer_datetime_formats,
    is_datetime_format,
    parse_formatted,
)
from janus_synth.table.texts.number_format import (
    CURRENCIES,
    NumberFormat,
    format_numbers,
    infer_number_formats,
    parse_number_format,
    parse_numbers,
)
from janus_synth.table.texts.words import are_no_answers, infer_boolean_format, missing_words, parse_boolean_format

MOST_STRAY = 0.05
"""Up to this share of other texts, a column of numbers or dates is reported as such."""
MIN_DATES = 20
"""Among so many distinct dates, the most frequent text may be none and stand for missing."""
FIRST_TEXTS = 100
"""Texts that are looked at before all others."""
LONGEST_WORD = 19
"""Longer texts do not mean missing."""
_PLAIN_NUMBER = r"^\s*[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?\s*$"
_CODE = r"^\s*[+-]?0[0-9]|[0-9]{16}"
_PHONE = r"^\s*\+[1-9][0-9]{7,14}\s*$"
"""Telephone numbers in international form, which are no positive numbers."""


@dataclass(frozen=True, slots=True)
class TextForm:
    """What the texts of a column are.

    Parameters
    ----------
    kind : {"numeric", "datetime", "boolean", "categorical"}
        Kind of the values.
    format : str, optional
        How they are written; None for plain numbers.
    missing : tuple of str
        Texts that mean missing, the most frequent first.
    others : tuple of str
        Formats in which all texts could be read as well, such as the month before the day.
    stray : tuple of str
        Texts that are not of this form; with any, the column is not read so, only reported.
    """

    kind: str
    format: str | None = None
    missing: tuple[str, ...] = ()
    others: tuple[str, ...] = ()
    stray: tuple[str, ...] = ()

    @property
    def changes(self) -> dict[str, Any]:
        """Fields of a schema that read a column so.

        >>> TextForm("datetime", "%d/%m/%Y", ("?",)).changes
        {'kind': 'datetime', 'format': '%d/%m/%Y', 'missing': ['?']}
        """
        values = {"kind": self.kind, "format": self.format, "missing": list(self.missing)}
        return {name: value for name, value in values.items() if value}


def recognise(texts: Any) -> TextForm | None:
    """Form of the texts of an arrow array; None for text that is nothing else.

    Parameters
    ----------
    texts : pyarrow.Array
        Cells of a column; nulls are left out.

    Returns
    -------
    TextForm or None

    Examples
    --------
    >>> import pyarrow as pa
    >>> recognise(pa.array(["$5,075.29", "$12.00", "?"]))
    TextForm(kind='numeric', format='$#,##0.00', missing=('?',), others=(), stray=())
    >>> recognise(pa.array(["red", "blue"])) is None
    True
    """
    distinct = _distinct(texts)
    if len(distinct) == 2 and (pair := infer_boolean_format(distinct.to_pylist())):
        return TextForm("boolean", pair)  # before missing words: + and -
    words = missing_words(distinct.to_pylist() if len(distinct) < 200 else _short(distinct), typed=True)
    rest = _without(distinct, words)
    if len(rest):
        found = _recognise_all(rest)
        if found is not None:
            return replace(found, missing=words)
    words = missing_words(words, typed=False)
    return _recognise_most(_without(distinct, words), words) or (
        TextForm("categorical", missing=words) if words else None
    )


def _recognise_all(distinct: Any) -> TextForm | None:
    """Form that all distinct texts have."""
    if len(distinct) == 2 and (words := infer_boolean_format(distinct.to_pylist())):
        return TextForm("boolean", words)
    if not _has_digits(distinct) or _all_match(distinct, _PHONE):
        return None
    if forms := infer_number_formats(distinct):
        unclear = forms[0].group == "," and forms[0].prefix.strip() not in CURRENCIES
        others = tuple(form.picture for form in forms[1:] if unclear and not form.whole_without and form.fewest)
        return TextForm("numeric", None if is_plain(forms[0]) else forms[0].picture, others=others)
    if dates := infer_datetime_formats(distinct):
        kind = "datetime" if is_datetime_format(dates[0]) else "numeric"
        return TextForm(kind, dates[0], others=tuple(dates[1:]))
    return TextForm("numeric") if _are_plain_numbers(distinct) else None


def _recognise_most(distinct: Any, words: tuple[str, ...]) -> TextForm | None:
    """Form of nearly all distinct texts, with the stray ones: those without digits, or one that stands for no date."""
    import pyarrow.compute as pc

    if len(distinct) > MIN_DATES and _has_digits(distinct):
        some = _recognise_all(distinct.slice(1, FIRST_TEXTS))
        found = some and _recognise_all(distinct.slice(1))
        if found is not None and found.kind == "datetime":
            return replace(found, missing=words, stray=(distinct[0].as_py(),))
    digits = pc.match_substring_regex(distinct, "[0-9]")
    stray = distinct.filter(pc.invert(digits))
    most = len(stray) if are_no_answers(stray.to_pylist()) else max(1, MOST_STRAY * len(distinct))
    if not 0 < len(stray) <= most or len(distinct) - len(stray) < 5:
        return None
    found = _recognise_all(distinct.filter(digits))
    return None if found is None else replace(found, missing=words, stray=tuple(stray.to_pylist()))


def _distinct(texts: Any) -> Any:
    """Distinct texts, the most frequent first."""
    import pyarrow as pa
    import pyarrow.compute as pc

    counts = pc.value_counts(texts.cast(pa.large_string()).drop_null())
    order = pc.sort_indices(counts.field("counts"), sort_keys=[("", "descending")])
    return counts.field("values").take(order)


def _short(distinct: Any) -> list[str]:
    import pyarrow.compute as pc

    return list(distinct.filter(pc.less_equal(pc.utf8_length(distinct), LONGEST_WORD)).to_pylist())


def _without(distinct: Any, words: tuple[str, ...]) -> Any:
    import pyarrow as pa
    import pyarrow.compute as pc

    return distinct.filter(pc.invert(pc.is_in(distinct, pa.array(words, distinct.type)))) if words else distinct


def _has_digits(distinct: Any) -> bool:
    return _all_match(distinct, "[0-9]")


def _all_match(distinct: Any, pattern: str) -> bool:
    import pyarrow.compute as pc

    return bool(pc.all(pc.match_substring_regex(distinct, pattern)).as_py())


def _are_plain_numbers(distinct: Any) -> bool:
    import pyarrow.compute as pc

    return _all_match(distinct, _PLAIN_NUMBER) and not pc.any(pc.match_substring_regex(distinct, _CODE)).as_py()


def is_plain(form: NumberFormat) -> bool:
    """Whether numbers of this format are written so by default."""
    is_bare = (form.prefix, form.suffix, form.group, form.negative) == ("", "", "", ("-", "")) and form.decimal == "."
    return is_bare and form.fewest == 0 and not form.whole_without and not form.exponent


def recognise_columns(columns: Mapping[str, Any]) -> dict[str, TextForm]:
    """Forms of several columns of one table; where day and month are unclear, the other columns decide.

    Examples
    --------
    >>> import pyarrow as pa
    >>> found = recognise_columns({"a": pa.array(["19/08/2023"]), "b": pa.array(["01/02/2023"])})
    >>> found["b"].format, found["b"].others
    ('%d/%m/%Y', ('%m/%d/%Y',))
    """
    found = {name: form for name, texts in columns.items() if (form := recognise(texts)) is not None}
    decided = [form.format for form in found.values() if form.kind == "datetime" and not form.others]
    month_first = {
        bool(re.match("%-?m", text or "")) for text in decided if re.match("%-?[md][-/.]%-?[md]", text or "")
    }
    if len(month_first) != 1:
        return found
    wanted = "m" if month_first.pop() else "d"
    return {name: _prefer(form, wanted) for name, form in found.items()}


def _prefer(form: TextForm, first: str) -> TextForm:
    """The form with this code in front, if it is one of those possible."""
    both = [text for text in (form.format, *form.others) if text]
    chosen = [text for text in both if re.match(f"%-?{first}", text)]
    if form.kind != "datetime" or not form.others or not chosen:
        return form
    return replace(form, format=chosen[0], others=tuple(text for text in both if text != chosen[0]))


def kind_of_format(text: str) -> str:
    """Kind of the columns that have a format.

    >>> [kind_of_format(text) for text in ("%d/%m/%Y", "yes/no", "0.0%")]
    ['datetime', 'boolean', 'numeric']
    """
    if is_datetime_format(text):
        return "datetime"
    return "boolean" if parse_boolean_format(text) and not parse_number_format(text) else "numeric"


def check_format(kind: str, text: object) -> str | None:
    """What is wrong with a format of a kind; None if it can be used."""
    if not isinstance(text, str):
        return f"the format is {text!r}; it must be text"
    if kind == "datetime" and not is_datetime_format(text):
        return f"the format {text!r} is not known. Write one like '%Y-%m-%d %H:%M:%S' or '%d/%m/%Y'"
    if kind == "numeric" and not (is_datetime_format(text, dated=False) or parse_number_format(text)):
        return f"the format {text!r} is not known. Write one like '$#,##0.00', '0,0' or '%H:%M'"
    if kind == "boolean" and parse_boolean_format(text) is None:
        return f"the format {text!r} is not known. Write the words for true and false, like 'yes/no'"
    return None if kind in ("datetime", "numeric", "boolean") else f"a format is given, but a {kind} column has none"


def parse_texts(texts: Any, kind: str, form: str) -> Any:
    """Arrow array of numbers, microseconds or booleans; null where a text does not have the form."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if kind == "boolean":
        words = parse_boolean_format(form)
        places = pc.index_in(pc.utf8_trim_whitespace(texts), pa.array([w.strip() for w in words or ()], texts.type))
        return pc.equal(places, 1)
    if kind == "datetime" or is_datetime_format(form, dated=False):
        return parse_formatted(texts, form)
    number = parse_number_format(form)
    assert number is not None, "a Column checks its format"
    return parse_numbers(texts, number)


def format_values(values: Floats, kind: str, form: str) -> list[str]:
    """Texts of numbers, microseconds or 0 and 1, in a format."""
    if kind == "boolean":
        words = parse_boolean_format(form) or ("", "")
        return [words[value > 0.5] for value in np.asarray(values).tolist()]
    if kind == "datetime" or is_datetime_format(form, dated=False):
        return format_formatted(values, form)
    number = parse_number_format(form)
    assert number is not None, "a Column checks its format"
    return format_numbers(values, number)
