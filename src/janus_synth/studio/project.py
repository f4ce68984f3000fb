"""A folder in; the state of a studio project out, written back completely at every change.

    janus.toml      what the commands need, so that `janus fit` and `janus sample` repeat what the page did
    studio.json     the state: name of the data, corrected columns, kept rules, edges, questions, rows set aside
    data-1.csv      the table as it was given
    overview.json   what the page shows of it
    model.janus     the fitted model
    rows-3.parquet  rows of the third question
    compared-3.*    how they compare with rows set aside: numbers for the page (JSON), and the full report (HTML)
    effect.json     the effect that was estimated last
    planted.*       the bias that was planted last: audits (JSON), certificate (HTML), rows (CSV)
    studio.lock     held while a server runs on the folder

Every file is replaced atomically, so that a server killed at any moment leaves a project that opens again.
"""

from __future__ import annotations

import json
import re
import threading
import time
import tomllib
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from pathlib import Path
from typing import Any

from janus_synth.errors import ProjectError
from janus_synth.files import write_whole

MARK = "# Written by janus studio; remove this line to keep your own changes."
MODEL = "model.janus"
DATA_NAME = re.compile(r"data-\d+\.(csv|csv\.gz|tsv|parquet|arrow)")
MOST_REQUESTS = 200
ENDINGS = ("json", "html")
"""Files of a comparison."""
LEFTOVER_SECONDS = 86_400


@dataclass(frozen=True, slots=True)
class State:
    """What a project knows: the table, how it is read, rules, edges, and the questions that were asked."""

    data: str | None = None
    title: str = ""
    schema: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    rules: tuple[str, ...] = ()
    required: tuple[tuple[str, str], ...] = ()
    forbidden: tuple[tuple[str, str], ...] = ()
    seed: int = 0
    fitted: bool = False
    fits: int = 0
    """How often the table was learnt; questions remember it."""
    held_out: Mapping[str, Any] | None = None
    """Share and seed of the rows that the model has not seen; None if it was learnt from all rows."""
    vouched: tuple[tuple[str, str], ...] | None = None
    """Edges of the graph that a person vouched for; another graph is not meant."""
    requests: tuple[Mapping[str, Any], ...] = ()
    version: int = 0

    def __post_init__(self) -> None:
        if self.data is not None and not DATA_NAME.fullmatch(self.data):
            raise ValueError(f"{self.data!r} is not the name of a data file of a project.")

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> State:
        """Read plain values; keys of later versions are left out."""
        known = {one.name for one in fields(cls)}
        given = {name: value for name, value in values.items() if name in known}
        for name in ("required", "forbidden"):
            given[name] = tuple((str(parent), str(child)) for parent, child in given.get(name, ()))
        for name in ("rules", "requests"):
            given[name] = tuple(given.get(name, ()))
        if given.get("vouched") is not None:
            given["vouched"] = tuple((str(parent), str(child)) for parent, child in given["vouched"])
        return cls(**given)


