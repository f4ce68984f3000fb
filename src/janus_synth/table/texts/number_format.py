"""Numbers as text: the format of a column in; numbers out, and texts of the same form back.

A format is a picture of a number, as in spreadsheets:

=====================  ========================================  =====================
format                 means                                     examples
=====================  ========================================  =====================
``$#,##0.00``          thousands by commas, two decimals         $5,075.29, -$3.00
``#.##0,00 €``         thousands by points, a decimal comma      1.234,50 €
``0.0#%``              one or two decimals; 5.25% is 5.25        5.25%, 3.0%
``0[.00]``             decimals only where they are not zero     12, 12.50
``000.0``              zeros in front                            038.9
``0.00E+00``           digits and a power of ten                 2.16E+03
``#,##,##0``           Indian groups                             12,34,567
``0.00;(0.00)``        negative numbers have a form of their own 5.00, (5.00)
=====================  ========================================  =====================
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from janus_synth.arrays import Floats

_SIGNS = (
    "$ € £ ¥ ₹ ₽ ₩ ₺ ₪ ₫ ₴ ₦ ฿ ₿ ¢ ₱ ₡ ₲ ₵ ₸ ₮ ₼ ₾ ￥ R$ US$ CA$ C$ A$ AU$ NZ$ HK$ S$ NT$ MX$ kr Kr kr. zł Kč Ft "
    "Fr Fr. SFr. lei лв din R RM Rp S/ Rs Rs."
)
_NAMES = (
    "AED AFN ALL AMD ANG AOA ARS AUD AWG AZN BAM BBD BDT BGN BHD BIF BMD BND BOB BRL BSD BTN BWP BYN BZD CAD CDF CHF "
    "CLP CNY COP CRC CUP CVE CZK DJF DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GNF GTQ GYD HKD HNL HTG "
    "HUF IDR ILS INR IQD IRR ISK JMD JOD JPY KES KGS KHR KMF KPW KRW KWD KYD KZT LAK LBP LKR LRD LSL LYD MAD MDL MGA "
    "MKD MMK MNT MOP MRU MUR MVR MWK MXN MYR MZN NAD NGN NIO NOK NPR NZD OMR PAB PEN PGK PHP PKR PLN PYG QAR RON RSD "
    "RUB RWF SAR SBD SCR SDG SEK SGD SHP SLE SOS SRD SSP STN SYP SZL THB TJS TMT TND TOP TRY TTD TWD TZS UAH UGX USD "
    "UYU UZS VES VND VUV WST XAF XCD XOF XPF YER ZAR ZMW"
)
CURRENCIES = (*_SIGNS.split(), *_NAMES.split())
SEPARATORS = (("", "."), (",", "."), ("", ","), (".", ","), *((s, d) for s in " \u00a0\u202f\u2009'’" for d in ",."))
"""Thousands separator and decimal mark, the likeliest first."""
WHOLE = ("/-", ".-", ",-", ".–", ",–", ".—", ",—")
"""Dashes in the place of decimals that are zero, as on price tags."""
MOST_DIGITS = 15
"""Longer numbers are not exact as floats; they are account numbers and the like, and stay text."""

_PICTURE = re.compile(
    r"(?P<prefix>[^0#;]*)(?:#(?P<group>[^0#\w])(?P<lakh>##(?P=group))?##)?(?P<whole>0+)"
    r"(?:(?P<bracket>\[)?(?P<decimal>[.,])(?=[0#])(?P<fixed>0*)(?P<optional>#*)\]?)?(?:(?P<exponent>[eE])\+00)?(?P<suffix>[^0#;\[\]]*)"
)
_AROUND = r"^(?P<lead>[^0-9]*?)(?P<body>(?:[0-9]|[.,][0-9])(?:.*[0-9])?)(?P<tail>[^0-9]*)$"
_WORD = r"(?:[^\W\d_]{1,12}\.?|[\u3300-\u33ff]|[\u0e01-\u0e5b]{1,12})[²³]?"
"""Letters of any alphabet, units in one character (㎡), and Thai words, whose marks are no letters."""
_SPACED = r"[a-z]{1,8}\.?(?: (?:of )?[a-z]{1,10}\.?){1,2}"
_MANY = r"(?:Mio|Mrd|Tsd|Mill|Mln|mln|mld|tys|tis)\.?(?: ?[$€£¥])?"
_UNIT = re.compile(rf"\s?(?:[%‰°％℃℉元円圆원万]|°[CF]|{_WORD}(?:/{_WORD})?|[$€£¥]? ?/ ?{_WORD}|{_SPACED}|{_MANY})")
"""Units: kg, km/h, sq ft, days ago, /hr. Words with a capital among others are names, such as Main St."""


@dataclass(frozen=True, slots=True)
class NumberFormat:
    """A format, taken apart; ``negative`` is what surrounds the digits of a negative number."""

    prefix: str = ""
    suffix: str = ""
    group: str = ""
    lakh: bool = False
    decimal: str = "."
    fewest: int = 0
    most: int = 0
    whole_without: bool = False
    negative: tuple[str, str] = ("-", "")
    whole: int = 1
    exponent: str = ""

    @property
    def picture(self) -> str:
        """The format as text."""
        digits = f"#{self.group}{'##' + self.group if self.lakh else ''}##0" if self.group else "0" * self.whole
        if self.most:
            places = self.decimal + "0" * self.fewest + "#" * (self.most - self.fewest)
            digits += f"[{places}]" if self.whole_without else places
        digits += f"{self.exponent}+00" if self.exponent else ""
        usual = self.negative == (f"-{self.prefix}", self.suffix)
        other = "" if usual else f";{self.negative[0]}{digits}{self.negative[1]}"
        return f"{self.prefix}{digits}{self.suffix}{other}"


def parse_number_format(text: str) -> NumberFormat | None:
    """Take a format apart; None if it is none.

    Examples
    --------
    >>> form = parse_number_format("#.##0,00 €")
    >>> form.group, form.decimal, form.most, form.suffix
    ('.', ',', 2, ' €')
    """
    sections = text.split(";")
    found = _PICTURE.fullmatch(sections[0])
    if found is None or len(sections) > 2 or (found["bracket"] and not found["fixed"]):
        return None
    negative = (f"-{found['prefix']}", found["suffix"])
    if len(sections) == 2:
        other = _PICTURE.fullmatch(sections[1])
        if other is None:
            return None
        negative = (other["prefix"], other["suffix"])
    fewest = len(found["fixed"] or "")
    most = fewest + len(found["optional"] or "")
    return NumberFormat(
        found["prefix"], found["suffix"], found["group"] or "", bool(found["lakh"]),
        found["decimal"] or ("," if found["group"] == "." else "."),
        fewest, most, bool(found["bracket"]), negative, len(found["whole"]),
        found["exponent"] or "",
    )  # fmt: skip


def parse_numbers(texts: Any, form: NumberFormat) -> Any:
    """Arrow array of floats for an arrow array of texts; null where a text does not have the form.

    Examples
    --------
    >>> import pyarrow as pa
    >>> parse_numbers(pa.array(["$5,075.29", "-$3.00", "5"]), parse_number_format("$#,##0.00")).to_pylist()
    [5075.29, -3.0, None]
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    fits = pc.match_substring_regex(texts, f"^(?:{_pattern(form)})$")
    below = pc.match_substring_regex(texts, f"^{_pattern_of(form, *form.negative)}$")
    plain = pc.if_else(fits, texts, pa.scalar(None, texts.type))
    for ends in (form.negative, (form.prefix, form.suffix)):
        plain = pc.replace_substring_regex(plain, f"^{re.escape(ends[0])}([0-9.,].*)$", r"\1") if ends[0] else plain
        plain = pc.replace_substring_regex(plain, f"^(.*[0-9]){re.escape(ends[1])}$", r"\1") if ends[1] else plain
    if form.group:
        plain = pc.replace_substring(plain, form.group, "")
    if form.decimal != ".":
        plain = pc.replace_substring(plain, form.decimal, ".")
    numbers = plain.cast(pa.float64())
    return pc.if_else(below, pc.negate(numbers), numbers)


