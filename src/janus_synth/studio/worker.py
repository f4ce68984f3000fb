"""A process of its own that reads or learns a table: a task as a line of JSON in; lines of JSON out.

Lines hold ``progress``, and at the end ``done`` or ``error``. Reading and learning run here, under limits of memory and
time, so that the page answers meanwhile and a task can be cancelled by ending its process. The process ends when its
standard input is closed: a task does not outlive the server.
"""

from __future__ import annotations

import json
import os
import sys
import threading
import time
import warnings
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, TextIO

from janus_synth.errors import DataError, JanusError
from janus_synth.files import write_whole
from janus_synth.progress import report_progress_to
from janus_synth.studio.comparison import compare_rows, divide_rows
from janus_synth.studio.interventions import estimate_effect
from janus_synth.studio.limits import check_inflated, limit_process
from janus_synth.studio.planting import plant_and_audit

Tell = Callable[[dict[str, Any]], None]
DEMO_ROWS = 2_000
LEAST_PAUSE = 0.1
"""Seconds between two messages of progress."""
MOST_RELATIONS = 60


def run(task: dict[str, Any], tell: Tell) -> None:
    """Run one task, and tell of its progress and its end."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # what they say is among the alerts
            TASKS[task["task"]](task, _sparing(tell))
    except MemoryError:
        tell({"error": "the table needs more memory than the studio may use. Take fewer rows, or use janus fit."})
    except (JanusError, ValueError, OSError) as error:
        tell({"error": str(error)})
    else:
        tell({"done": True})


def read_data(task: dict[str, Any], tell: Tell) -> None:
    """Read an uploaded table, write it under its name in the project, and an overview of it."""
    source, target = Path(task["source"]), Path(task["target"])
    tell({"progress": ["checking the file", 0, None]})
    check_inflated(source, task["suffix"])
    tell({"progress": ["reading the table", 0, None]})
    if task["suffix"] == ".xlsx":
        _workbook_to_parquet(source, target)
        source.unlink()
    else:
        _read(source, task["suffix"])
        os.replace(source, target)
    look_at_data({**task, "data": str(target)}, tell)


def write_demo(task: dict[str, Any], tell: Tell) -> None:
    """Write the demo table and an overview of it."""
    from janus_synth import datasets
    from janus_synth.table.files import write_frame

    write_frame(datasets.hiring(DEMO_ROWS, random_state=0), task["target"])
    look_at_data({**task, "data": task["target"]}, tell)


def look_at_data(task: dict[str, Any], tell: Tell) -> None:
    """Write an overview of the project's table: columns, alerts and relations."""
    from janus_synth.profile import profile_frame
    from janus_synth.relations import discover
    from janus_synth.studio.answers import describe_data
    from janus_synth.table import read_table

    tell({"progress": ["looking at the columns", 0, None]})
    frame, schema = _read(Path(task["data"])), task["schema"] or None
    found = profile_frame(frame, schema=schema)
    tell({"progress": ["looking for rules", 0, None]})
    relations = discover(frame, schema=schema)[:MOST_RELATIONS]
    overview = describe_data(found, read_table(frame, schema).schema, relations)
    write_whole(task["overview"], json.dumps(overview, ensure_ascii=False))


def fit_model(task: dict[str, Any], tell: Tell) -> None:
    """Learn the project's table, and save the model."""
    from janus_synth import Janus

    tell({"progress": ["reading the table", 0, None]})
    frame, _ = divide_rows(_read(Path(task["data"])), task.get("held_out"))
    model = Janus(
        schema=task["schema"] or None,
        rules=task["rules"] or None,
        required=[tuple(edge) for edge in task["required"]],
        forbidden=[tuple(edge) for edge in task["forbidden"]],
        random_state=task["seed"],
    )
    with report_progress_to(lambda label, done, total: tell({"progress": [label, done, total]})):
        model.fit(frame)
    tell({"progress": ["saving the model", 0, None]})
    model.save(task["model"])


def _read(path: Path, suffix: str | None = None) -> Any:
    from janus_synth.table.files import read_frame

    formats = {".csv.gz": "csv", ".csv": "csv", ".tsv": "tsv", ".parquet": "parquet", ".arrow": "arrow"}
    if suffix is None or path.name.endswith(suffix):
        return read_frame(path)
    return read_frame(path, formats[suffix])


TASKS: dict[str, Callable[[dict[str, Any], Tell], None]] = {
    "read": read_data,
    "demo": write_demo,
    "look": look_at_data,
    "fit": fit_model,
    "compare": partial(compare_rows, read=_read),
    "effect": partial(estimate_effect, read=_read),
    "plant": plant_and_audit,
}


def _workbook_to_parquet(source: Path, target: Path) -> None:
    """Write the first sheet of a workbook as Parquet."""
    import pandas as pd

    from janus_synth.table.files import write_frame

    try:
        frame = pd.read_excel(source, engine="openpyxl")
    except (KeyError, TypeError, AttributeError, IndexError, SyntaxError) as error:
        raise DataError("this is not a readable Excel workbook. Save it anew as .xlsx, or as CSV.") from error
    frame.columns = [str(name) for name in frame.columns]
    write_frame(frame, target)


def _sparing(tell: Tell) -> Tell:
    """Tell of steps of the same work at most ten times a second."""
    last: list[Any] = ["", 0.0]

    def sparing(message: dict[str, Any]) -> None:
        label, done, total = message["progress"]
        now = time.monotonic()
        if label != last[0] or now - last[1] >= LEAST_PAUSE or done == total:
            last[:] = [label, now]
            tell(message)

    return sparing


def _end_with(stream: TextIO) -> None:
    """End this process once a stream is closed, which happens when the server ends in any way."""
    stream.read()
    os._exit(1)


def main() -> None:
    """Run the task of the first line of standard input."""
    out = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # what libraries print is not a message
    limit_process()
    task = json.loads(sys.stdin.readline())
    threading.Thread(target=_end_with, args=(sys.stdin,), daemon=True).start()
    lock = threading.Lock()

    def tell(message: dict[str, Any]) -> None:
        with lock:
            out.write(json.dumps(message, ensure_ascii=False) + "\n")
            out.flush()

    run(task, tell)
    out.close()
    os._exit(0)  # the thread still waits on standard input


if __name__ == "__main__":
    main()
