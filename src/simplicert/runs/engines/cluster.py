"""The head of a Ray cluster: asked only while it is there.

When the head (its process is called gcs) is gone, Ray's own calls wait for a minute and then end
this process with a line of C++. So whoever leads looks first whether anyone listens at its
address, and gives up in a sentence of ours, with all Ray's processes ended and folders removed.
"""

import socket
import threading
import time
from collections.abc import Callable
from typing import Any

from simplicert.errors import SamplingFailed

HERE, FAR = 3.0, 40.0  # seconds without a head, on this machine and over a network; Ray has 60
MOMENT = 0.5


class Head:
    """Where the head listens, if that can be known."""

    def __init__(self, ray: Any, *, own: bool) -> None:
        """`own`: a Ray that was started here, on this machine."""
        self.ray, self.allowed = ray, HERE if own else FAR
        try:
            host, _, port = ray.get_runtime_context().gcs_address.rpartition(":")
            self.address: tuple[str, int] | None = (host.strip("[]"), int(port))
        except (AttributeError, ValueError, RuntimeError):  # a client of a proxy: ray://
            self.address = None

    def require(self) -> None:
        """Raise if no one has listened at the head's address for a while."""
        until = time.monotonic() + self.allowed
        while not self._listens():
            if time.monotonic() > until:
                raise SamplingFailed(
                    "the head of the Ray cluster is gone: what was drawn is kept, and the same "
                    "command continues"
                )
            time.sleep(MOMENT)

    def _listens(self) -> bool:
        if self.address is None:
            return True
        try:
            socket.create_connection(self.address, self.allowed).close()
        except OSError:
            return False
        return True

    def nodes(self) -> list[dict[str, Any]]:
        """The nodes that are alive."""
        return [node for node in self._ask(self.ray.nodes) if node["Alive"]]

    def free(self) -> dict[str, float]:
        """Resources that no one uses."""
        return dict(self._ask(self.ray.available_resources))

    def _ask(self, question: Callable[[], Any]) -> Any:
        """In a thread of its own, as the head may vanish before it answers."""
        self.require()
        answers: list[Any] = []
        thread = threading.Thread(target=lambda: answers.append(question()), daemon=True)
        thread.start()
        while thread.is_alive():
            thread.join(MOMENT)
            self.require()
        if not answers:
            raise SamplingFailed("the head of the Ray cluster did not answer")
        return answers[0]
