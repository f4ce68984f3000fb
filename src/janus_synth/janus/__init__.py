"""The public class ``Janus``: fit a table, then sample it and ask questions about it."""

from janus_synth.janus.estimator import Janus

__all__ = ["Janus"]
