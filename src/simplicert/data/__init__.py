"""What is certified. So far: one table of counts of our own making."""
