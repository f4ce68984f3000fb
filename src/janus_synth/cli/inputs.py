"""Text and small files that users write, and model files, in; Python values and loaded models out."""

from __future__ import annotations

import glob
import json
import os
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from janus_synth.errors import RuleError

if TYPE_CHECKING:
    from janus_synth.janus import Janus


def load_model(path: str, *, jobs: int | None = None, trust_graph: bool = False) -> Janus:
    """Load a model file, and apply ``--jobs`` and ``--trust-graph``."""
    from janus_synth.janus import Janus

    model = Janus.load(path)
    if jobs is not None:
        model.set_params(n_jobs=jobs)
    return model.set_params(trust_graph=True) if trust_graph else model


def is_json(text: str) -> bool:
    """Whether a text is meant as JSON, not as the name of a file.

    Examples
    --------
    >>> is_json('{"age": {"low": 0}}'), is_json("schema.json")
    (True, False)
    """
    return text.lstrip().startswith(("{", "["))


def read_json(path: str) -> Any:
    """Read a JSON file, or JSON text."""
    text = path if is_json(path) else read_text(path)
    try:
        return json.loads(text)
    except ValueError as error:
        raise ValueError(f"{path} is not valid JSON: {error}. Correct it.") from error


def read_schema(path: str) -> Any:
    """Read a whole ``Schema``, or changes per column."""
    from janus_synth.table import Schema

    values = read_json(path)
    if not isinstance(values, dict):
        raise ValueError(
            f'{path} does not hold a schema. Write an object such as {{"age": {{"low": 0, "high": 120}}}}.'
        )
    return Schema.from_dict(values) if isinstance(values.get("columns"), list) else values


def is_source_path(path: str) -> bool:
    """Whether a path is a folder or a pattern of several files, which are read file by file.

    Examples
    --------
    >>> is_source_path("parts/*.parquet"), is_source_path("people.csv")
    (True, False)
    """
    return os.path.isdir(path) or (not os.path.exists(path) and glob.has_magic(path))


def is_folder_output(path: str) -> bool:
    """Whether rows go to a folder: its name ends with a slash, or it exists.

    Examples
    --------
    >>> is_folder_output("rows/"), is_folder_output("rows.csv")
    (True, False)
    """
    return path.endswith(("/", os.sep)) or os.path.isdir(path)


def parse_count(text: str | int) -> int:
    """Read a number of rows: ``1000``, ``1_000`` or ``1e9``; a default or a project file gives a number."""
    try:
        number = float(str(text).replace("_", ""))
    except ValueError:
        number = -1.0
    if not (number >= 0 and number.is_integer()):
        raise typer.BadParameter(f"{text!r} is not a number of rows. Write a whole number such as 1000 or 1e9.")
    return int(number)


def read_text(path: str) -> str:
    """Read a small text file."""
    try:
        return Path(path).read_text(encoding="utf-8-sig")
    except FileNotFoundError as error:
        raise FileNotFoundError(f"there is no file {path}. Check the name.") from error
    except UnicodeDecodeError as error:
        raise ValueError(f"{path} is not UTF-8 text. Save it as UTF-8.") from error


def read_rules(path: str) -> list[str]:
    """Read a file with one rule per line; what follows a # outside of quotes is a comment.

    A file whose name ends in .json, .yaml, .yml or .sql holds rules of another tool.
    """
    from janus_synth.rules import parse_rule
    from janus_synth.rules.importers.read import SUFFIXES

    if Path(path).suffix.lower() in SUFFIXES:
        return _read_imported_rules(path)
    found = []
    for number, line in enumerate(read_text(path).splitlines(), 1):
        text = strip_comment(line)
        if text and text != "discover":
            try:
                parse_rule(text)
            except RuleError as error:
                problem = f"{path}, line {number}: {error.problem}"
                raise RuleError(problem, rule=error.rule, position=error.position) from error
        found += [text] if text else []
    if not found:
        raise ValueError(f"{path} holds no rules. Write one per line.")
    return found


def _read_imported_rules(path: str) -> list[str]:
    """Read rules of another tool, and report those that could not be taken."""
    from janus_synth.cli.output import print_message
    from janus_synth.rules import rules_from

    found = rules_from(path)
    for skipped in found.skipped:
        print_message("skipped", f"{path}: {skipped}")
    if not found.rules:
        raise ValueError(f"{path} holds no rules that can be taken.")
    return [str(rule) for rule in found.rules]


def strip_comment(line: str) -> str:
    """Remove a comment; a # in a quoted text or name is none.

    Examples
    --------
    >>> strip_comment("age >= 18  # adults"), strip_comment("`no. #` > 3 and city != '#1'")
    ('age >= 18', "`no. #` > 3 and city != '#1'")
    """
    quote = ""
    for at, sign in enumerate(line):
        if sign == "#" and not quote:
            return line[:at].strip()
        if sign in "'\"`":
            quote = "" if sign == quote else quote or sign
    return line.strip()


def split_names(texts: Sequence[str], known: Collection[str]) -> list[str]:
    """Split lists of names at commas, unless a comma belongs to a known name; each name once.

    Examples
    --------
    >>> split_names(["age, bonus", "a,b"], {"age", "bonus", "a,b"})
    ['age', 'bonus', 'a,b']
    """
    parts = [part for text in texts for part in ([text] if text in known else text.split(","))]
    return list(dict.fromkeys(part if part in known else part.strip() for part in parts))
