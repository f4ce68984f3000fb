"""Check digits: texts in, the scheme that all of them keep out; and texts corrected so that they keep a scheme.

========  =====================================================================
scheme    used by
========  =====================================================================
luhn      payment cards, IMEI, many national numbers: last digit
iban      bank accounts: digits 3 and 4, remainder 1 modulo 97
ean13     ISBN-13 and article numbers: last digit
isbn10    ISBN-10: last character, a digit or X
========  =====================================================================
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

SCHEMES = ("iban", "ean13", "isbn10", "luhn")
FEWEST = 8
"""With fewer texts, all of them could keep a scheme by chance: one in ten does."""
_PLAIN = re.compile("[0-9A-Za-z]+")


def find_scheme(texts: Sequence[str]) -> str | None:
    """Scheme that all texts keep; None if there is none, or if there are too few texts to tell.

    Examples
    --------
    >>> find_scheme(["4111 1111 1111 1111", "5500-0000-0000-0004"] * 4)
    'luhn'
    """
    if len(texts) < FEWEST:
        return None
    return next((scheme for scheme in SCHEMES if all(keeps(scheme, text) for text in texts)), None)


def keeps(scheme: str, text: str) -> bool:
    """Whether a text has the length and the check digit of a scheme; separators do not count.

    Examples
    --------
    >>> keeps("iban", "DE89 3704 0044 0532 0130 00"), keeps("isbn10", "0-306-40615-3")
    (True, False)
    """
    characters = _plain(text)
    return bool(characters) and _has_shape(scheme, characters) and correct(scheme, text) == text


def correct(scheme: str, text: str) -> str:
    """The text with its check digit replaced by the right one; separators stay.

    Examples
    --------
    >>> correct("luhn", "4111-1111-1111-1110"), correct("iban", "DE00370400440532013000")
    ('4111-1111-1111-1111', 'DE89370400440532013000')
    """
    characters = _plain(text)
    if not _has_shape(scheme, characters):
        return text
    return _with_separators(text, _CORRECT[scheme](characters))


def _plain(text: str) -> str:
    return "".join(_PLAIN.findall(text))


def _with_separators(text: str, characters: str) -> str:
    rest = iter(characters)
    return "".join(next(rest) if c.isascii() and c.isalnum() else c for c in text)


def _has_shape(scheme: str, characters: str) -> bool:
    match scheme:
        case "iban":
            head = characters[:2].isalpha() and characters[:2].isupper() and characters[2:4].isdigit()
            return head and 15 <= len(characters) <= 34 and characters == characters.upper()
        case "ean13":
            return len(characters) == 13 and characters.isdigit() and characters[:3] in ("978", "979")
        case "isbn10":
            return len(characters) == 10 and characters[:9].isdigit() and characters[9] in "0123456789X"
    return 8 <= len(characters) <= 19 and characters.isdigit()


def _luhn(digits: str) -> str:
    doubled = [int(d) * (2 if i % 2 == 0 else 1) for i, d in enumerate(reversed(digits[:-1]))]
    return digits[:-1] + str(-sum(d - 9 if d > 9 else d for d in doubled) % 10)


def _iban(characters: str) -> str:
    number = int("".join(str(int(c, 36)) for c in characters[4:] + characters[:2] + "00"))
    return f"{characters[:2]}{98 - number % 97:02d}{characters[4:]}"


def _ean13(digits: str) -> str:
    return digits[:12] + str(-sum(int(d) * (3 if i % 2 else 1) for i, d in enumerate(digits[:12])) % 10)


def _isbn10(digits: str) -> str:
    check = -sum(int(d) * (10 - i) for i, d in enumerate(digits[:9])) % 11
    return digits[:9] + ("X" if check == 10 else str(check))


_CORRECT: dict[str, Callable[[str], str]] = {"luhn": _luhn, "iban": _iban, "ean13": _ean13, "isbn10": _isbn10}
