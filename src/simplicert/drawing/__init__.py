"""Drawing into a run folder: settings, preparation, a queue of units, and the workers that draw."""
