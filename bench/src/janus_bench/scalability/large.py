"""Tables larger than memory: a number of rows in; time and memory of writing, fitting and counting them out.

``python -m janus_bench.scalability.large 50e6`` writes that many rows to a folder, fits them from there, and prints a
table. Every step runs in a process of its own, so that its memory can be told.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path
from time import perf_counter, process_time
from typing import Any

from janus_bench.fresh import peak_mib
from janus_bench.tables import read_named, table_names

ROWS = 5_000_000
IN_MEMORY_ROWS = 1_000_000


def learn(model: str, table: str) -> dict[str, Any]:
    """Fit a table that fits in memory, enlarged to a million rows, and time it."""
    from janus_bench.tables.sizes import enlarge
    from janus_synth import Janus

    frame = enlarge(read_named(table).frame, IN_MEMORY_ROWS, seed=0)
    start = perf_counter()
    fitted = Janus(random_state=0).fit(frame, progress=False)
    seconds = perf_counter() - start
    fitted.save(model)
    return {"rows": IN_MEMORY_ROWS, "seconds": seconds}


def write(model: str, folder: str, n: str, workers: str = "0") -> dict[str, Any]:
    """Write rows to a folder, with threads or with workers of a cluster."""
    from janus_synth import Janus

    loaded = Janus.load(model)
    with _client(int(workers)) as client:
        start = perf_counter()
        loaded.sample_to(folder, int(n), random_state=1, client=client, progress=False)
        return {"rows": int(n), "seconds": perf_counter() - start}


def fit(folder: str, workers: str = "0") -> dict[str, Any]:
    """Fit a folder, with threads or with workers of a cluster."""
    from janus_synth import Janus

    with _client(int(workers)) as client:
        start = perf_counter()
        fitted = Janus(random_state=0).fit(folder, client=client, progress=False)
        return {"rows": fitted.n_rows_, "seconds": perf_counter() - start}


def group_by(folder: str) -> dict[str, Any]:
    """Let DuckDB read all columns of the folder and group the rows by two of them."""
    import duckdb
    import pyarrow.dataset as ds

    names = ds.dataset(folder).schema.names
    measures = ", ".join(f"count(distinct hash({_quoted(name)}) % 256)" for name in names[2:])
    keys = f"{_quoted(names[-1])}, {_quoted(names[-2])}"
    start = perf_counter()
    query: Any = f"select count(*), {keys}, {measures} from '{folder}/*.parquet' group by {keys}"
    groups: list[Any] = duckdb.connect().execute(query).fetchall()
    return {"rows": sum(group[0] for group in groups), "seconds": perf_counter() - start}


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _client(workers: int) -> Any:
    """Client of a cluster of processes on this machine with a thread each, or none."""
    if not workers:
        return nullcontext()
    import distributed

    options = {"threads_per_worker": 1, "dashboard_address": None, "host": "127.0.0.1"}
    cluster: Any = distributed.LocalCluster
    client: Any = distributed.Client
    return client(cluster(n_workers=workers, **options))


STEPS: dict[str, Callable[..., dict[str, Any]]] = {"learn": learn, "write": write, "fit": fit, "group-by": group_by}


def run(step: str, *arguments: object) -> dict[str, Any]:
    """Run one of `STEPS` in a new process."""
    command = [sys.executable, "-m", __spec__.name if __spec__ else __name__, step, *map(str, arguments)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    answer: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return answer


def main(n: int) -> None:
    """Measure all steps and print a table."""
    table = "adult" if "adult" in table_names() else "hiring"
    print(f"{table}, {n:,} rows, two cores\n\n| step | rows | seconds | µs per row | peak MiB |\n|---|--:|--:|--:|--:|")
    with tempfile.TemporaryDirectory() as place:
        model, folder = Path(place, "model.janus"), Path(place, "rows")
        few = min(n, 2_000_000)
        steps: list[tuple[str, tuple[object, ...]]] = [
            ("fit in memory", ("learn", model, table)),
            ("write", ("write", model, folder, n)),
            ("fit from files", ("fit", folder)),
            ("group by, DuckDB", ("group-by", folder)),
            ("write, 1 worker", ("write", model, Path(place, "one"), few, 1)),
            ("write, 2 workers", ("write", model, Path(place, "two"), few, 2)),
            ("fit, 1 worker", ("fit", Path(place, "one"), 1)),
            ("fit, 2 workers", ("fit", Path(place, "one"), 2)),
        ]
        for label, (step, *arguments) in steps:
            found = run(str(step), *arguments)
            seconds, rows = found["seconds"], found["rows"]
            print(
                f"| {label} | {rows:,} | {seconds:.1f} | {1e6 * seconds / rows:.2f} | {found['peak']:,.0f} |",
                flush=True,
            )


if __name__ == "__main__":
    if len(sys.argv) > 1 and sys.argv[1] in STEPS:
        result = STEPS[sys.argv[1]](*sys.argv[2:])
        print(json.dumps({**result, "cpu": process_time(), "peak": peak_mib()}))
    else:
        main(int(float(sys.argv[1])) if len(sys.argv) > 1 else ROWS)
