"""Tables larger than memory: fit a source partition by partition, and write rows piece by piece.

A source is a set of files, an Arrow dataset, a lazy frame, a relation, a Dask frame or a list of frames. Its partitions
are read in any order, by threads or by a Dask cluster; the model does not depend on the order.
"""

from __future__ import annotations

from janus_synth.partitions.answers import answer_path, write_answers
from janus_synth.partitions.bad_files import CHOICES as BAD_FILES
from janus_synth.partitions.bad_files import BadFiles, SkippedFile, file_alerts, warn_of_skipped
from janus_synth.partitions.evaluation import evaluate_sources
from janus_synth.partitions.executors import Executor, LocalExecutor, executor_for
from janus_synth.partitions.fit import (
    OpenSource,
    contradicted_links,
    count_rows,
    declared_levels,
    finish,
    open_source,
)
from janus_synth.partitions.pieces import open_pieces, prepare_folder, write_pieces
from janus_synth.partitions.sources import partitions_of

__all__ = [
    "BAD_FILES",
    "BadFiles",
    "Executor",
    "LocalExecutor",
    "OpenSource",
    "SkippedFile",
    "answer_path",
    "contradicted_links",
    "count_rows",
    "declared_levels",
    "evaluate_sources",
    "executor_for",
    "file_alerts",
    "finish",
    "open_pieces",
    "open_source",
    "partitions_of",
    "prepare_folder",
    "warn_of_skipped",
    "write_answers",
    "write_pieces",
]
