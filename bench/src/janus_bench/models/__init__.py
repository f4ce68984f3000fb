"""Structural causal models with known equations: the ground truth of benchmarks."""
