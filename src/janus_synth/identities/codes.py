"""Hierarchical codes in, groups of codes that share a prefix out: postal codes, diagnoses, product codes; and back.

A group is a format such as ``021{9:2}`` (see ``janus_synth.identities.formats``): the prefix stays, the rest is drawn
at random. Which of the codes in a group were there is not remembered.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import cache
from itertools import groupby

import numpy as np

from janus_synth.arrays import Array
from janus_synth.identities.column_words import tokens_of
from janus_synth.identities.formats import CLASSES, Run, mix_bits, parse_format
from janus_synth.identities.roles import MOST_READ

LONGEST_CODE = 24
ENOUGH = 0.95
"""Share of texts that must have the shape of a code."""
HIERARCHIES = {
    "zip", "zipcode", "postal", "postcode", "postleitzahl", "plz", "cep", "eircode", "pincode", "icd", "atc", "cpt",
    "loinc", "naics", "nace", "sic", "isco", "isic", "cpv", "hs", "hts", "taric", "fips", "nuts", "geohash",
}  # fmt: skip
"""Words in the names of columns whose codes are hierarchies."""
HIERARCHY_PAIRS = (("post", "code"), ("postal", "code"), ("zip", "code"), ("area", "code"), ("dial", "code"),
                   ("dialling", "code"), ("hs", "code"), ("calling", "code"))  # fmt: skip
CODE_WORDS = {"code", "codes", "sku", "prefix", "diagnosis", "diag", "dx", "procedure", "tariff", "catalogue", "part"}
"""Words in the names of columns that hold codes of some kind."""
_CODE = re.compile(r"(?=.*\d)[A-Za-z0-9]+(?:[ ./_-][A-Za-z0-9]+){0,4}")
_KNOWN = (
    re.compile(r"[A-Z]{1,2}\d[A-Z\d]? ?\d[A-Z]{2}"),  # British postcodes
    re.compile(r"[A-Z]\d[A-Z] ?\d[A-Z]\d"),  # Canadian postcodes
    re.compile(r"[A-TV-Z]\d[0-9A-B](?:\.[0-9A-Z]{1,4})?"),  # diagnoses, ICD-10
)


def are_codes(texts: Sequence[str]) -> bool:
    """Whether texts have the shape of codes: short, with digits, in parts of letters and digits.

    >>> are_codes(["SW1A 1AA", "E11.9"]), are_codes(["12 High Street, Leeds", "Rome"])
    (True, False)
    """
    some = texts[:: max(1, len(texts) // MOST_READ)]
    shaped = sum(len(text) <= LONGEST_CODE and _CODE.fullmatch(text) is not None for text in some)
    return bool(some) and shaped >= ENOUGH * len(some)


def is_hierarchy(name: str, texts: Sequence[str]) -> bool:
    """Whether a column holds codes whose first characters mean something, by its name or a well-known shape.

    Examples
    --------
    >>> is_hierarchy("zip", ["02138", "02139"]), is_hierarchy("home", ["SW1A 1AA", "LS1 4DY"])
    (True, True)
    >>> is_hierarchy("order", ["17-204", "17-350"])
    False
    """
    if not are_codes(texts):
        return False
    words = tokens_of(name)
    if HIERARCHIES & set(words) or any(words[i : i + 2] in HIERARCHY_PAIRS for i in range(len(words))):
        return True
    some = texts[:: max(1, len(texts) // MOST_READ)]
    return any(sum(shape.fullmatch(text) is not None for text in some) >= ENOUGH * len(some) for shape in _KNOWN)


def holds_codes(name: str, texts: Sequence[str]) -> bool:
    """Whether a column holds codes that may repeat: a hierarchy, or codes by the column's name.

    >>> holds_codes("product_code", ["AX-170", "AX-171"]), holds_codes("remark", ["AX-170", "AX-171"])
    (True, False)
    """
    return is_hierarchy(name, texts) or (bool(CODE_WORDS & set(tokens_of(name))) and are_codes(texts))


def group_codes(
    counts: Mapping[str, int], least: int, *, size: int | None = None, numbers: bool = False
) -> dict[str, str]:
    """Group of every code: the longest prefix that enough rows share, with the shape of the rest.

    Parameters
    ----------
    counts : mapping of str to int
        Rows of each code.
    least : int
        Fewest rows of a group; a code of so many rows is a group of its own.
    size : int, optional
        Rows that a group should have at least, if that is more; groups without a prefix need not.
    numbers : bool
        Whether codes are numbers, which do not start with 0.

    Returns
    -------
    dict
        The group of every code; codes that no group has room for are left out.

    Examples
    --------
    >>> group_codes({"02138": 2, "02139": 2, "02215": 1, "90210": 7}, least=4)
    {'90210': '90210', '02138': '0213{9:1}', '02139': '0213{9:1}'}
    """
    found = {code: escape(code) for code, n in counts.items() if n >= least}
    left = {code: n for code, n in counts.items() if n < least}
    for length in range(max(map(len, left), default=0) - 1, -1, -1):
        groups: defaultdict[str, list[str]] = defaultdict(list)
        for code in left:
            if len(code) > length:
                groups[_masked(code, length, numbers)].append(code)
        enough = least if length == 0 or size is None else max(size, least)
        for group, codes in groups.items():
            if sum(left[code] for code in codes) >= enough:
                found |= dict.fromkeys(codes, group)
                for code in codes:
                    del left[code]
    return found


def find_group(code: str, groups: Mapping[str, int], *, numbers: bool = False) -> int | None:
    """Place of the group that a code belongs to, the one with the longest prefix; None if there is none.

    >>> find_group("02141", {"02{9:3}": 0, "021{9:2}": 1})
    1
    """
    for length in range(len(code), -1, -1):
        place = groups.get(_masked(code, length, numbers) if length < len(code) else escape(code))
        if place is not None:
            return place
    return None


def escape(text: str) -> str:
    """Text as a part of a format.

    >>> escape("a{b}")
    'a{{b}}'
    """
    return re.sub(r"([{}])", r"\1\1", text)


def _masked(code: str, length: int, numbers: bool) -> str:
    """The first characters, and the shape of the others."""
    rest = _shape(code[length:])
    return escape(code[:length]) + (_without_leading_zero(rest) if numbers and length == 0 else rest)


@cache
def _shape(text: str) -> str:
    parts = []
    for kind, run in groupby(text, key=_class_of):
        characters = "".join(run)
        colon = ":" if kind == "9" else ""
        parts.append(f"{{{kind}{colon}{len(characters)}}}" if kind else escape(characters))
    return "".join(parts)


def _class_of(character: str) -> str:
    if character in CLASSES["9"]:
        return "9"
    return "A" if character in CLASSES["A"] else "a" if character in CLASSES["a"] else ""


def _without_leading_zero(shape: str) -> str:
    found = re.match(r"\{9:(\d+)\}", shape)
    if found is None:
        return shape
    rest = int(found[1]) - 1
    return "{1:1}" + (f"{{9:{rest}}}" if rest else "") + shape[found.end() :]


def runs_of_group(group: str) -> tuple[Run, ...] | str:
    """Runs of a group, which may be a single code; or a text that says what is wrong with it."""
    found = parse_format(group)
    if isinstance(found, str) and re.fullmatch(r"(?:[^{}]|\{\{|\}\})*", group):
        return (Run("", group.replace("{{", "{").replace("}}", "}")),)
    if not isinstance(found, str) and any(run.low != run.high for run in found):
        return "the codes of a group have one length"
    return found


def draw_codes(group: str, random: Array) -> list[str]:
    """One code of a group per row of random words, all codes of the group alike.

    Parameters
    ----------
    group : str
        A format, or a single code.
    random : array of uint64, (rows, words)
        Random words of each row.

    Examples
    --------
    >>> words = np.random.default_rng(0).integers(2**63, size=(3, 8), dtype=np.uint64)
    >>> draw_codes("021{9:2}", words), draw_codes("90210", words)
    (['02180', '02152', '02108'], ['90210', '90210', '90210'])
    """
    runs = runs_of_group(group)
    assert not isinstance(runs, str), "a Column checks its groups"
    parts: list[list[str]] = []
    for run in runs:
        if not run.kind:
            parts.append([run.text] * len(random))
            continue
        symbols = np.array(list(CLASSES[run.kind]))
        for _ in range(run.low):
            at = len(parts)
            words = mix_bits(random[:, at % random.shape[1]] + np.uint64(0x9E3779B97F4A7C15 * (at + 1) % 2**64))
            parts.append(symbols[(words % np.uint64(len(symbols))).astype(np.int64)].tolist())
    return list(map("".join, zip(*parts, strict=True)))
