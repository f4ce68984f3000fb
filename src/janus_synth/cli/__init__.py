"""The command ``janus``: files in, files and short reports out.

Nothing heavy is imported before a command runs, so that ``janus --help`` answers at once.
"""

from janus_synth.cli.app import app, main

__all__ = ["app", "main"]
