"""A testbed for fairness algorithms: bias of known size planted along chosen causal paths, and audits against it."""

from janus_synth.fairness.bias import Bias
from janus_synth.fairness.certificate import Certificate
from janus_synth.fairness.planting import Planted, plant

__all__ = ["Bias", "Certificate", "Planted", "plant"]
