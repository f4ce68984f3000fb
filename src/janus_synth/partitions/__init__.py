"""Tables larger than memory: fit a source partition by partition, and write rows piece by piece.

A source is a set of files, an Arrow dataset, a lazy frame, a relation, a Dask frame or a list of frames. Its partitions
are read in any order, by threads or by a Dask cluster; the model does not depend on the order.
"""

from __future__ import annotations

from janus_synth.partitions.answers import answer_path, write_answers
from janus_synth.partitions.executors import executor_for
from janus_synth.partitions.fit import SAMPLE_ROWS, contradicted_links, finish, open_source
from janus_synth.partitions.pieces import open_pieces, prepare_folder, write_pieces
from janus_synth.partitions.sources import is_source, partitions_of

__all__ = [
    "SAMPLE_ROWS",
    "answer_path",
    "contradicted_links",
    "executor_for",
    "finish",
    "is_source",
    "open_pieces",
    "open_source",
    "partitions_of",
    "prepare_folder",
    "write_answers",
    "write_pieces",
]