def _pattern(form: NumberFormat) -> str:
    return f"{_pattern_of(form, form.prefix, form.suffix)}|{_pattern_of(form, *form.negative)}"


def _pattern_of(form: NumberFormat, before: str, after: str) -> str:
    return re.escape(before) + _body_pattern(form) + re.escape(after)


def _body_pattern(form: NumberFormat) -> str:
    """Pattern of the digits; any number of decimals may be read."""
    if form.exponent:
        return r"[0-9](?:\.[0-9]+)?(?:[eE][-+]?[0-9]{1,3})?"
    group = re.escape(form.group)
    pairs = rf"(?:[0-9]{{1,3}}|[0-9]{{1,2}}(?:{group}[0-9]{{2}})*{group}[0-9]{{3}})"
    triples = rf"(?:[0-9]{{1,3}}(?:{group}[0-9]{{3}})*|[1-9][0-9]{{3,}})"  # 1,234 beside 56789
    whole = r"[0-9]+" if not group else pairs if form.lakh else triples
    return rf"(?:{whole}(?:{re.escape(form.decimal)}[0-9]+)?|{re.escape(form.decimal)}[0-9]+)"


def format_numbers(numbers: Floats, form: NumberFormat) -> list[str]:
    """Texts of finite numbers, rounded to the decimals of the format.

    Examples
    --------
    >>> format_numbers(np.array([1234.5, -0.2]), parse_number_format("#.##0,00 €"))
    ['1.234,50 €', '-0,20 €']
    """
    return [_format_one(number, form) for number in np.asarray(numbers, dtype=np.float64).tolist()]


