"""Questions: a fitted model and rows in; uncertainty, predictions, anomalies, effects or counterfactuals out."""

from janus_synth.questions.anomaly import anomaly_by_column
from janus_synth.questions.counterfactual import counterfactual_rows, draw_mechanisms, repair_rules
from janus_synth.questions.doubly_robust import Overlap
from janus_synth.questions.effect import Effect, average_effect, usual_values
from janus_synth.questions.effect_from_rows import effect_from_rows
from janus_synth.questions.intervention import assigned_values, intervene
from janus_synth.questions.mediation import Mediation, mediated_effect, mediation_from_rows
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
    "Mediation",
    "Overlap",
    "Uncertainty",
    "anomaly_by_column",
    "assigned_values",
    "average_effect",
    "code_probabilities",
    "counterfactual_rows",
    "draw_mechanisms",
    "effect_from_rows",
    "intervene",
    "labelled_probabilities",
    "marginal_entropy",
    "mediated_effect",
    "mediation_from_rows",
    "parent_columns",
    "point_predictions",
    "predictor_columns",
    "repair_rules",
    "uncertainty",
    "unseen_levels",
    "usual_values",
]
