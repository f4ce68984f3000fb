"""Two tables to scores; knows no model, so that all generators are judged alike."""

from janus_synth.metrics.association import association_error, association_matrix, mutual_information_error
from janus_synth.metrics.detection import default_detector, detection_auc
from janus_synth.metrics.evaluation import METRIC_NAMES, evaluate
from janus_synth.metrics.joint import mmd_squared
from janus_synth.metrics.marginals import (
    MarginalErrors,
    marginal_errors,
    minority_preservation,
    rare_level_preservation,
)
from janus_synth.metrics.privacy import closer_to_train, exact_copies
from janus_synth.metrics.report import Report, Score
from janus_synth.metrics.utility import Utility, utility

__all__ = [
    "METRIC_NAMES",
    "MarginalErrors",
    "Report",
    "Score",
    "Utility",
    "association_error",
    "association_matrix",
    "closer_to_train",
    "default_detector",
    "detection_auc",
    "evaluate",
    "exact_copies",
    "marginal_errors",
    "minority_preservation",
    "mmd_squared",
    "mutual_information_error",
    "rare_level_preservation",
    "utility",
]
