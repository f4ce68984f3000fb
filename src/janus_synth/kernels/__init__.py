"""Compiled loops over arrays; the only place that knows numba. Import the file you need."""
