"""Columns of a CSV file in, as typed by the reader and as texts; typed columns and the forms of their texts out.

The reader knows plain numbers, ISO dates and the words true and false. The rest is recognised here, and so is how a
file writes what the reader knows: fixed decimals, the words for missing, dates without seconds.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from janus_synth.table.detect import KEY_NAME
from janus_synth.table.files.numbered_codes import are_codes, exponent_picture, padded_picture
from janus_synth.table.texts import TextForm, parse_texts, recognise, recognise_columns
from janus_synth.table.texts.datetime_format import datetime_pattern, infer_datetime_formats, is_datetime_format
from janus_synth.table.texts.eras import era_of
from janus_synth.table.texts.words import infer_boolean_format, missing_words

Forms = dict[str, dict[str, Any]]
"""By column: its kind, format, texts for missing, and formats that are as likely."""

SAMPLE = 1000
"""Texts from which the format of a column that the reader knows is inferred; all texts are then checked."""
MOST_PLACES = 12
"""More decimals are digits of a calculation, not a form."""
BY_DEFAULT = ("%Y-%m-%d", "%Y-%m-%d %H:%M:%S", "%Y-%m-%d %H:%M:%SZ", "%H:%M:%S", "true/false")
"""Formats that are written where a column has none."""
MIN_DAYS, MIN_MONTHS = 5, 12
"""Among fewer distinct integers, such as 20240131 or 202401, the name has to say that they are dates."""
PACKED = {
    "%Y%m%d": "[01][0-9][0-3][0-9]",
    "%Y%m": "(?:0[1-9]|1[0-2])",
    "%Y%m%d%H%M": "[01][0-9][0-3][0-9][0-2][0-9][0-5][0-9]",
    "%Y%m%d%H%M%S": "[01][0-9][0-3][0-9][0-2][0-9][0-5][0-9][0-5][0-9]",
}
"""Formats of dates that look like integers, and what follows the year."""
MONTHS = {"%m.%Y": r"(?:0[1-9]|1[0-2])\.(?:19|20)[0-9]{2}", "%Y.%m": r"(?:19|20)[0-9]{2}\.(?:0[1-9]|1[0-2])"}
"""Formats of months that look like numbers with decimals."""


def read_texts(
    table: Any, texts: Any, as_text: Collection[str] = (), known: Mapping[str, Mapping[str, Any]] | None = None
) -> tuple[Any, Forms]:
    """Type the columns of a table and describe how they were written.

    Parameters
    ----------
    table : pyarrow.Table
        Columns as the reader typed them.
    texts : pyarrow.Table
        The same columns as text, without those that are text anyway.
    as_text : collection of str
        Columns that stay text.
    known : mapping, optional
        Forms of columns that are known, from a schema or another file.

    Returns
    -------
    tuple of pyarrow.Table and dict
        The table, and the forms by column.
    """
    columns = {name: empty_to_null(table[name]) for name in table.column_names}
    columns |= {name: empty_to_null(texts[name]) for name in texts.column_names if name in as_text}
    forms: Forms = {}
    for name, fields in (known or {}).items():
        if name in columns and name not in as_text:
            column = empty_to_null(texts[name]) if name in texts.column_names else columns[name]
            columns[name], forms[name] = _convert_known(column, fields)
    for name in texts.column_names:
        if name not in as_text and name not in forms:
            columns[name], forms[name] = _describe_typed(name, table[name], texts[name])
    free = {name: column for name, column in columns.items() if name not in {*as_text, *forms} and _is_text(column)}
    for name, form in recognise_columns({name: column.combine_chunks() for name, column in free.items()}).items():
        columns[name], forms[name] = _convert(columns[name], form)
    import pyarrow as pa

    return pa.table(columns), {name: form for name, form in forms.items() if form}


def _is_text(column: Any) -> bool:
    import pyarrow as pa

    return bool(pa.types.is_string(column.type))


def empty_to_null(column: Any) -> Any:
    """Column of an Arrow table with null in the place of empty text."""
    import pyarrow as pa
    import pyarrow.compute as pc

    return pc.if_else(pc.equal(column, ""), pa.scalar(None, pa.string()), column) if _is_text(column) else column


def _describe_typed(name: str, column: Any, texts: Any) -> tuple[Any, dict[str, Any]]:
    """A column that the reader typed, or another reading of it, and its form."""
    import pyarrow as pa
    import pyarrow.compute as pc

    types, written = pa.types, texts.filter(pc.is_valid(column))
    words = _missing_words(column, texts)
    if types.is_null(column.type):
        return column, _as_dict(TextForm("categorical", None, words))
    if pc.any(pc.match_substring_regex(written, r"^[\s+]")).as_py():  # the reader ignores spaces and plus signs
        form = recognise(texts.combine_chunks())
        if form is None:
            return empty_to_null(texts), {}  # telephone numbers
        if not form.stray:
            return _convert(empty_to_null(texts), form)
    if types.is_integer(column.type):
        if pc.any(pc.match_substring_regex(written, r"^[+-]?0[0-9xX]")).as_py():
            form = recognise(texts.combine_chunks())
            if form is not None and form.kind == "datetime" and not form.stray:
                return _convert(empty_to_null(texts), form)  # 01022024
            return empty_to_null(texts), {}  # codes such as 007 and 0x1F
        if _are_accounts(written):
            return empty_to_null(texts), {}
        for packed in PACKED:
            if _are_days(name, written, packed):
                return _convert(texts, TextForm("datetime", packed, tuple(words)))
        return column, _as_dict(TextForm("numeric", None, words))
    if types.is_floating(column.type):
        return _describe_floats(name, column, texts, written, words)
    if types.is_boolean(column.type):
        pair = infer_boolean_format(pc.unique(written).to_pylist())
        return column, _as_dict(TextForm("boolean", pair, words))
    kind, shown = "numeric" if types.is_time(column.type) else "datetime", _datetime_format(written)
    if shown is not None and era_of(shown) is not None:
        return _convert(empty_to_null(texts), TextForm(kind, shown, words))  # 2566-03-15
    return column, _as_dict(TextForm(kind, shown, words))


def _missing_words(column: Any, texts: Any) -> tuple[str, ...]:
    """Texts of the missing cells, the most frequent first; none if they are all empty."""
    import pyarrow.compute as pc

    if not column.null_count:
        return ()
    counts = pc.value_counts(pc.fill_null(texts.filter(pc.is_null(column)), ""))
    ranked = sorted(counts.to_pylist(), key=lambda count: -count["counts"])
    words = tuple(count["values"] for count in ranked)
    return () if words == ("",) else words


def _describe_floats(
    name: str, column: Any, texts: Any, written: Any, words: tuple[str, ...]
) -> tuple[Any, dict[str, Any]]:
    """Fixed decimals, such as 3.50, are a format; 1.200 beside 850 has thousands, and 04.2021 is a month."""
    import pyarrow.compute as pc

    for form, pattern in MONTHS.items():
        if _all_match(written, f"^{pattern}$") and len(pc.unique(written)) >= MIN_MONTHS:
            return _convert(empty_to_null(texts), TextForm("datetime", form, tuple(words)))
    if are_codes(name, written):
        return empty_to_null(texts), {}
    if picture := padded_picture(written) or exponent_picture(written):
        return column, _as_dict(TextForm("numeric", picture, words))
    places = pc.max(pc.utf8_length(pc.replace_substring_regex(written, r"^[^.]*\.?", ""))).as_py() or 0
    if not 1 <= places <= MOST_PLACES or not _all_match(written, rf"^-?[0-9]*(?:\.[0-9]{{1,{places}}})?$"):
        return column, _as_dict(TextForm("numeric", None, words))
    zeros = "0" * places
    always, sometimes = (
        _all_match(written, rf"^-?[0-9]*{p}$") for p in (f"\\.[0-9]{{{places}}}", f"(?:\\.[0-9]{{{places}}})?")
    )
    ends_in_zero = pc.any(pc.match_substring_regex(written, r"\.[0-9]*0$")).as_py()
    if places == 3 and sometimes and ends_in_zero and _are_groups(written):
        plain = f"0.{zeros}" if always else f"0[.{zeros}]"
        if always:
            return column, _as_dict(TextForm("numeric", plain, words, ("#.##0",)))
        return _convert(texts, TextForm("numeric", "#.##0", words, (plain,)))
    if always:
        return column, _as_dict(TextForm("numeric", f"0.{zeros}" if places > 1 else None, words))
    if sometimes and ends_in_zero:
        return column, _as_dict(TextForm("numeric", f"0[.{zeros}]", words))
    whole = pc.any(pc.match_substring_regex(written, r"^-?[0-9]+$")).as_py() and not ends_in_zero
    return column, _as_dict(TextForm("numeric", "0." + "#" * places if whole else None, words))


def _all_match(texts: Any, pattern: str) -> bool:
    import pyarrow.compute as pc

    return bool(pc.all(pc.match_substring_regex(texts, pattern)).as_py())


def _are_groups(written: Any) -> bool:
    import pyarrow.compute as pc

    return bool(
        pc.all(pc.match_substring_regex(written, r"^-?[1-9][0-9]{0,2}(?:\.[0-9]{3})?$|^-?[1-9][0-9]{3,}$|^0$")).as_py()
    )


def _datetime_format(written: Any) -> str | None:
    """Format that all texts share; None if there is none."""
    import pyarrow.compute as pc

    sample = pc.unique(written.slice(0, SAMPLE))
    for form in infer_datetime_formats(sample)[:1]:
        if pc.all(pc.match_substring_regex(written, f"^{datetime_pattern(form)}$")).as_py():
            return form
    return None


def _are_days(name: str, written: Any, form: str) -> bool:
    """Whether integers are dates in a packed format, such as 20240131."""
    import pyarrow.compute as pc

    if form == "%Y%m" and (KEY_NAME.search(name) or KEY_NAME.search(name.lower())):
        return False
    if not pc.all(pc.match_substring_regex(written, f"^(?:19|20)[0-9]{{2}}{PACKED[form]}$")).as_py():
        return False
    distinct = pc.unique(written)
    enough = len(distinct) >= (MIN_MONTHS if form == "%Y%m" else MIN_DAYS) or "date" in name.lower()
    return enough and not parse_texts(distinct, "datetime", form).null_count


def _are_accounts(written: Any) -> bool:
    """Whether some integers have more digits than are exact as floats, unless they count time since 1970."""
    import pyarrow.compute as pc

    long = pc.any(pc.match_substring_regex(written, r"^[+-]?[0-9]{16}")).as_py()
    return bool(long) and not _all_match(written, r"^1(?:[0-9]{15}|[0-9]{18})$")


def _convert(texts: Any, form: TextForm) -> tuple[Any, dict[str, Any]]:
    """Values of texts and their form; texts that are not all of it stay text."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if form.stray:
        return texts, {}
    if form.kind == "categorical":
        return texts, _as_dict(form)
    encoded = texts.combine_chunks().dictionary_encode()
    levels = encoded.dictionary
    gone = pc.is_in(levels, pa.array([*form.missing, ""], levels.type))
    values = _parse(pc.if_else(gone, pa.scalar(None, levels.type), levels), form)
    words = form.missing if "" in form.missing or not texts.null_count else _ranked(texts, form.missing)
    return values.take(encoded.indices), _as_dict(TextForm(form.kind, form.format, words, form.others))


