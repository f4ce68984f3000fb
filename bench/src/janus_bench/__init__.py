"""Benchmarks of JANUS and other synthesizers: tables and methods in, dated results of quality and speed out."""

__version__ = "0.1.0"
