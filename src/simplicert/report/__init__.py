"""Write a self-contained interactive HTML report of one run or several, or the simplex explorer."""

from simplicert.report.page import report_page, write_report

__all__ = ["report_page", "write_report"]
