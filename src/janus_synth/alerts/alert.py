"""One alert: what was noticed, what it does to the model, what to do about it, and how to silence it."""

from __future__ import annotations

import json
import warnings
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from typing import Any

from janus_synth.errors import AlertWarning

KINDS: Mapping[str, str] = {
    "skipped-files": "files of a source that were left out",
    "no-header": "a first row that is taken for the names of columns",
    "repeated-header": "rows that repeat the names of columns",
    "date-text": "dates or times that are learnt as text",
    "number-text": "numbers that are learnt as text",
    "nested-text": "JSON that is learnt as text",
    "ambiguous-date": "dates that could have day and month the other way round, or are of another calendar",
    "ambiguous-number": "numbers that could have thousands and decimals the other way round",
    "people": "levels that name people, or hold their addresses or numbers",
    "date-number": "dates or times that are learnt as numbers, such as seconds since 1970",
    "identifier": "a column that is not learnt, because its values look like row numbers",
    "code": "codes, such as postal codes, that are learnt as numbers",
    "key": "keys that are learnt as numbers",
    "nearly-unique": "text that differs in nearly every row",
    "many-levels": "text with very many levels",
    "spellings": "levels that differ in capitals or spaces only",
    "unordered-labels": "labels with a natural order that is not used",
    "missing-code": "values that may stand for missing",
    "constant": "a single value in all rows",
    "rare-levels": "levels that occur in one row only",
    "duplicate-rows": "rows that occur more than once",
    "tiny-table": "few rows",
    "empty-files": "files of a source without rows",
    "null-files": "files of a source in which every cell is null",
}
"""Kinds of alerts, the most serious first, and what each is about."""
SERIOUS = (
    "no-header",
    "repeated-header",
    "date-text",
    "number-text",
    "nested-text",
    "ambiguous-date",
    "ambiguous-number",
)
"""Kinds that make a column's generated values wrong, not only less good."""


@dataclass(frozen=True, slots=True)
class Alert:
    """Something about a table that a person should know before using a model of it.

    Parameters
    ----------
    column : str or None
        The column; None for the table as a whole.
    kind : str
        One of ``KINDS``.
    message : str
        What was noticed.
    effect : str
        What it does to the model.
    remedy : str
        What to do about it in Python, if it is unwanted.
    silence : str
        What to give to ``Janus(silence=[...])``, or ``--silence``, so that the alert is not raised.
    option : str
        The remedy as an option of ``janus fit``.
    quoted : tuple of str
        Parts of the texts that quote cells; model files leave them out.

    Examples
    --------
    >>> print(Alert("eu", "constant", "all cells are equal", "nothing is learnt", "drop it", "constant:eu"))
    eu: all cells are equal; nothing is learnt. Remedy: drop it
    """

    column: str | None
    kind: str
    message: str
    effect: str
    remedy: str
    silence: str
    option: str = ""
    quoted: tuple[str, ...] = ()

    @property
    def where(self) -> str:
        """The column, or ``table``; the empty name that exported row numbers have is put in quotes."""
        return "table" if self.column is None else self.column or "''"

    def __str__(self) -> str:
        return f"{self.where}: {self.message}; {self.effect}. Remedy: {self.remedy}"

    @property
    def shell_remedy(self) -> str:
        """The remedy on the command line: an option, or what to do in Python first."""
        if self.option:
            return self.option
        return f"in Python first, {self.remedy}" if self.remedy.startswith("df") else self.remedy

    @property
    def is_serious(self) -> bool:
        """Whether generated values are likely to be wrong."""
        return self.kind in SERIOUS

    def without_quotes(self) -> Alert:
        """The same without values of the table, which a model file must not hold.

        Examples
        --------
        >>> alert = make_alert("eu", "date-text", "dates stored as text, such as '1 V 24'", "", quoted=["'1 V 24'"])
        >>> alert.without_quotes().message
        'dates stored as text, such as …'
        """
        texts = {"message": self.message, "remedy": self.remedy, "option": self.option}
        for part in sorted(self.quoted, key=len, reverse=True):
            texts = {name: text.replace(part, "…") for name, text in texts.items()}
        return replace(self, **texts, quoted=())


