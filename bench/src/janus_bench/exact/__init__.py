"""Rows under a condition against rejection from the very same model: the two must not differ."""
