"""Judged tables to one standalone page: a verdict, large numbers, pictures, and all scores."""

from janus_synth.report.origin import Origin, file_name
from janus_synth.report.page import report_page, write_report

__all__ = ["Origin", "file_name", "report_page", "write_report"]
