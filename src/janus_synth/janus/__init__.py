"""The ``Janus`` class: one call here is one call to a layer below."""

from janus_synth.janus.estimator import Janus

__all__ = ["Janus"]
