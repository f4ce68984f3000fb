"""Synthesizers of others, and compact ones of our own, behind one interface: a table in, a synthetic table out."""
