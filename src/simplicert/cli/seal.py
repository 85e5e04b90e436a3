"""`simplicert seal`: sign the files of a run."""

from pathlib import Path
from typing import Annotated

import typer

from simplicert.cli.saying import print_lines


def seal(
    run: Annotated[Path | None, typer.Argument(help="Run folder.")] = None,
    key: Annotated[
        Path | None, typer.Option(help="Your private key: PEM, Ed25519, of mode 600.")
    ] = None,
    new_key: Annotated[
        Path | None, typer.Option(help="Make a key instead: FILE, and FILE.pub for others.")
    ] = None,
) -> None:
    """Sign a run, so that an auditor who knows your public key can tell damage from malice.

    It signs run.toml, parts or an imported log, noise scale, certificates, attacks and neighbours,
    as they are now.

    Example: simplicert seal --new-key mine.pem

    Example: simplicert seal runs/mine --key mine.pem
    """
    from simplicert.errors import require
    from simplicert.store.seals import SEAL
    from simplicert.verification.seals import make_key, seal_run

    if new_key is not None:
        require(run is None and key is None, "new-key must stand alone, without a run and a key")
        public = make_key(new_key)
        print_lines(f"wrote {new_key}, which nobody else may have, and {public} for everybody")
        return
    require(
        run is not None and key is not None,
        "seal must get a run folder and --key FILE; --new-key FILE makes a key",
    )
    assert run is not None and key is not None
    made = seal_run(run, key)
    print_lines(f"wrote {run / SEAL}: {len(made.files)} files, signed by key {made.key[:16]}")
