"""A head that comes back is waited for; one that is gone, or a node of our own, is a sentence."""

import socket
import threading
import time
from types import SimpleNamespace

import pytest

import simplicert as sc
from simplicert.drawing.engines import cluster
from simplicert.drawing.engines.cluster import ClusterHead


def listener(port=0):
    server = socket.socket()
    server.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    server.bind(("127.0.0.1", port))
    server.listen()
    return server


def fake_ray(port, ended=None, nodes=None):
    """What the leader asks of Ray; `ended` is the exit code of its raylet."""
    process = SimpleNamespace(process=SimpleNamespace(poll=lambda: ended))
    node = SimpleNamespace(all_processes={"raylet": [process]})
    return SimpleNamespace(
        get_runtime_context=lambda: SimpleNamespace(gcs_address=f"127.0.0.1:{port}"),
        nodes=nodes or (lambda: [{"Alive": True}, {"Alive": False}]),
        _private=SimpleNamespace(worker=SimpleNamespace(_global_node=node)),
    )


def test_a_connection_that_comes_back_changes_nothing(monkeypatch):
    monkeypatch.setattr(cluster, "HEAD_CHECK_SECONDS", 0.01)
    server = listener()
    port = server.getsockname()[1]
    head = ClusterHead(fake_ray(port), own=False)
    assert len(head.nodes()) == 1
    server.close()
    back = []
    timer = threading.Timer(0.1, lambda: back.append(listener(port)))
    timer.start()
    begun = time.monotonic()
    head.require()
    assert time.monotonic() - begun >= 0.05
    timer.join()
    assert len(head.nodes()) == 1
    back[0].close()


def test_a_head_of_another_cluster_at_the_same_address_is_a_sentence(monkeypatch):
    """A call to it would end the process with a stack trace of C++."""
    monkeypatch.setattr(cluster, "HEAD_CHECK_SECONDS", 0.01)
    server = listener()
    port = server.getsockname()[1]
    ray = fake_ray(port)
    ray._private.worker._global_node.cluster_id = "mine"
    ray._raylet = SimpleNamespace(GcsClient=lambda address: SimpleNamespace(cluster_id="another"))
    head = ClusterHead(ray, own=False)
    head.require()  # it was never away: nobody is asked
    server.close()
    back = []
    timer = threading.Timer(0.1, lambda: back.append(listener(port)))
    timer.start()
    with pytest.raises(sc.SamplingFailed, match=r"was restarted: what was drawn is kept"):
        head.require()
    timer.join()
    back[0].close()


def test_a_head_that_stays_away_is_a_sentence(monkeypatch):
    monkeypatch.setattr(cluster, "HEAD_CHECK_SECONDS", 0.01)
    monkeypatch.setattr(cluster, "REMOTE_SECONDS", 0.05)
    server = listener()
    head = ClusterHead(fake_ray(server.getsockname()[1]), own=False)
    server.close()
    with pytest.raises(sc.SamplingFailed, match=r"head of the Ray cluster is gone: .* continues$"):
        head.require()


def test_a_node_of_our_own_that_ended_is_a_sentence():
    """The head still listens, and no worker will ever start again."""
    with listener() as server:
        port = server.getsockname()[1]
        ClusterHead(fake_ray(port), own=True).require()
        ClusterHead(fake_ray(port, ended=-9), own=False).require()  # on a cluster others go on
        with pytest.raises(sc.SamplingFailed, match=r"node of this run's own Ray is gone: .*"):
            ClusterHead(fake_ray(port, ended=-9), own=True).require()


def test_a_head_that_raises_is_a_sentence(monkeypatch):
    """As one that was restarted and knows nothing of this run."""
    monkeypatch.setattr(cluster, "HEAD_CHECK_SECONDS", 0.01)

    def refuse():
        raise RuntimeError("another cluster")

    with listener() as server:
        head = ClusterHead(fake_ray(server.getsockname()[1], nodes=refuse), own=False)
        with pytest.raises(sc.SamplingFailed, match=r"did not answer: what was drawn is kept"):
            head.nodes()


def test_an_address_that_is_not_known_is_not_looked_at(monkeypatch):
    """A client of a proxy does not know where the head is, and another Ray has other names."""
    monkeypatch.setattr(cluster, "REMOTE_SECONDS", 0.05)
    for answer in ("", "somewhere", "127.0.0.1:port"):
        ray = fake_ray(0)
        ray.get_runtime_context = lambda held=answer: SimpleNamespace(gcs_address=held)
        head = ClusterHead(ray, own=False)
        assert head.address is None and len(head.nodes()) == 1
    bare = SimpleNamespace(nodes=lambda: [], available_resources=lambda: {"CPU": 2.0})
    assert ClusterHead(bare, own=True).free() == {"CPU": 2.0}
    assert cluster.has_process_ended(SimpleNamespace(), "raylet") is False
    six = SimpleNamespace(get_runtime_context=lambda: SimpleNamespace(gcs_address="[::1]:6379"))
    assert ClusterHead(six, own=False).address == ("::1", 6379)


def test_a_call_that_never_ends_keeps_nobody_waiting(monkeypatch):
    """The head goes while it is asked: a sentence, and a thread that the end does not wait for."""
    monkeypatch.setattr(cluster, "HEAD_CHECK_SECONDS", 0.01)
    monkeypatch.setattr(cluster, "REMOTE_SECONDS", 0.05)
    asked, never = threading.Event(), threading.Event()

    def hang():
        asked.set()
        server.close()
        never.wait()

    server, before = listener(), set(threading.enumerate())
    head = ClusterHead(fake_ray(server.getsockname()[1], nodes=hang), own=False)
    with pytest.raises(sc.SamplingFailed, match="head of the Ray cluster is gone"):
        head.nodes()
    assert asked.is_set()
    (left,) = set(threading.enumerate()) - before
    assert left.daemon
    never.set()
    left.join()