def _format_one(number: float, form: NumberFormat) -> str:
    if form.exponent:
        text = f"{abs(number):.{form.most}{form.exponent}}"
        before, after = form.negative if number < 0 else (form.prefix, form.suffix)
        return before + text + after
    whole, _, places = f"{abs(number):.{form.most}f}".partition(".")
    if form.whole_without and not places.strip("0"):
        places = ""
    else:
        places = places[: form.fewest] + places[form.fewest :].rstrip("0")
    is_below = number < 0 and (whole.strip("0") or places.strip("0"))
    whole = whole.zfill(form.whole)
    before, after = form.negative if is_below else (form.prefix, form.suffix)
    return before + _grouped(whole, form) + (form.decimal + places if places else "") + after


def _grouped(whole: str, form: NumberFormat) -> str:
    if not form.group or len(whole) <= 3:
        return whole
    if not form.lakh:
        return f"{int(whole):,}".replace(",", form.group)
    head, tail = whole[:-3], whole[-3:]
    pairs = [head[max(0, end - 2) : end] for end in range(len(head), 0, -2)][::-1]
    return form.group.join([*pairs, tail])


def infer_number_formats(texts: Any) -> list[NumberFormat]:
    """Formats in which all texts of an arrow array are numbers, the likeliest first; more than one if it is unclear.

    Examples
    --------
    >>> import pyarrow as pa
    >>> [form.picture for form in infer_number_formats(pa.array(["$5,075.29", "-$12.00"]))]
    ['$#,##0.00']
    >>> [form.picture for form in infer_number_formats(pa.array(["1,234", "12,500"]))]
    ['#,##0', '0,000']
    """
    import pyarrow.compute as pc

    parts = pc.extract_regex(texts, _AROUND)
    if len(texts) == 0 or parts.null_count:
        return []
    lead, body, tail = (pc.struct_field(parts, name) for name in ("lead", "body", "tail"))
    ends = _ends(set(zip(lead.to_pylist(), tail.to_pylist(), strict=True)))
    digits = pc.utf8_length(pc.replace_substring_regex(body, "[^0-9]", ""))
    is_code = pc.match_substring_regex(body, r"^0[0-9]")  # such as 007
    if ends is None or pc.max(digits).as_py() > MOST_DIGITS or pc.any(is_code).as_py():
        return []
    found = [_form_of(body, *marks) for marks in SEPARATORS] + [_form_of(body, ",", ".", lakh=True)]
    forms = [replace(form, prefix=ends[0], suffix=ends[1], negative=ends[2:]) for form in found if form is not None]
    return list(dict.fromkeys(forms))


def _ends(pairs: set[tuple[str, str]]) -> Any:
    """Prefix and suffix of positive numbers, then those of negative ones; None if they vary or are unknown."""
    above, below = [p for p in pairs if not _is_below(*p)], [p for p in pairs if _is_below(*p)]
    if len(above) > 1 or len(below) > 1:
        return None
    prefix, suffix = above[0] if above else (re.sub("[-−(]", "", below[0][0]), re.sub("[-−)]", "", below[0][1]))
    if prefix.strip(" +\u00a0") not in ("", *CURRENCIES):
        return None
    if suffix.strip() not in ("", *WHOLE, *CURRENCIES) and not _UNIT.fullmatch(suffix):
        return None
    return prefix, suffix, *(below[0] if below else (f"-{prefix}", suffix))


def _is_below(lead: str, tail: str) -> bool:
    for dashes in WHOLE:
        tail = tail.replace(dashes, "")
    return any(sign in lead + tail for sign in "-−") or ("(" in lead and ")" in tail)


def _form_of(body: Any, group: str, decimal: str, *, lakh: bool = False) -> NumberFormat | None:
    """Format of digits with these marks; None if they do not have it, or do without these marks."""
    import pyarrow.compute as pc

    form = NumberFormat(group=group, decimal=decimal, lakh=lakh)
    if not pc.all(pc.match_substring_regex(body, f"^{_body_pattern(form)}$")).as_py():
        return None
    if group and not pc.any(pc.match_substring_regex(body, _strict_group(form))).as_py():
        return None
    fraction = pc.struct_field(pc.extract_regex(body, rf"(?P<x>{re.escape(decimal)}[0-9]+)$"), "x")
    places = pc.utf8_length(fraction)
    counts = [count - 1 for count in pc.unique(pc.fill_null(places, 1)).to_pylist()]
    fewest, most = min(counts), max(counts)
    if most == 0:
        return form if (decimal == ".") != (group == ".") else None
    ends_in_zero = pc.any(pc.match_substring_regex(body, rf"{re.escape(decimal)}[0-9]*0$")).as_py()
    if sorted(counts) == [0, most] and ends_in_zero:
        return replace(form, fewest=most, most=most, whole_without=True)
    return replace(form, fewest=fewest, most=most)


def _strict_group(form: NumberFormat) -> str:
    """Pattern of a number that shows its groups; 0,123 shows none, and 1,234 shows no Indian ones."""
    group = re.escape(form.group)
    return rf"^[1-9][0-9]?{group}[0-9]{{2}}{group}" if form.lakh else rf"^[1-9][0-9]{{0,2}}{group}[0-9]{{3}}"
