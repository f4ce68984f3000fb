"""A table in; what a person should know about its columns before learning it out, each with a remedy."""

from janus_synth.alerts.alert import (
    KINDS,
    Alert,
    alerts_from,
    check_silence,
    plain_alerts,
    warn_if_serious,
    without_computed,
    without_silenced,
)
from janus_synth.alerts.find import find_alerts

__all__ = [
    "KINDS",
    "Alert",
    "alerts_from",
    "check_silence",
    "find_alerts",
    "plain_alerts",
    "warn_if_serious",
    "without_computed",
    "without_silenced",
]