class Project:
    """A folder with the state of one studio.

    Parameters
    ----------
    folder : path
        The folder; it is made if there is none.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = Project(folder).change(rules=("age >= 18",))
    ...     print(Project(folder).state.rules)
    ('age >= 18',)
    """

    def __init__(self, folder: str | Path) -> None:
        self.folder = Path(folder)
        self.folder.mkdir(parents=True, exist_ok=True)
        self._lock = threading.RLock()
        self.state = self._read()
        self._remove_leftovers()

    @property
    def model(self) -> Path:
        """The model file, which exists once a fit has ended."""
        return self.folder / MODEL

    @property
    def overview(self) -> Path:
        """The file with what the page shows of the table."""
        return self.folder / "overview.json"

    def data(self, name: str | None = None) -> Path:
        """The data file of the state, or that of a name."""
        return self.folder / (name or self.state.data or "")

    def rows(self, number: int) -> Path:
        """The file with the rows of a question."""
        return self.folder / f"rows-{int(number)}.parquet"

    def compared(self, number: int, ending: str) -> Path:
        """The file with the comparison of a question's rows, ``json`` or ``html``."""
        return self.folder / f"compared-{int(number)}.{ending}"

    def answer(self, name: str) -> Path:
        """The file with the last answer of a view, such as ``effect.json``."""
        return self.folder / name

    def next_data(self, suffix: str) -> str:
        """Name for a new data file, which no file has."""
        number = 1
        while any(self.folder.glob(f"data-{number}.*")):
            number += 1
        return f"data-{number}{suffix}"

    def change(self, **changes: Any) -> State:
        """Replace parts of the state, and write it."""
        with self._lock:
            self.state = replace(self.state, **changes, version=self.state.version + 1)
            write_whole(self.folder / "studio.json", json.dumps(asdict(self.state), ensure_ascii=False, indent=1))
            self._write_toml()
            return self.state

    def add_request(self, request: Mapping[str, Any]) -> dict[str, Any]:
        """Number a question, and add it to the list; beyond 200 the oldest are forgotten, with their rows."""
        with self._lock:
            number = max((int(one["number"]) for one in self.state.requests), default=0) + 1
            numbered = {"number": number, **request}
            kept = (*self.state.requests, numbered)
            for old in kept[:-MOST_REQUESTS]:
                for path in (self.rows(old["number"]), *(self.compared(old["number"], end) for end in ENDINGS)):
                    path.unlink(missing_ok=True)
            self.change(requests=kept[-MOST_REQUESTS:])
            return numbered

    def request(self, number: int) -> Mapping[str, Any] | None:
        """The question of a number; None if there is none."""
        return next((one for one in self.state.requests if one["number"] == number), None)

    def _remove_leftovers(self) -> None:
        """Remove unfinished files of a server that was killed, once they are a day old."""
        for path in self.folder.glob(".*.part*"):
            if path.is_file() and time.time() - path.stat().st_mtime > LEFTOVER_SECONDS:
                path.unlink(missing_ok=True)

    def _read(self) -> State:
        path = self.folder / "studio.json"
        if not path.exists():
            return self._read_toml()
        try:
            return State.from_dict(json.loads(path.read_text(encoding="utf-8")))
        except (ValueError, TypeError, AttributeError) as error:
            message = f"{path} cannot be read: {error}. Remove it to begin anew with the data and the model beside it."
            raise ProjectError(message, file=str(path)) from error

    def _read_toml(self) -> State:
        """State of a folder that only the command line has used so far: rules and schema of its project file."""
        path = self.folder / "janus.toml"
        if not path.exists():
            return State(fitted=self.model.exists())
        try:
            given = tomllib.loads(path.read_text(encoding="utf-8-sig"))
        except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
            raise ProjectError(f"{path} is not valid TOML: {error}. Correct it.", file=str(path)) from error
        rules, schema = given.get("rules"), given.get("schema")
        return State(
            rules=tuple(rules) if isinstance(rules, list) else (),
            schema=schema if isinstance(schema, dict) else {},
            fitted=self.model.exists(),
        )

    def _write_toml(self) -> None:
        """Write the project file, unless a person wrote it."""
        path = self.folder / "janus.toml"
        if path.exists() and not path.read_text(encoding="utf-8", errors="replace").startswith(MARK):
            return
        lines = [MARK, f"model = {_toml(MODEL)}", f"seed = {self.state.seed}"]
        lines += [f"data = {_toml(self.state.data)}"] if self.state.data else []
        lines += [f"rules = {_toml(list(self.state.rules))}"] if self.state.rules else []
        if self.state.schema:
            write_whole(self.folder / "schema.json", json.dumps(self.state.schema, ensure_ascii=False, indent=1))
            lines.append('schema = "schema.json"')
        write_whole(path, "\n".join(lines) + "\n")


def _toml(value: Any) -> str:
    """Write texts and lists of texts as TOML, whose strings are those of JSON except for one character."""
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
