"""A testbed for fairness algorithms: bias of known size planted along chosen causal paths, and audits against it."""

from janus_synth.fairness.algorithms import ALGORITHMS, algorithm
from janus_synth.fairness.audit import Audit, Gap, audit
from janus_synth.fairness.bias import Bias
from janus_synth.fairness.certificate import Certificate
from janus_synth.fairness.planting import Planted, plant
from janus_synth.fairness.suite import Suite, audit_suite
from janus_synth.fairness.treatment import EqualTreatment, equal_treatment

__all__ = [
    "ALGORITHMS",
    "Audit",
    "Bias",
    "Certificate",
    "EqualTreatment",
    "Gap",
    "Planted",
    "Suite",
    "algorithm",
    "audit",
    "audit_suite",
    "equal_treatment",
    "plant",
]
