"""Datasets and rivals to dated result tables: how good and how fast, losses beside wins."""

__version__ = "0.1.0"
