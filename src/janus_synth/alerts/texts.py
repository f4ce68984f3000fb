"""Text columns in; alerts about dates and numbers among them, and about formats that are unclear, out."""

from __future__ import annotations

import ast
import calendar
import json
import re
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any

from janus_synth.alerts.alert import Alert, make_alert
from janus_synth.alerts.dates import form_of_digit_texts
from janus_synth.alerts.frames import extraction, find_frames, patterns_in
from janus_synth.identities import is_hierarchy
from janus_synth.identities.shares import share_reaches
from janus_synth.table import Column
from janus_synth.table.files.numbered_codes import are_codes
from janus_synth.table.texts import TextForm, recognise
from janus_synth.table.texts.words import are_no_answers

MIN_NUMBERS = 50
"""With fewer distinct texts, plain integers as text are taken for codes."""
MIN_TEXTS = 10
"""With fewer distinct texts, those without a common format are not questioned."""
MOST_LIKE = 0.9
"""Share of the texts that must look like dates or numbers if no format fits all of them."""
MOST_EXAMPLES = 3
MOST_READ = 2000
"""Texts that are compared with each pattern, evenly spaced among all distinct ones."""
_ZONE = r" [A-Z]{2,5}$"
_WEEKDAY = r"^[^\W\d]+\.?,? "
_LAST_WEEKDAY = r" ?\([^\W\d]+\.?\)$"
_FOREIGN = re.compile(r"[^\W\d_]{3,}")


def text_alerts(column: Column, texts: list[str]) -> Iterator[Alert]:
    """Alert if the distinct texts of a column that is learnt as text are dates or numbers."""
    import pyarrow as pa

    form = recognise(pa.array(texts, pa.large_string())) if texts else None
    learnt = (
        "not learnt; rows get made-up texts" if not column.is_learnt else f"learnt as {len(texts):,} unrelated levels"
    )
    if is_hierarchy(column.name, texts) and (form is None or (form.kind == "numeric" and not form.format)):
        return  # postal codes are no numbers, with or without leading zeros
    if form is not None and form.kind == "numeric" and not form.stray and are_codes(column.name, texts):
        return  # versions
    if form is not None and form.kind in ("numeric", "datetime"):
        if form.kind == "datetime" or form.format or len(texts) >= MIN_NUMBERS or are_no_answers(form.stray):
            yield _typed_alert(column.name, form, texts, learnt)
    elif len(texts) >= MIN_TEXTS:
        yield from _similar_alert(column.name, texts, learnt)


def _typed_alert(name: str, form: TextForm, texts: list[str], learnt: str) -> Alert:
    what = "dates" if form.kind == "datetime" else "times" if "%" in (form.format or "")[:1] else "numbers"
    message = f"{what} stored as text, such as {_quote_examples(texts)}"
    if form.stray:
        message += f", beside {_quote_examples(list(form.stray))}"
    if form.others:
        message += f"; they could also be {' or '.join(form.others)}"
    changes = {**form.changes, **({"missing": [*form.missing, *form.stray]} if form.stray else {})}
    kind = "number-text" if what == "numbers" else "date-text"
    quoted = [_quote_examples(texts)]
    if form.stray:
        quoted += [
            _quote_examples(list(form.stray)),
            *(json.dumps(word, ensure_ascii=False) for word in form.stray),
            *(f"'{name}={word}'" for word in form.stray),
        ]
    return make_alert(name, kind, message, learnt, changes=changes, quoted=quoted)


