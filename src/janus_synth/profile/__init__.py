"""A table in; an overview of it before fitting out: columns, distributions, alerts, associations and relations."""

from janus_synth.profile.columns import ColumnProfile
from janus_synth.profile.overview import Profile, profile_frame
from janus_synth.profile.page import profile_page

__all__ = ["ColumnProfile", "Profile", "profile_frame", "profile_page"]
