"""Structural models that are known: the truth that benchmarks judge by."""
