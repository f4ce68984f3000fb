"""Bound rules in, what samplers run out: branches of a disjunction, and programs that solve for one column."""
