"""What a part says about its run, so that a part of another run or noise is recognised."""

from collections.abc import Mapping

from simplicert.store.manifest import Manifest

STAGE = b"sensitivity"  # of the stage before the noise; parts of earlier versions do not say it


def run_identity(manifest: Manifest) -> dict[bytes, bytes]:
    """Return what a part says about its run: a part of another run or noise does not match.

    The sensitivity is there because no draw depends on it and every radius does: whoever changes it
    in run.toml alone is found out.
    """
    settings = {"run": manifest.id, "sigma": manifest.sigma.hex(), "classes": manifest.classes}
    if manifest.format > 1:  # the first format did not say so
        settings["format"] = manifest.format
    if manifest.noise is not None:
        settings["noise"] = str(manifest.noise_model)
    said = {name.encode(): str(value).encode() for name, value in settings.items()}
    return {**said, STAGE: float(manifest.sensitivity).hex().encode()}


def find_strange_setting(said: Mapping[bytes, bytes], manifest: Manifest) -> str | None:
    """Name the first setting of which a part says otherwise than its run; None if all agree."""
    own = run_identity(manifest)
    if STAGE not in said:
        del own[STAGE]
    for name, value in {b"format": None, b"noise": None, **own}.items():
        if said.get(name) != value:
            return name.decode()
    return None
