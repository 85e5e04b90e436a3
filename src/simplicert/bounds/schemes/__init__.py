"""Schemes: how alpha is spent on selecting a class and on bounding it."""
