"""Try to break certificates: search for the nearest point where the smoothed class differs.

An attack that fails proves nothing. It is a check that no gross error hides in the chain from the
draws to the radius, and it gives an upper bound beside the certified lower one.
"""

from simplicert.attack.job import attack_run, certify_in_norm, choose_inputs
from simplicert.attack.losses import Effort
from simplicert.attack.target import Target, open_target

__all__ = ["Effort", "Target", "attack_run", "certify_in_norm", "choose_inputs", "open_target"]