def _similar_alert(name: str, texts: list[str], learnt: str) -> Iterator[Alert]:
    """Alert about texts that look like dates, numbers or nested values in no common format."""
    from janus_synth.alerts.look_alikes import LOOK_ALIKES, NEEDED, remedy_for  # compiles its patterns

    texts = texts[:: -(-len(texts) // MOST_READ)]
    if (form := form_of_digit_texts(texts)) is not None:
        message = f"{'times' if form == '%H%M%S' else 'dates'} stored as digits, such as {_quote_examples(texts)}"
        remedy = f"df[{name!r}] = pd.to_datetime(df[{name!r}], format={form!r}){'.dt.time' * (form == '%H%M%S')}"
        yield make_alert(name, "date-text", message, learnt, remedy=remedy, quoted=[_quote_examples(texts)])
        return
    for kind, what, pattern, line in LOOK_ALIKES:
        if what in NEEDED and not any(map(NEEDED[what].fullmatch, texts)):
            continue
        if share_reaches(texts, pattern.fullmatch, MOST_LIKE):
            message = f"{what} stored as text in no common format, such as {_quote_examples(texts)}"
            remedy = remedy_for(name, what, line, texts)
            if kind == "date-text" and "mixed" in remedy and not (_are_english(texts) and _are_bare(texts)):
                remedy = _without_words(name, texts)
            yield make_alert(
                name, kind, message, learnt, remedy=remedy, quoted=[_quote_examples(texts), *patterns_in(remedy)]
            )
            return
    for language, reader, parse in (
        ("JSON", "json.loads", json.loads),
        ("Python", "ast.literal_eval", ast.literal_eval),
    ):
        if share_reaches(texts, partial(_is_nested, parse=parse), MOST_LIKE):
            message = f"{language} stored as text, such as {_quote_examples(texts)}"
            read = f"df[{name!r}].map({reader})"
            fields = f"pd.json_normalize({read}).set_axis(df.index)"
            if not all(text.startswith("{") for text in texts):
                fields = f"pd.DataFrame({read}.tolist(), index=df.index)"
            remedy = f"df = df.drop(columns={name!r}).join({fields}.add_prefix({name + '_'!r}))"
            yield make_alert(name, "nested-text", message, learnt, remedy=remedy, quoted=[_quote_examples(texts)])
            return
    framed = find_frames(texts)
    if framed is not None:
        what = "numbers among other signs" if framed.n_numbers == 1 else f"{framed.n_numbers} numbers in one text"
        message = f"{what}, such as {_quote_examples(texts)}"
        remedy = extraction(name, framed)
        quoted = [_quote_examples(texts), *patterns_in(remedy)]
        yield make_alert(name, "number-text", message, learnt, remedy=remedy, quoted=quoted)


def _without_words(name: str, texts: list[str]) -> str:
    """Remedy for dates in another language, or with the name of a weekday or of a time zone."""
    import pyarrow as pa

    for words in (_WEEKDAY, _LAST_WEEKDAY, _ZONE):
        form = recognise(pa.array([re.sub(words, "", text) for text in texts], pa.large_string()))
        if form is not None and form.kind == "datetime":
            changes = json.dumps({name: {"kind": "datetime", "format": form.format}}, ensure_ascii=False)
            return f"df[{name!r}] = df[{name!r}].str.replace(r'{words}', '', regex=True), and schema={changes}"
    return "replace the names of months by numbers, such as 2024-03-19"


def _are_english(texts: list[str]) -> bool:
    """Whether all names of months and weekdays are English."""
    words = {word.lower()[:3] for text in texts for word in _FOREIGN.findall(text)}
    return words <= {name.lower()[:3] for name in (*calendar.month_name, *calendar.day_name)}


def _are_bare(texts: list[str]) -> bool:
    """Whether no weekday follows in brackets."""
    return not any(re.search(_LAST_WEEKDAY, text) for text in texts)


def _is_nested(text: str, *, parse: Callable[[str], object]) -> bool:
    if text[:1] not in ("{", "["):
        return False
    try:
        return isinstance(parse(text), dict | list)
    except (ValueError, SyntaxError):
        return False


def format_alerts(column: Column, form: Mapping[str, Any]) -> Iterator[Alert]:
    """Alert if a column of a file was read in one of several possible formats."""
    others = form.get("others") or ()
    if not others or not column.format:
        return
    kind = "ambiguous-date" if column.kind == "datetime" else "ambiguous-number"
    message = f"read as {column.format}, but {' or '.join(others)} fits all cells as well"
    effect = (
        "if that is wrong, day and month are swapped" if column.kind == "datetime" else "if that is wrong, values are"
    )
    effect += "" if column.kind == "datetime" else " a thousand times too large or small"
    yield make_alert(column.name, kind, message, effect, changes={"kind": column.kind, "format": others[0]})


def _quote_examples(texts: list[str]) -> str:
    return ", ".join(repr(text if len(text) <= 24 else f"{text[:23]}…") for text in texts[:MOST_EXAMPLES])
