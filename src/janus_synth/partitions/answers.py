"""Answers for every row of a source: a function of a frame and a seed in; a file of answers per partition out."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from janus_synth.files import whole_file
from janus_synth.partitions.executors import Executor
from janus_synth.partitions.sources import Partition
from janus_synth.streams import Stream, seed_sequence
from janus_synth.table.files import frame_of_arrow, to_arrow

Answer = Callable[[Any, int], Any]
"""Frame of answers from a frame of rows and a seed."""


def write_answers(
    folder: Path, partitions: Sequence[Partition], answer: Answer, kind: str, seed: int, executor: Executor
) -> Iterator[int]:
    """Write a Parquet file per partition, unless it is there; yields the number of rows of each."""
    tasks = [(path, part, i) for i, part in enumerate(partitions) if not (path := answer_path(folder, i)).exists()]
    yield from executor.run(_write, (answer, kind, seed), tasks)


def answer_path(folder: Path, number: int) -> Path:
    """File of a partition's answers."""
    return folder / f"part-{number:08d}.parquet"


def seed_of_batch(seed: int, partition: int, batch: int) -> int:
    """Seed of one batch, which depends on nothing but its place."""
    return int(seed_sequence(seed, Stream.ANSWERS, partition, batch).generate_state(1)[0])


def _write(shared: tuple[Answer, str, int], path: Path, part: Partition, number: int, n_jobs: int | None) -> int:
    import pyarrow.parquet as pq

    answer, kind, seed = shared
    writer: Any = None
    n_rows = 0
    with whole_file(path) as file:
        for i, batch in enumerate(part.batches()):
            table = to_arrow(answer(frame_of_arrow(batch, kind), seed_of_batch(seed, number, i)))
            if writer is None:
                writer = pq.ParquetWriter(file, table.schema)
            writer.write_table(table.cast(writer.schema))
            n_rows += table.num_rows
        if writer is not None:
            writer.close()
    return n_rows
