"""Samplers: a model and conditions in; rows that meet them, their probability, and whether any row can meet them out.

`forward` draws rows without conditions. Under conditions, `plan` decides between `rejection` and sequential Monte Carlo
(`smc`, with `proposals` that look ahead and `gibbs` sweeps for rejuvenation), and `conditional` draws the rows;
`probability` estimates how likely a request is and `verification` compares rows with an independent estimate.
`distortion` warns of rules that change how rows look. `mix` draws rows with given shares, means and keys (`shares`,
`margins`, `means`, `tilting`, `unique`, `strata`), and `per_row` rows for a table of conditions. `time_limits` ends
requests that take too long. `imputation` completes rows, `likelihood` scores them, `check` decides whether a request is
feasible; `paper_greedy` is the paper's own algorithm.
"""

from janus_synth.sampling.check import Check, check
from janus_synth.sampling.conditional import sample_conditional
from janus_synth.sampling.distortion import warn_if_rules_distort
from janus_synth.sampling.forward import (
    BLOCK_ROWS,
    blocks_of,
    first_block_of,
    prepare_bags,
    redraw_column,
    sample_rows,
)
from janus_synth.sampling.glance import Glance
from janus_synth.sampling.imputation import impute_table
from janus_synth.sampling.likelihood import log_prob, log_prob_by_column, log_prob_given
from janus_synth.sampling.means import read_means
from janus_synth.sampling.mix import Wish, draw_mix
from janus_synth.sampling.mix_report import Mix
from janus_synth.sampling.paper_greedy import sample_greedy
from janus_synth.sampling.per_row import sample_for_rows
from janus_synth.sampling.plan import Plan, bound_rules, plan_for
from janus_synth.sampling.probability import Estimate, probability
from janus_synth.sampling.shares import read_axes
from janus_synth.sampling.strata import Sources
from janus_synth.sampling.time_limits import RowLimit
from janus_synth.sampling.unique import read_keys, redraw_repeated
from janus_synth.sampling.verification import verify_rows

__all__ = [
    "BLOCK_ROWS",
    "Check",
    "Estimate",
    "Glance",
    "Mix",
    "Plan",
    "RowLimit",
    "Sources",
    "Wish",
    "blocks_of",
    "bound_rules",
    "check",
    "draw_mix",
    "first_block_of",
    "impute_table",
    "log_prob",
    "log_prob_by_column",
    "log_prob_given",
    "plan_for",
    "prepare_bags",
    "probability",
    "read_axes",
    "read_keys",
    "read_means",
    "redraw_column",
    "redraw_repeated",
    "sample_conditional",
    "sample_for_rows",
    "sample_greedy",
    "sample_rows",
    "verify_rows",
    "warn_if_rules_distort",
]
