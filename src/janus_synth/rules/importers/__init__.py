"""Rules of other tools in, our rules out, with a list of what could not be taken and why.

One module per tool: ``sdv``, ``sql``, ``pandera``, ``great_expectations``. ``rules_from`` recognises which one it is.
Other tools let missing values pass, so imported rules do, too.
"""

from janus_synth.rules.importers.great_expectations import from_great_expectations
from janus_synth.rules.importers.imported import Imported, Skipped
from janus_synth.rules.importers.pandera import from_pandera
from janus_synth.rules.importers.read import rules_from
from janus_synth.rules.importers.sdv import from_sdv
from janus_synth.rules.importers.sql import from_sql

__all__ = [
    "Imported",
    "Skipped",
    "from_great_expectations",
    "from_pandera",
    "from_sdv",
    "from_sql",
    "rules_from",
]
