"""The public class ``Janus``: a table in; a fitted model that draws rows and answers questions out."""

from janus_synth.janus.estimator import Janus

__all__ = ["Janus"]
