"""One-sided confidence limits: one number, one tail, always on the safe side of rounding."""
