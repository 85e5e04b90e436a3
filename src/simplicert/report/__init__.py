"""Write a self-contained interactive HTML report of runs; without one, the explorer."""

from simplicert.report.page import report_page, write_report

__all__ = ["report_page", "write_report"]
