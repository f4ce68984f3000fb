"""Steps of the measurement of tables larger than memory, each in a process of its own, so that its memory can be told.

``python -m janus_bench.scalability.large_steps write model.janus rows/ 1000000`` runs one and prints a line of JSON.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from itertools import combinations
from pathlib import Path
from time import perf_counter, process_time
from typing import Any

from janus_bench.fresh import peak_mib
from janus_bench.tables import read_named

IN_MEMORY_ROWS = 1_000_000
PIECE_ROWS = 1_048_576
Measured = dict[str, Any]


def run(step: str, *arguments: object) -> Measured:
    """Run one of `STEPS` in a new process."""
    command = [sys.executable, "-m", "janus_bench.scalability.large_steps", step, *map(str, arguments)]
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(f"the step {step} failed:\n{done.stderr}")
    answer: Measured = json.loads(done.stdout.splitlines()[-1])
    return answer


@contextmanager
def _timed(n: int | None = None) -> Iterator[Measured]:
    """Seconds and CPU seconds of the block."""
    found: Measured = {"rows": n}
    start, cpu = perf_counter(), process_time()
    yield found
    found |= {"seconds": perf_counter() - start, "cpu": process_time() - cpu}


def learn(model: str, table: str) -> Measured:
    """Fit a table that fits in memory, enlarged to a million rows."""
    from janus_bench.tables.sizes import enlarge
    from janus_synth import Janus

    frame = enlarge(read_named(table).frame, IN_MEMORY_ROWS, seed=0)
    with _timed(IN_MEMORY_ROWS) as found:
        fitted = Janus(random_state=0).fit(frame, progress=False)
    fitted.save(model)
    return found


def write(model: str, folder: str, n: str, threads: str = "2", workers: str = "0") -> Measured:
    """Write rows to a folder, with threads or with workers of a cluster."""
    from janus_synth import Janus

    loaded = Janus.load(model).set_params(n_jobs=int(threads))
    with _client(int(workers)) as client, _timed(int(n)) as found:
        loaded.sample_to(folder, int(n), random_state=1, client=client, progress=False)
    return found


def fit(folder: str, n_files: str, threads: str = "2", workers: str = "0", model: str = "") -> Measured:
    """Fit the first files of a folder, with threads or workers of a cluster; save the model if it has a name."""
    from janus_synth import Janus

    with _client(int(workers)) as client, _timed() as found:
        fitted = Janus(random_state=0, n_jobs=int(threads)).fit(_files(folder, n_files), client=client, progress=False)
    if model:
        fitted.save(model)
    return found | {"rows": fitted.n_rows_}


def count(model: str, folder: str, n_files: str, threads: str) -> Measured:
    """Count the rows of the first files into the leaves of a model: the last pass of a fit."""
    from janus_synth import Janus
    from janus_synth.partitions import LocalExecutor, count_rows, partitions_of

    loaded = Janus.load(model).model_
    _, partitions = partitions_of(_files(folder, n_files))
    with _timed() as found:
        tally = count_rows(loaded, partitions, LocalExecutor(int(threads)))
    return found | {"rows": tally.n_rows}


def group_by(folder: str, n_files: str, threads: str) -> Measured:
    """Let DuckDB read all columns of the files, group the rows by two of them, and count values of the others."""
    import duckdb
    import pyarrow.dataset as ds

    names = ds.dataset(folder, exclude_invalid_files=True).schema.names
    measures = ", ".join(f"count(distinct hash({_quoted(name)}) % 256)" for name in names[:-2])
    keys = f"{_quoted(names[-1])}, {_quoted(names[-2])}"
    query: Any = f"select count(*), {keys}, {measures} from read_parquet({_files(folder, n_files)}) group by {keys}"
    database = duckdb.connect(config={"threads": int(threads)})
    with _timed() as found:
        groups: list[Any] = database.execute(query).fetchall()
    return found | {"rows": sum(group[0] for group in groups)}


def group_by_pairs(folder: str, n_files: str, threads: str) -> Measured:
    """Let DuckDB read all columns, give each at most 256 codes, and group the rows by every two of them.

    That is the statistic which the leaves of a tree hold, codes within groups of rows, and with 15 columns about as
    many group-bys (105) as a model has trees.
    """
    import duckdb
    import pyarrow.dataset as ds

    names = ds.dataset(folder, exclude_invalid_files=True).schema.names
    codes = ", ".join(f"hash({_quoted(name)}) % 256 as c{i}" for i, name in enumerate(names))
    pairs = list(combinations(range(len(names)), 2))
    sets = ", ".join(f"(c{one}, c{other})" for one, other in pairs)
    rows = f"select {codes} from read_parquet({_files(folder, n_files)})"
    query: Any = f"select sum(n) from (select count(*) as n from ({rows}) group by grouping sets ({sets}))"
    database = duckdb.connect(config={"threads": int(threads)})
    with _timed() as found:
        (answer,) = database.execute(query).fetchall()
    return found | {"rows": int(answer[0]) // len(pairs)}


def _files(folder: str, n_files: str) -> list[str]:
    return sorted(str(path) for path in Path(folder).glob("*.parquet"))[: int(n_files)]


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


STEPS: dict[str, Callable[..., Measured]] = {
    "learn": learn,
    "write": write,
    "fit": fit,
    "count": count,
    "group-by": group_by,
    "group-by-pairs": group_by_pairs,
}

if __name__ == "__main__":
    result = STEPS[sys.argv[1]](*sys.argv[2:])
    print(json.dumps({**result, "peak_mib": peak_mib()}))
