"""A column's name and some of its texts in, what they say about a person out: a role such as ``email``; or None.

Addresses of machines and accounts have a shape of their own and are recognised by content. Names of people do not; they
need a column name that says so, in English or in one of a few other languages.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from ipaddress import IPv6Address

from janus_synth.identities.check_digits import keeps

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

_WORDS = {
    "email": {"email", "mail", "emails", "courriel", "correo"},
    "phone": {"phone", "telephone", "tel", "mobile", "cell", "cellphone", "fax", "telefon", "handy", "telefono"},
    "address": {"address", "street", "addr", "adresse", "anschrift", "strasse", "straße", "direccion", "rue"},
    "ip": {"ip", "ipaddress", "ipv4", "ipv6"},
    "card": {"card", "creditcard", "cc", "pan"},
    "iban": {"iban"},
    "national_id": {
        "ssn", "passport", "nino", "nif", "dni", "cpf", "bsn", "personnummer", "sin", "aadhaar", "steuerid",
        "socialsecurity", "nationalid", "taxid",
    },
    "username": {"username", "login", "nickname", "nick"},
    "first_name": {
        "firstname", "forename", "givenname", "vorname", "prenom", "prénom", "nombre", "middlename", "voornaam", "imię",
        "imie", "förnamn", "fornavn", "etunimi", "имя",
    },
    "last_name": {
        "lastname", "surname", "familyname", "nachname", "apellido", "apellidos", "maidenname", "familienname",
        "cognome", "achternaam", "sobrenome", "apelido", "nazwisko", "efternamn", "etternavn", "efternavn", "sukunimi",
        "příjmení", "soyad", "soyadı", "фамилия",
    },
    "name": {"fullname", "realname"},
}  # fmt: skip
_JOINED = {
    ("first", "name"): "first_name", ("given", "name"): "first_name", ("middle", "name"): "first_name",
    ("last", "name"): "last_name", ("family", "name"): "last_name", ("maiden", "name"): "last_name",
    ("full", "name"): "name", ("user", "name"): "username", ("e", "mail"): "email", ("ip", "address"): "ip",
    ("ip", "addr"): "ip", ("social", "security"): "national_id", ("national", "id"): "national_id",
    ("tax", "id"): "national_id", ("passport", "number"): "national_id", ("credit", "card"): "card",
    ("card", "number"): "card", ("mail", "address"): "email", ("email", "address"): "email",
}  # fmt: skip
_PEOPLE = {
    "customer", "client", "patient", "employee", "person", "student", "contact", "guest", "passenger", "member",
    "owner", "driver", "author", "teacher", "doctor", "buyer", "seller", "applicant", "candidate", "manager", "father",
    "mother", "spouse", "child", "tenant", "subscriber", "holder", "donor", "player", "agent", "user", "legal",
}  # fmt: skip


def tokens_of(name: str) -> tuple[str, ...]:
    """Lower-case words of a column's name.

    >>> tokens_of("customerFirstName"), tokens_of("E-Mail")
    (('customer', 'first', 'name'), ('e', 'mail'))
    """
    return tuple(re.findall(r"[^\W\d_]+", re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower()))


def role_by_name(name: str) -> str | None:
    """Role that a column's name suggests.

    >>> [role_by_name(name) for name in ("Surname", "customer_name", "product_name", "IP address", "card_type")]
    ['last_name', 'name', None, 'ip', 'card']
    """
    words = tokens_of(name)
    for pair, role in _JOINED.items():
        if any(words[i : i + 2] == pair for i in range(len(words))):
            return role
    for role, known in _WORDS.items():
        if any(word in known for word in words):
            return role
    if words == ("nom",):
        return "last_name"  # French; "nom_produit" is none
    return "name" if words == ("name",) or (words[-1:] == ("name",) and _PEOPLE & set(words)) else None


def person_of(name: str) -> str:
    """Whose column this is: its name without the words of roles, so that ``buyer_name`` and ``buyer_mail`` agree.

    >>> person_of("buyer_name"), person_of("buyer_mail"), person_of("email")
    ('buyer', 'buyer', '')
    """
    parts = {part for pair in _JOINED for part in pair} | {word for known in _WORDS.values() for word in known}
    return " ".join(word for word in tokens_of(name) if word not in parts | {"name", "names", "number", "no", "id"})


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
        if _share(some, has_shape) >= ENOUGH:
            return role
    hint = role_by_name(name)
    return hint if hint is not None and _share(some, _PLAUSIBLE[hint]) >= ENOUGH - 0.1 else None


def looks_like_text(texts: Sequence[str]) -> bool:
    """Whether texts have several words each, as remarks do."""
    some = texts[:: max(1, len(texts) // MOST_READ)]
    return bool(some) and sum(len(text.split()) for text in some) >= WORDS_OF_TEXT * len(some)


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
    return _is_name(text) and len(text.split()) >= 2 and text[0].isupper()


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
    "national_id": lambda text: sum(c.isdigit() for c in text) >= 5,
    "name": _is_full_name,
    "first_name": _is_name,
    "last_name": _is_name,
    "username": lambda text: " " not in text,
    "address": lambda text: any(c.isalpha() for c in text),
    "iban": lambda text: re.match(r"[A-Z]{2}\d{2}", text),
}
