"""Testbed for fairness algorithms: plant bias of known size along a causal path, then audit algorithms against it."""

from janus_synth.fairness.audit import Audit, Gap, audit
from janus_synth.fairness.bias import Bias
from janus_synth.fairness.certificate import Certificate
from janus_synth.fairness.planted import Planted
from janus_synth.fairness.planting import plant
from janus_synth.fairness.suite import ALGORITHMS, Suite, algorithm, audit_suite
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
