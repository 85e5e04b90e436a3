"""Check requirements such as population@0.5>=0.25 on a population certificate."""

from collections.abc import Sequence

from simplicert.errors import require
from simplicert.metrics.gate import ALL, Requirement, RequirementCheck
from simplicert.populations.certificate import PopulationCertificate


def check_population(
    certificate: PopulationCertificate, requirements: Sequence[Requirement]
) -> list[RequirementCheck]:
    """Check each requirement, at a radius of the design, against the share that is certified."""
    checks = []
    for wanted in requirements:
        require(
            wanted.side == ">=",
            f"require must ask for population with >=, got {wanted.text}: the certified share is a "
            "lower limit",
        )
        assert wanted.at is not None
        share = certificate.share(wanted.at)
        holds = share >= wanted.limit
        checks.append(RequirementCheck(wanted.text, ALL, certificate.inputs, share, holds))
    return checks
