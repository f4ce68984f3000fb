"""Constrained generation against a known truth: structural models and rules in, scores of every method out."""
