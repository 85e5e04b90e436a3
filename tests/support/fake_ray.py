"""A Ray without processes: its actors answer as a test says, at once, later or never.

It has what `engines/actors.py` and `engines/ray.py` ask of Ray, and notes what was asked. Nodes and
free resources are what the test puts there.
"""

from types import SimpleNamespace

NEVER = object()  # an answer that does not come


class RayError(Exception):
    """As ray.exceptions.RayError: an actor has died, or was cut off."""


class FakeActor:
    """One actor: what it was made with, and the commands that it got."""

    def __init__(self, ray, made):
        """Start it."""
        self.ray, self.made, self.sent, self.stops, self.killed = ray, made, [], 0, False
        self.run_command = SimpleNamespace(remote=self._run_command)
        self.stop = SimpleNamespace(remote=self._stop)

    def _run_command(self, command, value):
        self.sent.append((command, value))
        return (self, len(self.sent) - 1)

    def _stop(self):
        self.stops += 1


class FakeRay:
    """The module, a cluster's head, and the cluster, whose nodes are in `resources`."""

    exceptions = SimpleNamespace(RayError=RayError)

    def __init__(self, *resources):
        """Take the resources of each node; `others` counts the cores that other programs use."""
        self.resources, self.others = list(resources) or [{"CPU": 2.0}], 0.0
        self.actors, self.answers, self.options, self.checks = [], {}, None, 0

    def remote(self, _):
        """Make a class of actors, with options."""
        return SimpleNamespace(options=self._options)

    def _options(self, **options):
        self.options = options
        return SimpleNamespace(remote=self._start)

    def _start(self, *made):
        self.actors.append(FakeActor(self, made))
        return self.actors[-1]

    def wait(self, refs, num_returns=1, timeout=None):
        """Divide replies into those that are there and the rest, without waiting."""
        ready = [ref for ref in refs if self._answer(ref) is not NEVER]
        return ready[:num_returns], [ref for ref in refs if ref not in ready[:num_returns]]

    def get(self, ref):
        """Return a reply that is there."""
        answer = self._answer(ref)
        if isinstance(answer, RayError):
            raise answer
        assert answer is not NEVER
        return answer

    def kill(self, actor):
        """End an actor."""
        actor.killed = True

    def _answer(self, ref):
        """What a command was answered: of this actor and number, of this word, or never."""
        actor, number = ref
        command, _ = actor.sent[number]
        where = self.actors.index(actor)
        return self.answers.get((where, number), self.answers.get(command, NEVER))

    def require(self):
        """Count how often the head was looked for."""
        self.checks += 1

    def nodes(self):
        """Return the nodes that are alive."""
        return [{"Alive": True, "Resources": one} for one in self.resources]

    def free(self):
        """Return what neither others nor living actors use."""
        found = {}
        for one in self.resources:
            for name, value in one.items():
                found[name] = found.get(name, 0.0) + value
        mine = sum(not actor.killed for actor in self.actors) * self.options["num_cpus"]
        return found | {"CPU": found.get("CPU", 0.0) - self.others - mine}
