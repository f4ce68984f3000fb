"""Attacks on synthetic rows: training, unseen and synthetic rows in; disclosure risks and a verdict out."""

from janus_synth.metrics.disclosure.attacks import disclosure
from janus_synth.metrics.disclosure.result import NUMBERS, TITLES, Attack, Disclosure

__all__ = ["NUMBERS", "TITLES", "Attack", "Disclosure", "disclosure"]
