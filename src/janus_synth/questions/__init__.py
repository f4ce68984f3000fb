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
from janus_synth.questions.uncertainty import Uncertainty, parent_columns, possible_codes, uncertainty

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
    "parent_columns",
    "point_predictions",
    "possible_codes",
    "predictor_columns",
    "repair_rules",
    "uncertainty",
]
