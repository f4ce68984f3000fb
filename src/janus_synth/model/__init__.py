"""The model: a table in, a fitted `Model` out; saving, loading, updating, merging and explaining it."""

from janus_synth.model.explain import Explanation, explain_column
from janus_synth.model.file import load_model, save_model
from janus_synth.model.fit import FitSettings, fit_model
from janus_synth.model.links import choose_for_fit, domain_rules, without_rare_keys
from janus_synth.model.literals import REASONS, Literal, list_literals
from janus_synth.model.model import Model
from janus_synth.model.protection import protect_rows, protect_update
from janus_synth.model.rows import read_partial_rows, read_rows, visible_columns, visible_table, write_rows
from janus_synth.model.rules import check_training_rows
from janus_synth.model.update import merge_models, update_model

__all__ = [
    "REASONS",
    "Explanation",
    "FitSettings",
    "Literal",
    "Model",
    "check_training_rows",
    "choose_for_fit",
    "domain_rules",
    "explain_column",
    "fit_model",
    "list_literals",
    "load_model",
    "merge_models",
    "protect_rows",
    "protect_update",
    "read_partial_rows",
    "read_rows",
    "save_model",
    "update_model",
    "visible_columns",
    "visible_table",
    "without_rare_keys",
    "write_rows",
]
