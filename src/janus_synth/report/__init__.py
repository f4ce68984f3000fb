"""Scored tables in; a standalone HTML report with a verdict, plots and all scores out."""

from janus_synth.report.page import Origin, file_name, report_page, write_report

__all__ = ["Origin", "file_name", "report_page", "write_report"]
