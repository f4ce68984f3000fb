"""Estimators for scikit-learn's pipelines and searches: features and targets in; predictions, rows or scores out."""

from janus_synth.estimators.augmenter import JanusAugmenter
from janus_synth.estimators.classifier import JanusClassifier
from janus_synth.estimators.imputer import JanusImputer
from janus_synth.estimators.outlier_detector import JanusOutlierDetector
from janus_synth.estimators.regressor import JanusRegressor

__all__ = ["JanusAugmenter", "JanusClassifier", "JanusImputer", "JanusOutlierDetector", "JanusRegressor"]
