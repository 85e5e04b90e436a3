"""The report: one self-contained HTML file for one run or several, or the simplex explorer."""

from simplicert.analysis.report.page import report_page, write_report

__all__ = ["report_page", "write_report"]
