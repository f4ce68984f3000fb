"""Arrow schemas of many partitions in; the types that hold all of them, and which partitions go with them, out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from janus_synth.errors import DataError
from janus_synth.partitions.bad_files import BadFiles, BadPartitionError
from janus_synth.partitions.coded_text import are_mixed_text


def common_schema(partitions: Sequence[tuple[str, Any]], bad: BadFiles) -> tuple[Any, list[int]]:
    """Types that hold the columns of all partitions, and the positions of those that have these columns.

    ``partitions`` are names and schemas. Partitions are compared with the first; if bad ones are left out, with the
    first of those with the most frequent schema, so that one bad partition at the start does no harm.
    """
    texts = [_text(schema) for _, schema in partitions]
    start = texts.index(Counter(texts).most_common(1)[0][0]) if bad.skips else 0
    first, common = partitions[start]
    fitting = []
    for i, (label, schema) in enumerate(partitions):
        try:
            common = _widen_types(common, first, label, schema)
        except BadPartitionError as error:
            bad.handle(error)
        else:
            fitting.append(i)
    if not fitting:
        raise DataError("no two partitions have the same columns. Check how they were written.")
    return common.remove_metadata(), fitting


def _widen_types(common: Any, first: str, label: str, schema: Any) -> Any:
    """Types that also hold the columns of another partition."""
    import pyarrow as pa

    lacking = [name for name in common.names if name not in schema.names]
    new = [name for name in schema.names if name not in common.names]
    if lacking or new:
        also = f"has {', '.join(map(repr, new))}" if lacking else f"also has {', '.join(map(repr, new))}"
        what = [f"lacks {', '.join(map(repr, lacking))}"] * bool(lacking) + [also] * bool(new)
        raise BadPartitionError(label, f"{' and '.join(what)}, unlike {first}", "Give files with the same columns.")
    mixed = {name for name in common.names if are_mixed_text(common.field(name).type, schema.field(name).type)}
    try:
        schemas = [_with_text(common, mixed), _with_text(schema, mixed)]
        return pa.unify_schemas(schemas, promote_options="permissive")
    except pa.ArrowException as error:
        reason = f"has other types than {first}: {one_line(error)}"
        raise BadPartitionError(label, reason, "Write all files with the same types.") from error


def _with_text(schema: Any, names: set[str]) -> Any:
    """The schema with text in the place of some dictionaries."""
    import pyarrow as pa

    kinds = {field.name: field.type for field in schema}
    plain = {name: kinds[name].value_type for name in names if pa.types.is_dictionary(kinds[name])}
    return pa.schema([field.with_type(plain.get(field.name, field.type)) for field in schema], schema.metadata)


def _text(schema: Any) -> str:
    return str(sorted((field.name, str(field.type)) for field in schema))


def one_line(error: BaseException) -> str:
    """Message of an error of another library in one line."""
    return " ".join(str(error).split())[:300].rstrip(".")
