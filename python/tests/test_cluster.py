"""Studies on a Dask cluster of several processes on this machine."""

import os
import pathlib
import signal
import socket
import subprocess
import sys
import threading
import time

import pytest

import achilles
from achilles.studies import sweep
from achilles.studies.cluster import ClusterError
from achilles.studies.convergence import converge, sensitivity

SCENE = """achilles: 1
time: {step: 0.01, duration: 0.3}
method: {name: lcp-fixed}
bodies:
  - {name: ground, kind: fixed, shape: {plane: {normal: [0, 0, 1]}}}
  - {name: box, shape: {box: {size: [1, 1, 1]}}, mass: 1, position: [0, 0, 0.6], velocity: [2, 0, 0]}
"""
STUDY = """achilles_study: 1
scene: box.yaml
vary: {materials.default.friction: {range: [0.1, 0.9], count: COUNT}}
"""

distributed = pytest.importorskip("distributed", reason="Dask is not installed")


class Cluster:
    """A scheduler and two workers, each a process."""

    def __init__(self, folder):
        self.folder = folder
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        self.address = f"tcp://127.0.0.1:{self.port}"
        package = str(pathlib.Path(achilles.__file__).parent.parent)
        self.environment = {**os.environ, "PYTHONPATH": package}
        self.scheduler = self.start_scheduler()
        self.workers = [self.start_worker() for _ in range(2)]

    def start(self, module, *arguments):
        return subprocess.Popen([sys.executable, "-m", module, *arguments], env=self.environment, cwd=self.folder,
                                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)

    def start_scheduler(self):
        return self.start("distributed.cli.dask_scheduler", "--host", "127.0.0.1", "--port", str(self.port),
                          "--no-dashboard")

    def start_worker(self):
        return self.start("distributed.cli.dask_worker", self.address, "--nthreads", "1", "--host", "127.0.0.1",
                          "--no-dashboard", "--death-timeout", "60")

    def close(self):
        for process in (*self.workers, self.scheduler):
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()


@pytest.fixture
def cluster(tmp_path):
    (tmp_path / "box.yaml").write_text(SCENE)
    made = Cluster(tmp_path)
    yield made
    made.close()


def write_study(folder, count):
    path = folder / "study.yaml"
    path.write_text(STUDY.replace("COUNT", str(count)))
    return path


def wait_for_rows(folder, count):
    journal = folder / "runs.jsonl"
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        if journal.exists() and journal.read_bytes().count(b"\n") >= count:
            return
        time.sleep(0.02)
    raise AssertionError("the sweep does not advance")


def test_a_cluster_gives_the_bits_of_local_runs(cluster, tmp_path):
    study = write_study(tmp_path, 12)
    there = sweep(study, tmp_path / "cluster", cluster=cluster.address)
    here = sweep(study, tmp_path / "local", workers=2)
    assert there.columns["id"] == here.columns["id"]
    assert there.columns["state_hash"] == here.columns["state_hash"]
    assert there.count_statuses() == {"done": 12}


def test_killed_workers_and_a_restarted_scheduler_lose_no_run(cluster, tmp_path):
    count = 600
    study = write_study(tmp_path, count)
    found, notices = [], []
    thread = threading.Thread(target=lambda: found.append(
        sweep(study, tmp_path / "out", cluster=cluster.address, notice=notices.append)))
    thread.start()
    wait_for_rows(tmp_path / "out", 20)
    os.killpg(cluster.workers[0].pid, signal.SIGKILL)
    wait_for_rows(tmp_path / "out", 60)
    os.killpg(cluster.scheduler.pid, signal.SIGKILL)
    cluster.scheduler.wait()
    cluster.scheduler = cluster.start_scheduler()
    cluster.workers.append(cluster.start_worker())
    thread.join(240)
    assert not thread.is_alive()
    ids = found[0].columns["id"]
    assert len(ids) == len(set(ids)) == count
    assert found[0].count_statuses() == {"done": count}
    here = sweep(study, tmp_path / "local", workers=2)
    assert here.columns["id"] == ids and here.columns["state_hash"] == found[0].columns["state_hash"]
    assert len(set(here.columns["state_hash"])) == count  # equal by chance they would not be


def test_converge_and_sensitivity_give_the_numbers_of_local_runs(cluster, tmp_path):
    words = {"figure": "bodies.box.position.x", "scene": tmp_path / "box.yaml"}
    there, here = (converge(**words, levels=4, tolerance=1e-9, **where) for where in ({"cluster": cluster.address}, {"workers": 2}))
    assert there == here and len(here[0].levels) == 4
    over = {"materials.default.friction": (0.1, 0.5), "bodies.box.mass": (1, 2)}
    there, here = (sensitivity(**words, over=over, **where) for where in ({"cluster": cluster.address}, {"workers": 2}))
    assert there == here and here[0].parameter == "materials.default.friction"


def test_an_address_without_a_scheduler_is_an_error(tmp_path):
    (tmp_path / "box.yaml").write_text(SCENE)
    with pytest.raises(ClusterError, match="no Dask scheduler answers"):
        sweep(write_study(tmp_path, 2), tmp_path / "out", cluster="tcp://127.0.0.1:1")
