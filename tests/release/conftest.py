"""What `make release` builds, built here without a network and without isolation."""

import zipfile
from pathlib import Path

import pytest
from hatchling.builders.sdist import SdistBuilder
from hatchling.builders.wheel import WheelBuilder

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="session")
def wheel(tmp_path_factory):
    """The wheel's path."""
    (path,) = WheelBuilder(str(ROOT)).build(directory=str(tmp_path_factory.mktemp("wheel")))
    return Path(path)


@pytest.fixture(scope="session")
def sdist(tmp_path_factory):
    """The sdist's path."""
    (path,) = SdistBuilder(str(ROOT)).build(directory=str(tmp_path_factory.mktemp("sdist")))
    return Path(path)


@pytest.fixture(scope="session")
def installed(wheel, tmp_path_factory):
    """The wheel unpacked, as pip would into site-packages."""
    folder = tmp_path_factory.mktemp("site-packages")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder)
    return folder
