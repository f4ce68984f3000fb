"""A folder in; a local page out on which a person learns a table, states rules and asks for rows.

It holds no mathematics: each view is one public call. docs/studio.md describes it.
"""

from janus_synth.studio.project import Project
from janus_synth.studio.server import serve

__all__ = ["Project", "serve"]
