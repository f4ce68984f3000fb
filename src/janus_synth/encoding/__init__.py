"""Columns as integer codes and back."""

from janus_synth.encoding.codec import BinSettings, Codec, ColumnCodec, fit_codec
from janus_synth.encoding.levels import LevelCodec
from janus_synth.encoding.ordered import OrderedCodec

__all__ = ["BinSettings", "Codec", "ColumnCodec", "LevelCodec", "OrderedCodec", "fit_codec"]
