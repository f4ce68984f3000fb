"""A project file ``janus.toml`` in; defaults of the options of every command out. Options on the command line win.

    model = "people.janus"                   # MODEL of all commands, and --out of janus fit
    schema = "schema.json"                   # or a table [schema.age] with low, high, levels, ...
    rules = ["experience <= age - 18"]       # or the name of a file with one rule per line
    structure = "edges.csv"                  # or auto, forest, ...; or edges [["age", "pay"], ...]
    seed = 0                                 # of every command that has this option; likewise jobs

    [settings]                               # further options of janus fit
    trees = 4

    [sample]                                 # options of one command
    rows = 500

Names of files are relative to the folder of the project file.
"""

from __future__ import annotations

import difflib
import json
import os
import tomllib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from janus_synth.errors import ProjectError

FILE_NAME = "janus.toml"
SHARED = ("seed", "jobs", "model")
"""Keys for every command that has such an option or argument."""
FOR_FIT = ("schema", "rules", "structure", "data")
TABLES = ("settings",)
LEARNERS = ("auto", "chain", "forest", "pc", "ges")
FILES = ("schema", "structure", "tiers", "data", "model", "rules", "out")
"""Keys whose texts may be names of files."""
Defaults = dict[str, dict[str, Any]]


def find_project(given: str | None) -> str | None:
    """Return the project file that is given, or that of the working directory; None if there is none."""
    if given is not None:
        if not os.path.isfile(given):
            raise FileNotFoundError(f"there is no project file {given}. Check the name.")
        return given
    return FILE_NAME if os.path.isfile(FILE_NAME) else None


def read_project(path: str) -> dict[str, Any]:
    """Read a project file."""
    try:
        return tomllib.loads(Path(path).read_text(encoding="utf-8-sig"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ProjectError(f"{path} is not valid TOML: {error}. Correct it.", file=path) from error


def project_defaults(path: str, commands: Mapping[str, Any]) -> Defaults:
    """Return the defaults that a project file gives, by command and parameter.

    Parameters
    ----------
    path : str
        The file.
    commands : mapping of str to command
        All commands, whose options and arguments may be named.
    """
    project = read_project(path)
    _check_keys(path, project, [*SHARED, *FOR_FIT, *TABLES, *commands], "key")
    shared = {key: project[key] for key in SHARED if key in project}
    for_fit = {key: project[key] for key in FOR_FIT if key in project}
    if "model" in shared:
        for_fit["out"] = shared["model"]
    found: Defaults = {}
    for name, command in commands.items():
        own = _table(path, project, name)
        if name == "fit":
            found[name] = _of_command(path, "fit", command, for_fit | shared, _table(path, project, "settings") | own)
        elif hasattr(command, "commands"):
            _check_keys(path, own, command.commands, f"command of janus {name}")
            found[name] = {
                inner: _of_command(path, f"{name} {inner}", one, shared, _table(path, own, inner))
                for inner, one in command.commands.items()
            }
        else:
            found[name] = _of_command(path, name, command, shared, own)
    return found


def _of_command(
    path: str, name: str, command: Any, shared: Mapping[str, Any], own: Mapping[str, Any]
) -> dict[str, Any]:  # fmt: skip
    """Defaults of one command: shared keys where it has such an option, and its own, all of which it must have."""
    known = _parameters(command)
    _check_keys(path, own, known, f"option of janus {name}")
    given = {key: value for key, value in {**shared, **own}.items() if key in known}
    return dict(_default(key, value, known, os.path.dirname(path)) for key, value in given.items())


def _table(path: str, project: Mapping[str, Any], name: str) -> dict[str, Any]:
    found = project.get(name, {})
    if not isinstance(found, dict):
        raise ProjectError(f"{path}: {name!r} is not a table. Write [{name}] and its options below.", file=path)
    return found


def _parameters(command: Any) -> dict[str, Any]:
    """Options and arguments of a command by the names that a project file may use."""
    named = {}
    for parameter in command.params:
        long = [option[2:] for option in parameter.opts if option.startswith("--")]
        for name in [*long, *([] if long else [parameter.name])]:
            named[name] = parameter
    return {name: parameter for name, parameter in named.items() if name not in ("help", "debug", "project")}


def _default(key: str, value: Any, known: Mapping[str, Any], folder: str) -> tuple[str, Any]:
    """Name of the parameter and its value, as the command line would give it."""
    parameter = known[key]
    if key == "rules" and isinstance(value, list):  # texts of rules, not files of them
        return str(known["rule"].name), value
    if key in FILES:
        value = [_join_folder(v, folder) for v in value] if _is_texts(value) and key != "structure" else value
        value = _join_folder(value, folder)
    if isinstance(value, dict) or (isinstance(value, list) and not parameter.multiple):
        value = json.dumps(value, ensure_ascii=False)
    if getattr(parameter, "multiple", False) and not isinstance(value, list):
        value = [value]
    return str(parameter.name), value if isinstance(value, bool | list) else str(value)


def _is_texts(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(item, str) for item in value)


def _join_folder(value: Any, folder: str) -> Any:
    """Name of a file relative to the working directory; anything else stays."""
    if not isinstance(value, str) or value in (*LEARNERS, "-") or os.path.isabs(value) or value[:1] in "{[":
        return value
    return os.path.join(folder, value)


def _check_keys(path: str, given: Iterable[str], known: Iterable[str], what: str) -> None:
    names = list(known)
    for key in given:
        if key not in names:
            close = difflib.get_close_matches(key, names, n=1)
            hint = f"Did you mean {close[0]!r}?" if close else f"There are {', '.join(sorted(names))}."
            raise ProjectError(f"{path}: {key!r} is no {what}. {hint}", file=path)
