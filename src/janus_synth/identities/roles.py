"""A column's name and some of its texts in, what they say about a person out: a role such as ``email``; or None.

Addresses of machines and accounts have a shape of their own and are recognised by content. Names of people do not; they
need a column name that says so (``column_words``).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from ipaddress import IPv6Address

from janus_synth.identities.check_digits import keeps
from janus_synth.identities.column_words import role_by_name, tells_of_people, words_of
from janus_synth.identities.shares import share_reaches

ROLES = (
    "name", "first_name", "last_name", "email", "username", "phone", "address", "ip", "url", "card", "iban",
    "national_id", "book", "text", "format",
)  # fmt: skip
"""What a personal column can hold; ``text`` is free text, ``format`` anything else that is regenerated."""
NAME_ROLES = ("name", "first_name", "last_name")
STRONG_ROLES = ("email", "phone", "ip", "card", "iban", "national_id", "username")
"""Roles whose values point to one person or account each, even if they repeat."""
MOST_READ = 1000
"""Texts that are read to find a role."""
ENOUGH = 0.9
"""Share of texts that must have the shape of a role."""
FEW_NAMES = 20
"""As many names that many rows share are categories, such as the members of a team."""
WORDS_OF_TEXT = 4.0
"""Mean number of words from which irregular texts are free text."""
KEPT_STARTS = {
    "phone": re.compile(r"\+\d{1,3}(?=\D)"),
    "iban": re.compile(r"[A-Z]{2}"),
    "card": re.compile(r"\d"),
    "book": re.compile(r"97[89](?=.{9})"),
}
"""Start of a value that belongs to its format: country codes, the network of a card."""

_EMAIL = re.compile(r"[^@\s]+@[^@\s]+\.[^@\s.]{2,}")
_IP4 = re.compile(r"(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)\.){3}(?:25[0-5]|2[0-4]\d|1?\d?\d)")
_IP6 = re.compile(r"(?=.*:.*:)[0-9a-fA-F:]{3,39}")  # durations such as 41:15:07 fit as well
_URL = re.compile(r"https?://\S+|www\.\S+")
_SSN = re.compile(r"\d{3}-\d{2}-\d{4}")
_PHONE = re.compile(r"[+(]?[\d][\d ()./\-]{5,22}\d")
_INTERNATIONAL = re.compile(r"(?:\+\d|\(\d{2,5}\) ?\d)[\d ()./\-]{5,20}\d")
_NAME = re.compile(r"[^\W\d_][^\d_@#/:;=<>]*")

_LEGAL_FORMS = words_of(
    "ltd limited gmbh mbh inc corp corporation llc llp ag kg ohg ug sa sas sarl srl spa bv nv plc co company group "
    "holding holdings oy ab aps kk pty bank university hospital school store shop partners solutions systems services"
)
MOST_FIRMS = 0.05
"""Share of names of firms from which a column of customers holds firms, not people."""
_PARTICLES = words_of(
    "de del la las los da das do dos di du des von van vom zu zum zur der den ten ter af av al el bin e y i"
)
_TITLE = re.compile(r"(?:[^\W\d_]{1,4}\.|[(\"'].*)")
_NO_CASE = re.compile(
    r"[\u4e00-\u9fff\u3040-\u30ff]{2,5}|[\uac00-\ud7af]{2,4}"
    r"|[\u0590-\u06ff\u0900-\u0dff\u0e00-\u0e7f]+(?:[ -][\u0590-\u06ff\u0900-\u0dff\u0e00-\u0e7f]+)+"
)
"""Names in Chinese, Japanese and Korean, and in alphabets without capitals."""
_ACCOUNT = re.compile(r"[a-z][a-z0-9]*(?:[._-][a-z0-9]+)*", re.IGNORECASE)
_DOCUMENT = re.compile(r"[^\W_](?:[^\W_]|[ ./-](?=[^\W_])){4,29}")
"""Numbers of documents: letters and digits with single marks between them."""
_HAS_EMAIL = re.compile(r"[^@\s]@[^@\s]+\.[A-Za-z]{2,}")
_HAS_IP = re.compile(
    r"(?<![\d.])(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)\.){3}(?:25[0-5]|2[0-4]\d|1?\d?\d)(?::\d{1,5}|/\d{1,2})"
)
_DEVICE = re.compile(
    r"(?:[0-9a-f]{2}[:-]){5}[0-9a-f]{2}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|[0-9a-f]{32}|[0-9a-f]{40}|[0-9a-f]{64}",
    re.IGNORECASE,
)
SOME = 0.1
"""Share of texts with an address among other words from which none of the column is learnt."""


def find_role(name: str, texts: Sequence[str]) -> str | None:
    """Role of a column by its distinct texts and its name; None if it does not look personal.

    Examples
    --------
    >>> find_role("contact", ["ada@lovelace.org", "k.goedel@ias.edu"]), find_role("surname", ["Ada", "Kurt"])
    ('email', 'last_name')
    >>> find_role("town", ["Rome", "Oslo"]) is None
    True
    """
    some = [str(text).strip() for text in texts[:: max(1, len(texts) // MOST_READ)]]
    if not some:
        return None
    for role, has_shape in _SHAPES.items():
        if share_reaches(some, has_shape, ENOUGH):
            return role
    hint = role_by_name(name)
    if hint is not None and share_reaches(some, _PLAUSIBLE[hint], ENOUGH - 0.1):
        return "name" if hint == "first_name" and _share(some, _has_two_words) > ENOUGH else hint
    return _name_or_account(some) if tells_of_people(name) and len(texts) > FEW_NAMES else None


def _name_or_account(texts: Sequence[str]) -> str | None:
    """Role of texts in a column whose name speaks of people: names of people, or of accounts."""
    if share_reaches(texts, _is_person, ENOUGH - 0.1) and _share(texts, _is_firm) <= MOST_FIRMS:
        return "name"
    return "username" if share_reaches(texts, _is_account, ENOUGH) else None


def points_to_accounts(texts: Sequence[str]) -> bool:
    """Whether texts have e-mail or internet addresses among other words, or name devices.

    >>> points_to_accounts(["Ada <ada@example.org>"]), points_to_accounts(["10.0.0.1:80"]), points_to_accounts(["Ada"])
    (True, True, False)
    """
    some = texts[:: max(1, len(texts) // MOST_READ)]
    if not some:
        return False
    return share_reaches(some, lambda text: _HAS_EMAIL.search(text) or _HAS_IP.search(text), SOME) or are_devices(some)


def is_unknown(name: str, texts: Sequence[str]) -> bool:
    """Whether neither its name nor its texts say what a column points to: no account, device, plate or document.

    >>> is_unknown("tempo", ["4:48 /km"]), is_unknown("plate", ["AB-C 123"]), is_unknown("host", ["00:1b:63:84:45:e6"])
    (True, False, False)
    """
    return role_by_name(name) is None and not tells_of_people(name) and not points_to_accounts(texts)


def are_devices(texts: Sequence[str]) -> bool:
    """Whether texts are addresses of devices, UUIDs or hashes.

    >>> are_devices(["00:1b:63:84:45:e6"]), are_devices(["12:30"])
    (True, False)
    """
    return bool(texts) and share_reaches(texts[:: max(1, len(texts) // MOST_READ)], _DEVICE.fullmatch, ENOUGH)


def looks_like_text(texts: Sequence[str]) -> bool:
    """Whether texts have several words each, as remarks do."""
    some = texts[:: max(1, len(texts) // MOST_READ)]
    words = sum(any(map(str.isalpha, word)) for text in some for word in text.split())
    return bool(some) and words >= WORDS_OF_TEXT * len(some)


def _share(texts: Sequence[str], has_shape: Callable[[str], object]) -> float:
    return sum(bool(has_shape(text)) for text in texts) / len(texts)


def _is_ip6(text: str) -> bool:
    try:
        return bool(IPv6Address(text))
    except ValueError:
        return False


def _is_card(text: str) -> bool:
    digits = sum(c.isdigit() for c in text)
    return 13 <= digits <= 19 and re.fullmatch(r"[\d -]+", text) is not None and keeps("luhn", text)


def _is_phone(text: str) -> bool:
    return _PHONE.fullmatch(text) is not None and sum(c.isdigit() for c in text) >= 6


def _is_name(text: str) -> bool:
    return _NAME.fullmatch(text) is not None and len(text.split()) <= 6


def _is_full_name(text: str) -> bool:
    return _NO_CASE.fullmatch(text) is not None or (_is_name(text) and _has_two_words(text) and not text[0].islower())


def _has_two_words(text: str) -> bool:
    return len(text.split()) >= 2


def _is_person(text: str) -> bool:
    """Whether every word of a full name has a capital, but for particles such as *von* and *de la*."""
    words = [word for word in re.split(r"[\s,]+", text) if not _TITLE.fullmatch(word)]
    starts = all(not word[:1].islower() or word in _PARTICLES for word in words)
    return _is_full_name(text) and starts and "," not in text.replace(", ", "")


def _is_firm(text: str) -> bool:
    words = re.split(r"[\s,.]+", text.lower())
    return "&" in text or bool(_LEGAL_FORMS & set(words[1:]))


def _is_account(text: str) -> bool:
    """Whether a text is letters with a mark or a number, such as ada.lovelace and ada17; C00017 is a key."""
    return _ACCOUNT.fullmatch(text) is not None and not text.isalpha() and sum(c.isalpha() for c in text) >= 3


_SHAPES: dict[str, Callable[[str], object]] = {
    "email": _EMAIL.fullmatch,
    "ip": lambda text: _IP4.fullmatch(text) or (_IP6.fullmatch(text) and _is_ip6(text)),
    "url": _URL.fullmatch,
    "iban": lambda text: keeps("iban", text),
    "book": lambda text: keeps("ean13", text) or ("-" in text and keeps("isbn10", text)),
    "card": _is_card,
    "national_id": _SSN.fullmatch,
    "phone": _INTERNATIONAL.fullmatch,
}
_PLAUSIBLE: dict[str, Callable[[str], object]] = {
    **_SHAPES,
    "phone": _is_phone,
    "card": lambda text: sum(c.isdigit() for c in text) >= 12,
    "national_id": lambda text: _DOCUMENT.fullmatch(text) and sum(c.isdigit() for c in text) >= 5,
    "name": _is_full_name,
    "first_name": _is_name,
    "last_name": _is_name,
    "username": lambda text: " " not in text,
    "format": lambda text: any(c.isdigit() for c in text),
    "address": lambda text: any(c.isalpha() for c in text),
    "iban": lambda text: re.match(r"[A-Z]{2}\d{2}", text),
}
