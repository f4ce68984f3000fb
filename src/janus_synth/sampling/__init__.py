"""Rows out of a model, and how likely rows are."""

from janus_synth.sampling.conditional import sample_conditional
from janus_synth.sampling.forward import BLOCK_ROWS, blocks_of, first_block_of, redraw_column, sample_columns
from janus_synth.sampling.likelihood import log_prob, log_prob_by_column
from janus_synth.sampling.paper_greedy import sample_greedy
from janus_synth.sampling.plan import Plan
from janus_synth.sampling.probability import Estimate, probability
from janus_synth.sampling.requests import (
    Check,
    Where,
    bound_rules,
    check,
    conditional_log_prob,
    conditions,
    impute_table,
    plan_for,
)
from janus_synth.sampling.verification import verify_rows

__all__ = [
    "BLOCK_ROWS",
    "Check",
    "Estimate",
    "Plan",
    "Where",
    "blocks_of",
    "bound_rules",
    "check",
    "conditional_log_prob",
    "conditions",
    "first_block_of",
    "impute_table",
    "log_prob",
    "log_prob_by_column",
    "plan_for",
    "probability",
    "redraw_column",
    "sample_columns",
    "sample_conditional",
    "sample_greedy",
    "verify_rows",
]
