"""Datasets and rivals to dated result tables: how good and how fast, losses beside wins."""
