"""Numbers that summarise the certificates of a run, or compare two runs.

Averages, intervals and comparisons are in their own modules; `study` opens the runs, `gate` and
`regressions` decide whether a build passes.
"""
