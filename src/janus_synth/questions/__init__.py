"""Questions: a fitted model and rows in; uncertainty, predictions, anomalies, effects or counterfactuals out."""

from janus_synth.questions.anomaly import anomaly_by_column
from janus_synth.questions.counterfactual import counterfactual_rows, repair_rules
from janus_synth.questions.effect import Effect, average_effect
from janus_synth.questions.intervention import assigned_values, intervene
from janus_synth.questions.prediction import (
    code_probabilities,
    labelled_probabilities,
    point_predictions,
    predictor_columns,
)
from janus_synth.questions.support import unseen_levels
from janus_synth.questions.uncertainty import Uncertainty, marginal_entropy, parent_columns, uncertainty

__all__ = [
    "Effect",
    "Uncertainty",
    "anomaly_by_column",
    "assigned_values",
    "average_effect",
    "code_probabilities",
    "counterfactual_rows",
    "intervene",
    "labelled_probabilities",
    "marginal_entropy",
    "parent_columns",
    "point_predictions",
    "predictor_columns",
    "repair_rules",
    "uncertainty",
    "unseen_levels",
]