def make_alert(
    column: str | None,
    kind: str,
    message: str,
    effect: str,
    *,
    changes: Mapping[str, Any] | None = None,
    remedy: str = "",
    option: str = "",
    quoted: Sequence[str] = (),
) -> Alert:
    """Alert whose remedy is a change of the column's schema, or a text; ``quoted`` are parts that quote cells."""
    if changes is not None and column is not None:
        remedy = f"schema={json.dumps({column: changes}, ensure_ascii=False).replace('true', 'True')}"
        option = option_of(column, changes)
    silence = kind if column is None else f"{kind}:{column}"
    return Alert(column, kind, message, effect, remedy, silence, option, tuple(quoted))


def option_of(column: str, changes: Mapping[str, Any]) -> str:
    """Options of ``janus fit`` that make a change of a column.

    Examples
    --------
    >>> option_of("eu", {"kind": "datetime", "format": "%d/%m/%Y", "missing": ["?"]})
    "--column 'eu=datetime:%d/%m/%Y' --missing 'eu=?'"
    """
    parts = []
    if changes.get("ordered"):
        parts.append(f"--column '{column}=ordered:{'<'.join(map(str, changes['levels']))}'")
    elif "kind" in changes:
        form = f":{changes['format']}" if changes.get("format") else ""
        text = f"{column}={changes['kind']}{form}"
        parts.append(f"--column {text}" if text.replace("=", "").replace("_", "").isalnum() else f"--column '{text}'")
    parts += [f"--missing '{column}={word}'" for word in changes.get("missing", ())]
    return " ".join(parts)


def plain_alerts(alerts: Iterable[Alert]) -> list[dict[str, Any]]:
    """Plain values of alerts for a model file, without values of the table."""
    plain = [asdict(alert.without_quotes()) for alert in alerts]
    return [{name: value for name, value in fields.items() if name != "quoted"} for fields in plain]


def alerts_from(values: Any) -> tuple[Alert, ...]:
    """Alerts of plain values, as `plain_alerts` gives them; anything else in the list is left out."""
    names = {field.name for field in fields(Alert)} - {"quoted"}
    kept = []
    for value in values if isinstance(values, list) else ():
        if isinstance(value, Mapping) and set(value) == names and value["kind"] in KINDS:
            texts = [text for name, text in value.items() if name != "column" or text is not None]
            kept += [Alert(**value)] if all(isinstance(text, str) for text in texts) else []
    return tuple(kept)


def warn_if_serious(alerts: Sequence[Alert]) -> None:
    """Warn once about all columns whose generated values are probably wrong."""
    serious = [alert for alert in alerts if alert.is_serious]
    if not serious:
        return
    more = f" {len(serious) - 1} more alerts of this kind are in alerts_." if len(serious) > 1 else ""
    warnings.warn(f"{serious[0]}.{more}", AlertWarning, stacklevel=3)


def check_silence(silence: Iterable[str] | str) -> tuple[str, ...]:
    """Texts of ``silence`` as a tuple; raise ValueError for a kind of alert that does not exist."""
    texts = (silence,) if isinstance(silence, str) else tuple(silence)
    for text in texts:
        if not isinstance(text, str) or text.partition(":")[0] not in (*KINDS, "all"):
            raise ValueError(
                f"silence has {text!r}; give kinds of alerts, kinds with a column such as 'constant:age', or 'all'. "
                f"Kinds are {', '.join(KINDS)}."
            )
    return texts


def without_silenced(alerts: Iterable[Alert], silence: Iterable[str] | str = ()) -> tuple[Alert, ...]:
    """Alerts that are not silenced, the most serious first.

    Examples
    --------
    >>> one = Alert("age", "constant", "", "", "", "constant:age")
    >>> without_silenced([one], ["constant"]), len(without_silenced([one], ["constant:pay"]))
    ((), 1)
    """
    quiet = set(check_silence(silence))
    kept = [alert for alert in alerts if not quiet & {"all", alert.kind, alert.silence}]
    order = list(KINDS)
    return tuple(sorted(kept, key=lambda alert: order.index(alert.kind)))


def without_computed(alerts: Iterable[Alert], computed: Collection[str]) -> tuple[Alert, ...]:
    """Alerts but those that ``computed`` columns are learnt as plain numbers: times of day such as 1405, and dates.

    Examples
    --------
    >>> late = Alert("left", "date-number", "", "", "", "date-number:left")
    >>> without_computed([late], ["left"]), len(without_computed([late], ["other"]))
    ((), 1)
    """
    return tuple(alert for alert in alerts if alert.kind != "date-number" or alert.column not in computed)
