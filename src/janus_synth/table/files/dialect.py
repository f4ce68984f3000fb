"""The first bytes of a CSV file in; its encoding, its delimiter and how it escapes quotes out.

The encoding is UTF-8, UTF-16 with or without a byte order mark, or else Windows-1252, which extends Latin-1.
"""

from __future__ import annotations

import codecs
import re
import warnings
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from janus_synth.errors import DataError

SAMPLE = 1 << 16
"""Bytes that are looked at."""
OTHERS = (";", "\t", "|")
"""Delimiters beside the usual one of the format, the likeliest first."""
MOST_LINES = 20
WINDOWS = "cp1252"
_MARKS = ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16"))
_SEPARATOR = re.compile(r'"?sep=(?P<mark>[;,|\t])"?\s*')
_DOUBLED = re.compile(r'(?<![\\,;|\t\r\n])""')
_ESCAPED = re.compile(r'\\"(?![,;|\t\r\n]|$)')


@dataclass(frozen=True, slots=True)
class Dialect:
    """How a file is written."""

    delimiter: str
    encoding: str = "utf-8"
    escaped: bool = False
    """Whether quotes inside of texts have a backslash, instead of being doubled."""
    skipped: int = 0
    """Lines before the header: comments, or a hint such as ``sep=;``."""

    @property
    def parse_options(self) -> Any:
        """Options of Arrow's reader."""
        import pyarrow.csv as csv

        escape = "\\" if self.escaped else False
        return csv.ParseOptions(delimiter=self.delimiter, escape_char=escape, newlines_in_values=True)

    def read_options(self, **others: Any) -> Any:
        """Options of Arrow's reader, together with ``others`` such as ``use_threads``."""
        import pyarrow.csv as csv

        return csv.ReadOptions(encoding=self.encoding, skip_rows=self.skipped, **others)

    def in_windows_1252(self, name: str) -> Dialect:
        """The dialect for a file that turns out not to be UTF-8."""
        if self.encoding == WINDOWS:
            raise DataError(f"{name}: its texts are neither UTF-8 nor Windows-1252. Save the file as UTF-8.")
        _warn_of_encoding(name)
        return replace(self, encoding=WINDOWS)


def find_dialect(opened: Callable[[], Any], usual: str, name: str) -> Dialect:
    r"""Dialect of a file that can be opened again and again.

    Parameters
    ----------
    opened : callable
        Opens the file as a stream of bytes.
    usual : str
        Delimiter of the format.
    name : str
        What the file is called in messages.

    Examples
    --------
    >>> import io
    >>> find_dialect(lambda: io.BytesIO("a;b\n1,5;2".encode("utf-16")), ",", "a.csv")
    Dialect(delimiter=';', encoding='utf-16', escaped=False, skipped=0)
    """
    start = opened().read(SAMPLE)
    encoding = _encoding_of(start)
    if encoding == WINDOWS:
        _warn_of_encoding(name)
    text = start.decode(encoding, errors="ignore").lstrip("\ufeff")
    if len(start) == SAMPLE:  # the last line may be cut
        text = text.rpartition("\n")[0] or text
    lines = text.splitlines()
    hint = _SEPARATOR.fullmatch(lines[0]) if lines else None
    escaped = bool(_ESCAPED.search(text)) and not _DOUBLED.search(text)
    if hint is not None:
        return Dialect(hint["mark"], encoding, escaped, 1)
    skipped = _comments(lines, (usual, *OTHERS))
    return Dialect(_delimiter(lines[skipped:], usual), encoding, escaped, skipped)


def _comments(lines: list[str], marks: tuple[str, ...]) -> int:
    """How many lines before the header begin with #; the last of them may be the header itself: #id,name."""
    n_lines = next((i for i, line in enumerate(lines) if line.strip() and not line.startswith("#")), 0)
    if not any(line.startswith("#") for line in lines[:n_lines]):
        return 0
    last, following = lines[n_lines - 1], lines[n_lines]
    is_header = any(last.count(mark) == following.count(mark) > 0 for mark in marks)
    return n_lines - 1 if is_header else n_lines


def _encoding_of(start: bytes) -> str:
    for mark, encoding in _MARKS:
        if start.startswith(mark):
            return encoding
    if b"\0" in start[:200]:  # every other byte of plain letters
        return "utf-16-le" if start[1:2] == b"\0" else "utf-16-be" if start[:1] == b"\0" else "utf-8"
    try:
        codecs.getincrementaldecoder("utf-8")().decode(start)  # a character may be cut at the end
    except UnicodeDecodeError:
        return WINDOWS
    return "utf-8"


def _delimiter(lines: list[str], usual: str) -> str:
    """The usual delimiter if the header has it outside of quotes and as often as the next lines; or another one."""
    plain = [re.sub(r'"[^"]*"', "", line) for line in lines[:MOST_LINES]]
    counts = {mark: [line.count(mark) for line in plain if line.strip()] for mark in (usual, *OTHERS)}
    steady = [mark for mark, found in counts.items() if found and found[0] > 0 and set(found) == {found[0]}]
    seen = [mark for mark, found in counts.items() if found and found[0] > 0]
    if usual in steady or (usual in seen and not steady):
        return usual
    return (steady or seen or [usual])[0]


def _warn_of_encoding(name: str) -> None:
    warnings.warn(
        f"{name} is not UTF-8 and is read as Windows-1252 (Latin-1). If letters with accents look wrong, save it as "
        "UTF-8.",
        stacklevel=2,
    )
