"""Texts that a CSV reader takes for numbers with decimals in; whether they are codes, such as 3.10 and 59e80, out.

Formats that only these texts show are found here, too: zeros in front, and powers of ten.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

NAMED = re.compile(
    r"(?:^|[_\s.-])(?:version|versao|versión|ver|release|firmware|build|chapter|section|clause|paragraph|kapitel|abschnitt"
    r"|chapitre|capitulo|capítulo|icd|icd_?9|dx|diagnosis|diagnose|dewey|hts|cpv)(?:_?code)?$"
)
"""Names of columns whose numbers with a point are versions, numbers of sections or codes."""
LARGEST = 40
"""Largest second part of versions; decimals of prices go up to 99."""
_TWO_PARTS = r"^[0-9]{1,4}\.[0-9]{1,2}$"
_EXPONENTS = r"^[0-9]+(?:[eE][0-9]+)?$"


def are_codes(name: str, texts: Any) -> bool:
    """Whether texts are codes: versions (3.9, 3.10), ICD-9 (038.9 beside 250.00) or parts of hashes (59e80).

    Parameters
    ----------
    name : str
        Name of the column.
    texts : pyarrow.Array or sequence of str
        Its texts, all of which are numbers.

    Examples
    --------
    >>> import pyarrow as pa
    >>> are_codes("python", pa.array(["3.8", "3.9", "3.10"])), are_codes("weight", pa.array(["3.8", "3.9", "3.15"]))
    (True, False)
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    distinct = pc.unique(pa.array(texts, pa.large_string()) if isinstance(texts, Sequence) else texts)
    if NAMED.search(name.lower()) and _all_match(distinct, r"^[0-9]+(?:\.[0-9]+)*$"):
        return True
    if _all_match(distinct, _EXPONENTS) and _any_match(distinct, "[eE]"):
        return _any_match(distinct, "^[0-9]{2,}[eE]")  # 1e5 is a number
    if _any_match(distinct, r"^[+-]?0[0-9]") and padded_picture(distinct) is None:
        return True
    return _all_match(distinct, _TWO_PARTS) and _count_on(distinct.to_pylist())


def _count_on(texts: list[str]) -> bool:
    """Whether the part behind the point counts on from 9 to 10 and never begins with 0, as numbers do not."""
    parts = {(major, minor) for major, _, minor in (text.partition(".") for text in texts)}
    if any(len(minor) > 1 and minor[0] == "0" for _, minor in parts):
        return False
    largest = max(int(minor) for _, minor in parts)
    counts = any((major, "9") in parts for major, minor in parts if minor == "10")
    return counts and largest <= LARGEST


def padded_picture(written: Any) -> str | None:
    """Format of numbers that all have the same digits before and after the point, some with a zero in front: 038.9.

    Examples
    --------
    >>> import pyarrow as pa
    >>> padded_picture(pa.array(["038.9", "401.9"])), padded_picture(pa.array(["38.9", "401.9"]))
    ('000.0', None)
    """
    import pyarrow.compute as pc

    if not _any_match(written, r"^-?0[0-9]") or not _all_match(written, r"^-?[0-9]+\.[0-9]+$"):
        return None
    shapes = pc.unique(pc.replace_substring_regex(pc.replace_substring(written, "-", ""), "[0-9]", "0"))
    return str(shapes[0].as_py()) if len(shapes) == 1 else None


def exponent_picture(written: Any) -> str | None:
    """Format of numbers with a power of ten that all have as many decimals: 2.16E+03.

    Examples
    --------
    >>> import pyarrow as pa
    >>> exponent_picture(pa.array(["2.16E+03", "-1.00E-05"])), exponent_picture(pa.array(["2.16E+03", "1E5"]))
    ('0.00E+00', None)
    """
    import pyarrow.compute as pc

    if not _all_match(written, r"^-?[0-9](?:\.[0-9]+)?[eE][-+][0-9]{2,3}$"):
        return None
    starts = pc.replace_substring_regex(pc.replace_substring_regex(written, r"[-+][0-9]+$", "+00"), "^-", "")
    shapes = pc.unique(pc.replace_substring_regex(starts, "[0-9]", "0"))
    return str(shapes[0].as_py()) if len(shapes) == 1 else None


def _all_match(texts: Any, pattern: str) -> bool:
    import pyarrow.compute as pc

    return bool(pc.all(pc.match_substring_regex(texts, pattern)).as_py())


def _any_match(texts: Any, pattern: str) -> bool:
    import pyarrow.compute as pc

    return bool(pc.any(pc.match_substring_regex(texts, pattern)).as_py())
