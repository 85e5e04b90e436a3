"""Readers of certificates: what they say together, input by input and over the simplex."""
