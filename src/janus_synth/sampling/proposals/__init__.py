"""Proposals of sequential Monte Carlo: how likely the conditions still to come are met, given what a particle knows."""
