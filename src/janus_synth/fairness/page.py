"""A certificate as a page to print."""

from __future__ import annotations

from janus_synth.fairness.certificate import Certificate


def certificate_page(certificate: Certificate) -> str:
    """A page that stands alone."""
    return f"<pre>{certificate}</pre>"
