"""Arrow tables to CSV text as people write it: quotes only where needed, 1.0 for a float, ISO moments.

pyarrow's own writer quotes every text and header and turns the float 1.0 into 1, which reads back as an integer.
"""

from __future__ import annotations

from typing import Any


def csv_header(names: list[str], delimiter: str) -> bytes:
    """First line of the file."""
    import pyarrow as pa

    texts = _quoted(pa.array(names, pa.large_string()), delimiter).to_pylist()
    return (delimiter.join(texts) + "\n").encode()


def csv_lines(table: Any, delimiter: str) -> bytes:
    r"""One line per row; an empty field is null.

    Examples
    --------
    >>> import pyarrow as pa
    >>> csv_lines(pa.table({"x": [1.0, None], "name": ["Ann, Bob", "Eve"]}), ",")
    b'1.0,"Ann, Bob"\n,Eve\n'
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    if not table.num_rows:
        return b""
    columns = [_fields(column.combine_chunks(), delimiter) for column in table.columns]
    # A line with nothing on it would be skipped by every reader.
    columns = [column.fill_null('""' if len(columns) == 1 else "") for column in columns]
    lines = pc.binary_join_element_wise(*columns, pa.scalar(delimiter, pa.large_string()))
    return ("\n".join(lines.to_pylist()) + "\n").encode()


def _fields(array: Any, delimiter: str) -> Any:
    import pyarrow as pa

    types = pa.types
    if types.is_dictionary(array.type):
        array = array.cast(array.type.value_type)
    if types.is_floating(array.type):
        return _with_point(_texts(array))
    if types.is_timestamp(array.type):
        return _without_zeros(_texts(array))
    if types.is_primitive(array.type) or types.is_decimal(array.type):
        return _texts(array)
    return _quoted(_texts(array), delimiter)


def _texts(array: Any) -> Any:
    import pyarrow as pa

    try:
        return array.cast(pa.large_string())
    except pa.ArrowNotImplementedError:
        return pa.array([None if cell is None else str(cell) for cell in array.to_pylist()], pa.large_string())


def _with_point(texts: Any) -> Any:
    import pyarrow as pa
    import pyarrow.compute as pc

    zero, point = (pa.scalar(text, pa.large_string()) for text in ("0", "."))
    whole = pc.match_substring_regex(texts, r"^-?\d+$")
    return pc.if_else(whole, pc.binary_join_element_wise(texts, zero, point), texts)


def _without_zeros(texts: Any) -> Any:
    """Drop the end of a fraction of a second that says nothing."""
    import pyarrow.compute as pc

    zone = r"(Z|[+-]\d{2}:?\d{2})?$"
    shorter = pc.replace_substring_regex(texts, rf"(\.\d*?)0+{zone}", r"\1\2")
    return pc.replace_substring_regex(shorter, rf"\.{zone}", r"\1")


def _quoted(texts: Any, delimiter: str) -> Any:
    import pyarrow as pa
    import pyarrow.compute as pc

    nothing, quote = (pa.scalar(text, pa.large_string()) for text in ("", '"'))
    doubled = pc.replace_substring(texts, '"', '""')
    needed = pc.match_substring_regex(texts, rf'["\r\n{delimiter}]|^$')
    return pc.if_else(needed, pc.binary_join_element_wise(nothing, doubled, nothing, quote), texts)
