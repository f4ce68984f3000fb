"""Rows out of a model, and how likely rows are."""

from janus_synth.inference.forward import BLOCK_ROWS, blocks_of, first_block_of, sample_columns
from janus_synth.inference.likelihood import log_prob, log_prob_by_column

__all__ = ["BLOCK_ROWS", "blocks_of", "first_block_of", "log_prob", "log_prob_by_column", "sample_columns"]
