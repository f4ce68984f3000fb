"""Questions put to a model: how sure it is, what would happen, what would have happened."""

from janus_synth.questions.anomaly import oddity_by_column
from janus_synth.questions.counterfactual import counterfactual_rows, mend_rules
from janus_synth.questions.effect import Effect, average_effect
from janus_synth.questions.intervention import intervene, settings_of
from janus_synth.questions.prediction import best_values, code_probabilities, columns_known, labelled_probabilities
from janus_synth.questions.uncertainty import Uncertainty, columns_needed, possible_codes, uncertainty

__all__ = [
    "Effect",
    "Uncertainty",
    "average_effect",
    "best_values",
    "code_probabilities",
    "columns_known",
    "columns_needed",
    "counterfactual_rows",
    "intervene",
    "labelled_probabilities",
    "mend_rules",
    "oddity_by_column",
    "possible_codes",
    "settings_of",
    "uncertainty",
]
