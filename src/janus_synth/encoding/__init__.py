"""Columns as integer codes and back."""

from janus_synth.encoding.codec import BinRules, Codec, ColumnCodec, fit_codec
from janus_synth.encoding.levels import LevelCodec
from janus_synth.encoding.ordered import OrderedCodec

__all__ = ["BinRules", "Codec", "ColumnCodec", "LevelCodec", "OrderedCodec", "fit_codec"]
