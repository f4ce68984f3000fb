"""The ``Janus`` class: one call here is one call to a layer below."""

from janus_synth.api.janus import Janus

__all__ = ["Janus"]
