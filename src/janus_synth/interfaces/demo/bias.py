"""The demo's model to what the demo tells of bias: planted, certified, and what algorithms make of it."""

from __future__ import annotations

from typing import NamedTuple

from janus_synth.api import Janus
from janus_synth.errors import MissingExtraError
from janus_synth.fairness import Bias, Certificate, Suite, audit_suite, plant
from janus_synth.interfaces.demo.timed import timed

MAGNITUDE = 0.2
MAGNITUDES = (0.15, 0.4)
N_PLANTED = 5_000
N_AUDITED = 2_500
N_SPLITS = 4
ALGORITHMS = ("logistic", "threshold-optimizer")
DIRECT = Bias("sex", "male", "hired", True, MAGNITUDE)
KINDS = {
    "direct": DIRECT,
    "through the test score": Bias("sex", "male", "hired", True, MAGNITUDE, path="test_score"),
    "women from 45 on": Bias("sex", "male", "hired", True, MAGNITUDE, subgroup="age >= 45"),
}


class Planting(NamedTuple):
    """A bias as it was certified, and audits of algorithms under several."""

    certificate: Certificate
    suite: Suite | None
    """None where no audit can be made."""
    missing: str
    """Why not."""
    seconds: float


def planted_bias(janus: Janus, *, random_state: int) -> Planting:
    """Plant bias in a model whose graph is known, and audit two algorithms."""
    (certificate, suite, missing), seconds = timed(lambda: _planted(janus, random_state))
    return Planting(certificate, suite, missing, seconds)


def _planted(janus: Janus, seed: int) -> tuple[Certificate, Suite | None, str]:
    certificate = plant(janus, DIRECT, N_PLANTED, random_state=seed, progress=False).certificate
    try:
        suite = audit_suite(
            janus, ALGORITHMS, KINDS, MAGNITUDES,
            n=N_AUDITED, n_splits=N_SPLITS, random_state=seed, progress=False,
        )  # fmt: skip
    except MissingExtraError as error:
        return certificate, None, str(error)
    return certificate, suite, ""
