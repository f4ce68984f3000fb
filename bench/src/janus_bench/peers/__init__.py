"""Rivals of JANUS, adapted or re-implemented, with one interface: a table in, a synthetic table out."""

from janus_bench.peers.baselines import IndependentColumns
from janus_bench.peers.cart import SequentialCart
from janus_bench.peers.copula import GaussianCopula
from janus_bench.peers.interface import Synthesizer

__all__ = ["GaussianCopula", "IndependentColumns", "SequentialCart", "Synthesizer"]
