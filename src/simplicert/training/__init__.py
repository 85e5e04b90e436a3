"""Training under noise: certificates are only as good as the base model is there."""
