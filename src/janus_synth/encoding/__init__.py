"""A ``Table`` in, integer codes out, and back.

A column with K codes has the codes 0 … K − 1. The last one, K − 1, always means *missing*, and there is no other marker
for it. ``UNKNOWN`` (in ``kernels.dtypes``) is not missing: it stands for a cell that has not been drawn or was not
given.

Two codes are *reserved*: they exist even if no row has used them, with probability zero, so that ``update`` can count
later rows without changing the shape of any array. They are *missing*, in every column, and the code that rare and new
levels share, in columns with levels. ``allowed`` says which codes rows may take.
"""

from janus_synth.encoding.codec import BinSettings, Codec, ColumnCodec, fit_codec
from janus_synth.encoding.levels import LevelCodec
from janus_synth.encoding.ordered import OrderedCodec

__all__ = ["BinSettings", "Codec", "ColumnCodec", "LevelCodec", "OrderedCodec", "fit_codec"]
