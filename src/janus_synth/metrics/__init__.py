"""Scores of synthetic tables: tables in; fidelity, utility and privacy out, for rows of any generator."""

from janus_synth.metrics.association import (
    association_error,
    association_matrix,
    association_norm,
    mutual_information_error,
    theils_u_error,
)
from janus_synth.metrics.clusters import delta_presence, k_anonymity
from janus_synth.metrics.detection import Detector, default_detector, detection_auc
from janus_synth.metrics.disclosure import Attack, Disclosure, disclosure
from janus_synth.metrics.distances import PointMap, point_map
from janus_synth.metrics.evaluation import METRIC_NAMES, evaluate
from janus_synth.metrics.joint import mmd_squared
from janus_synth.metrics.learners import Features, feature_matrix
from janus_synth.metrics.marginals import (
    MarginalErrors,
    marginal_errors,
    minority_preservation,
    rare_level_preservation,
)
from janus_synth.metrics.privacy import closer_to_train, distance_to_train, exact_copies
from janus_synth.metrics.report import Report, Score
from janus_synth.metrics.rows import Rows, align, equal_rows
from janus_synth.metrics.utility import Utility, utility

__all__ = [
    "METRIC_NAMES",
    "Attack",
    "Detector",
    "Disclosure",
    "Features",
    "MarginalErrors",
    "PointMap",
    "Report",
    "Rows",
    "Score",
    "Utility",
    "align",
    "association_error",
    "association_matrix",
    "association_norm",
    "closer_to_train",
    "default_detector",
    "delta_presence",
    "detection_auc",
    "disclosure",
    "distance_to_train",
    "equal_rows",
    "evaluate",
    "exact_copies",
    "feature_matrix",
    "k_anonymity",
    "marginal_errors",
    "minority_preservation",
    "mmd_squared",
    "mutual_information_error",
    "point_map",
    "rare_level_preservation",
    "theils_u_error",
    "utility",
]
