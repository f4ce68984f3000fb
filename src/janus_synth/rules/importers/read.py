"""Any source of rules in, rules out: a file by its name, or a parsed object by what it holds."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from janus_synth.errors import RuleError, require_extra
from janus_synth.rules.importers.great_expectations import from_great_expectations
from janus_synth.rules.importers.imported import Imported, collect
from janus_synth.rules.importers.pandera import from_pandera
from janus_synth.rules.importers.sdv import from_sdv
from janus_synth.rules.importers.sql import from_sql
from janus_synth.rules.language.parse import as_rule
from janus_synth.rules.language.serialise import from_json

SUFFIXES = (".json", ".sql", ".yaml", ".yml")
"""Names of files that hold rules of other tools."""


def rules_from(source: Any) -> Imported:
    """Read rules of SDV, pandera, Great Expectations or SQL.

    Parameters
    ----------
    source : path, mapping, list, or object
        A file whose name ends in ``.json``, ``.yaml``, ``.yml`` or ``.sql``, what such a file holds once it is parsed,
        or a pandera schema.

    Returns
    -------
    Imported
        ``rules`` for ``Janus(rules=...)``, and ``skipped`` with the reason for each rule that could not be taken.

    Examples
    --------
    >>> found = rules_from([{"constraint_class": "Positive", "constraint_parameters": {"column_name": "age"}}])
    >>> print(found.rules[0])
    age is null or age >= 0
    """
    if isinstance(source, str | os.PathLike):
        return _from_file(Path(source))
    if isinstance(source, Mapping):
        return _from_mapping(source)
    if isinstance(source, list | tuple):
        return _from_list(list(source))
    if hasattr(source, "columns") and hasattr(source, "checks"):
        return from_pandera(source)
    if isinstance(source, type) and hasattr(source, "to_schema"):
        return from_pandera(source)
    if hasattr(source, "to_json_dict"):
        return from_great_expectations(source)
    raise RuleError(f"{type(source).__name__} holds no rules that are known. {KNOWN}")


KNOWN = "Give constraints of SDV, a pandera schema, an expectation suite, or CHECK clauses of SQL."


def _from_file(path: Path) -> Imported:
    try:
        text = path.read_text(encoding="utf-8-sig")
    except FileNotFoundError as error:
        raise FileNotFoundError(f"there is no file {path}. Check the name.") from error
    match path.suffix.lower():
        case ".sql":
            return from_sql(text)
        case ".yaml" | ".yml":
            return rules_from(require_extra("yaml", "rules", purpose="reading rules from YAML").safe_load(text))
        case ".json":
            try:
                return rules_from(json.loads(text))
            except json.JSONDecodeError as error:
                raise RuleError(f"{path} is not valid JSON: {error}. Correct it.") from error
    raise RuleError(f"{path} is none of {', '.join(SUFFIXES)}. {KNOWN}")


def _from_mapping(values: Mapping[str, Any]) -> Imported:
    if "expectations" in values:
        return from_great_expectations(values)
    if isinstance(values.get("columns"), Mapping):
        return from_pandera(values)
    if isinstance(values.get("rules"), list):
        return _from_list(values["rules"])
    if "node" in values:
        return _from_list([values])
    if {"constraints", "patterns", "constraint_class", "class_name"} & set(values):
        return from_sdv(values)
    raise RuleError(f"an object with {', '.join(map(repr, list(values)[:5]))} holds no rules that are known. {KNOWN}")


def _from_list(entries: list[Any]) -> Imported:
    if entries and all(isinstance(entry, str) for entry in entries):
        return collect((entry, lambda entry=entry: as_rule(entry)) for entry in entries)  # type: ignore[misc]
    if entries and all(isinstance(entry, Mapping) and "node" in entry for entry in entries):
        return collect((str(entry), lambda entry=entry: from_json(entry)) for entry in entries)  # type: ignore[misc]
    if entries and all(isinstance(e, Mapping) and ("expectation_type" in e or "kwargs" in e) for e in entries):
        return from_great_expectations({"expectations": entries})
    return from_sdv(entries)
