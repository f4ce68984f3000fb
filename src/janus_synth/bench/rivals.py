"""Three rivals that return cells of the training table, chosen differently.

A fitted rival decides which training row each new cell is copied from (its *donor*), so values, nulls and dtypes come
back exactly as they went in.
"""

from janus_synth.bench.peers.cart import SequentialCart
from janus_synth.bench.peers.copula import GaussianCopula
from janus_synth.bench.peers.independent import IndependentColumns
from janus_synth.bench.peers.interface import Synthesizer

__all__ = ["GaussianCopula", "IndependentColumns", "SequentialCart", "Synthesizer"]
