"""The model: what was learnt, how it is learnt, kept, updated and read."""

from janus_synth.model.explain import Explanation, explain_column
from janus_synth.model.file import load_model, save_model
from janus_synth.model.fit import FitSettings, fit_model
from janus_synth.model.model import Model
from janus_synth.model.rules import rules_on_rows
from janus_synth.model.update import merge_models, update_model

__all__ = [
    "Explanation",
    "FitSettings",
    "Model",
    "explain_column",
    "fit_model",
    "load_model",
    "merge_models",
    "rules_on_rows",
    "save_model",
    "update_model",
]