def _convert_known(texts: Any, form: Mapping[str, Any]) -> tuple[Any, dict[str, Any]]:
    """Values of texts in a known form; if some do not have it, all stay text, and a schema reports them."""
    import pyarrow.compute as pc

    if not _is_text(texts):
        return texts, dict(form)
    distinct = [text for text in pc.unique(texts).to_pylist() if text is not None]
    words = tuple(dict.fromkeys([*form.get("missing", ()), *missing_words(distinct, typed=True)]))
    found = TextForm(form["kind"], form.get("format"), words)
    if form["kind"] not in ("numeric", "datetime", "boolean"):
        return texts, dict(form)
    try:
        values, _ = _convert(texts, found)
    except ValueError:  # a text that is not even a plain number
        return texts, dict(form)
    n_missing = sum(texts.to_pylist().count(word) for word in {*words, None}) if values.null_count else 0
    return (values if values.null_count == n_missing else texts), dict(form)


def _ranked(texts: Any, words: tuple[str, ...]) -> tuple[str, ...]:
    """Words for missing beside empty fields: the empty text comes first if it is the most frequent."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if not words:
        return ()
    n_words = pc.sum(pc.equal(texts, pa.scalar(words[0], texts.type))).as_py() or 0
    return ("", *words) if texts.null_count > n_words else words


def _parse(levels: Any, form: TextForm) -> Any:
    """Typed values of distinct texts, null where they mean missing."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if form.format is None:
        numbers = pc.utf8_trim_whitespace(levels).cast(pa.float64())
    else:
        numbers = parse_texts(levels, form.kind, form.format)
    if form.kind == "boolean":
        return numbers
    if form.format is not None and is_datetime_format(form.format, dated=False):
        return numbers.cast(pa.int64()).cast(pa.time64("us"))
    if form.kind == "datetime":
        stamps = numbers.cast(pa.timestamp("us"))
        return stamps if "%H" in _bare(form.format) or "%I" in _bare(form.format) else stamps.cast(pa.date32())
    whole = pc.all(pc.equal(numbers, pc.round(numbers))).as_py()
    shows_decimals = form.format is not None and any(f"{mark}0" in _body(form.format) for mark in ".,[")
    return numbers.cast(pa.int64()) if whole and not shows_decimals else numbers


def _bare(form: str | None) -> str:
    return (form or "").replace("%-", "%")


def _body(form: str) -> str:
    """Part of a number format from its last digit before the decimals on."""
    return form.partition(";")[0].rpartition("##")[2] if "##" in form.partition(";")[0] else form.partition(";")[0]


def _as_dict(form: TextForm) -> dict[str, Any]:
    """Form as plain values; empty if the column is written so by default."""
    format = None if form.format in BY_DEFAULT else form.format
    values: Mapping[str, Any] = {"format": format, "missing": list(form.missing), "others": list(form.others)}
    kept = {field: value for field, value in values.items() if value}
    return {"kind": form.kind, **kept} if kept else {}
