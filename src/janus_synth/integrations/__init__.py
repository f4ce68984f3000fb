"""Models and graphs to and from other libraries, each imported only where it is used.

imbalanced-learn's pipelines take ``janus_synth.estimators.JanusAugmenter`` as it is: ``fit_resample`` is all they ask.
"""

from janus_synth.integrations.dowhy import from_dowhy, to_dowhy, to_gcm
from janus_synth.integrations.networkx import from_networkx, to_networkx
from janus_synth.integrations.pgmpy import from_pgmpy, to_pgmpy
from janus_synth.integrations.synthcity import SynthcityGenerator, synthcity_plugin
from janus_synth.integrations.tables import ConditionalTable, conditional_table

__all__ = [
    "ConditionalTable",
    "SynthcityGenerator",
    "conditional_table",
    "from_dowhy",
    "from_networkx",
    "from_pgmpy",
    "synthcity_plugin",
    "to_dowhy",
    "to_gcm",
    "to_networkx",
    "to_pgmpy",
]
