"""Hugging Face's libraries without the network: they look in their cache and nowhere else."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from simplicert.data.libraries import library


@contextmanager
def offline(*configs: Any) -> Iterator[None]:
    """Inside, nothing is fetched and nobody waits for a network; `configs` are told as well.

    Each library keeps its own copy of the switch, and huggingface_hub calls home by itself.
    """
    switches = (library("huggingface_hub.constants", "hf", "'hf:'"), *configs)
    before = [switch.HF_HUB_OFFLINE for switch in switches]
    for switch in switches:
        switch.HF_HUB_OFFLINE = True
    try:
        yield
    finally:
        for switch, value in zip(switches, before, strict=True):
            switch.HF_HUB_OFFLINE = value
