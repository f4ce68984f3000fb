"""A guided example on a generated table: findings on the console; a model, rows and a page in a folder."""

from janus_synth.demo.run import FolderError, run_demo

__all__ = ["FolderError", "run_demo"]
