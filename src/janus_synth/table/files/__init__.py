"""Tables in files: a path in, a pandas frame out; frames in, a complete file out or none.

The ending names the format (``.csv``, ``.csv.gz``, ``.tsv``, ``.parquet``, ``.arrow``, ``.feather``); ``-`` is
standard input or output, CSV unless ``format`` says otherwise.
"""

from janus_synth.table.files.convert import as_kind, plain_rows, to_arrow
from janus_synth.table.files.from_arrow import frame_of_arrow
from janus_synth.table.files.places import FORMATS, STANDARD, Place, check_output, open_output, place_of
from janus_synth.table.files.read import read_frame
from janus_synth.table.files.write import write_frame, write_frames

__all__ = [
    "FORMATS",
    "STANDARD",
    "Place",
    "as_kind",
    "check_output",
    "frame_of_arrow",
    "open_output",
    "place_of",
    "plain_rows",
    "read_frame",
    "to_arrow",
    "write_frame",
    "write_frames",
]
