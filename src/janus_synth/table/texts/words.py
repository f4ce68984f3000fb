"""Words for missing and for true and false: texts of a column in; those that mean missing, or the pair, out."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

MISSING = ("", "?", "-", "--", "N/A", "n/a", "#N/A", "null", "NULL", "Null", "NaN", "nan", "(null)", "<NA>")
"""Texts that mean missing in any column."""
OFTEN_MISSING = (
    *("NA", "na", "None", "none", "NONE", "NIL", "nil", "missing", "Missing", "unknown", "Unknown", "UNKNOWN"),
    *(
        "n.a.",
        "N.A.",
        "NaT",
        "0000-00-00",
        "0000-00-00 00:00:00",
        "00/00/0000",
        "00.00.0000",
        ".",
        "..",
        "...",
        "#NULL!",
        "#VALUE!",
        "#DIV/0!",
        "tbd",
        "TBD",
        "tba",
        "TBA",
        "not available",
        "Not available",
        "Not Available",
        "unspecified",
        "Unspecified",
        "undefined",
        "(blank)",
        "(empty)",
        "[null]",
        "\\N",
        "N / A",
        "NAN",
        "#NA",
        "#REF!",
        "#NAME?",
        "#NUM!",
        "#WERT!",
        "#NV",
        "#BEZUG!",
        "#ZAHL!",
        "#VALEUR!",
        "#NOMBRE!",
        "#¡VALOR!",
        "#¡DIV/0!",
        "#VALOR!",
        "#N/D",
        "#VALORE!",
        "#WAARDE!",
        "#N/B",
        "#DEEL/0!",
        "#ARG!",
        "#ЗНАЧ!",
        "#Н/Д",
        "n/d",
        "s/d",
        "n.d.",
        "k. A.",
        "k.A.",
        "NC",
        "ND",
        "---",
        "*",
        "—",
        "–",
    ),
)
"""Texts that mean missing among numbers and dates, and may be values elsewhere: NA is also Namibia."""
NO_ANSWERS = frozenset(
    (
        *("refused", "refuse", "refusal", "don't know", "dont know", "do not know", "dk", "no answer", "not asked"),
        *("not sure", "not applicable", "prefer not to say", "prefer not to answer", "declined", "skipped"),
        *("weiß nicht", "weiss nicht", "keine angabe", "ne sait pas", "sans réponse", "nsp", "no sabe", "no contesta"),
        *("ns/nc", "não sabe", "não respondeu", "non so", "weet niet", "nie wiem"),
    )
)
"""Answers of surveys beside numbers that say why there is none, in lower case."""
PAIRS = (
    ("true", "false"), ("yes", "no"), ("y", "n"), ("t", "f"), ("on", "off"), ("ja", "nein"), ("oui", "non"),
    ("sí", "no"), ("si", "no"), ("sì", "no"), ("sim", "não"), ("sim", "nao"), ("ja", "nee"), ("ja", "nej"),
    ("ja", "nei"), ("tak", "nie"), ("ano", "ne"), ("áno", "nie"), ("da", "ne"), ("da", "nu"), ("да", "нет"),
    ("igen", "nem"), ("kyllä", "ei"), ("evet", "hayır"), ("ναι", "όχι"),
    ("是", "否"), ("はい", "いいえ"), ("예", "아니요"), ("예", "아니오"), ("wahr", "falsch"),
    ("○", "×"), ("有", "無"), ("有", "无"),
    ("vrai", "faux"), ("verdadero", "falso"), ("verdadeiro", "falso"), ("vero", "falso"),
    ("так", "ні"), ("да", "не"), ("taip", "ne"), ("jā", "nē"), ("jah", "ei"), ("po", "jo"), ("نعم", "لا"), ("כן", "לא"),
    ("हाँ", "नहीं"), ("ใช่", "ไม่ใช่"), ("có", "không"), ("ya", "tidak"), ("ndiyo", "hapana"),
    ("s", "n"), ("j", "n"), ("o", "n"),
    ("✓", "✗"), ("✓", "✘"), ("✔", "✘"), ("✔", "✗"), ("✔", "✖"), ("✅", "❌"), ("☑", "☐"), ("☒", "☐"), ("+", "-"),
)  # fmt: skip
"""Words for true and false, in lower case."""


def missing_words(texts: Iterable[str], *, typed: bool) -> tuple[str, ...]:
    """Texts among these that mean missing; more of them if the others are numbers or dates (``typed``).

    Examples
    --------
    >>> missing_words(["12", "?", "NA"], typed=True), missing_words(["DE", "NA"], typed=False)
    (('?', 'NA'), ())
    """
    known = {*MISSING, *OFTEN_MISSING} if typed else set(MISSING)
    return tuple(text for text in texts if text.strip() in known)


def are_no_answers(texts: Sequence[str]) -> bool:
    """Whether there are texts, and all of them say why there is no answer.

    >>> are_no_answers(["Refused", "Don’t know"]), are_no_answers(["other"]), are_no_answers([])
    (True, False, False)
    """
    return bool(texts) and {text.strip().lower().replace("’", "'") for text in texts} <= NO_ANSWERS


def infer_boolean_format(texts: Iterable[str]) -> str | None:
    """Format of two texts that mean true and false, such as ``Y/N``; None for any others.

    Examples
    --------
    >>> infer_boolean_format(["No", "Yes"]), infer_boolean_format(["red", "blue"])
    ('Yes/No', None)
    """
    given = list(texts)
    words = {text.strip().lower(): text for text in given}
    if len(words) != 2 or len(given) != 2:
        return None
    return next((f"{words[yes]}/{words[no]}" for yes, no in PAIRS if set(words) == {yes, no}), None)


def parse_boolean_format(text: str) -> tuple[str, str] | None:
    """Words for false and true; None if the format is none."""
    true, slash, false = text.partition("/")
    return (false, true) if slash and true and false and true != false and "/" not in false else None
