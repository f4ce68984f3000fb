"""Proposals of sequential Monte Carlo: predicted probabilities that partial rows will meet the remaining conditions."""
