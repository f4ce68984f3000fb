"""A tour of JANUS on a table it makes itself: findings on the console, a model, rows and a page in a folder."""

from janus_synth.interfaces.demo.files import FolderError
from janus_synth.interfaces.demo.run import run_demo

__all__ = ["FolderError", "run_demo"]
