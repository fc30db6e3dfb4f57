"""Sweeps that are interrupted, killed, or whose runs go wrong: nothing is lost, nothing stays behind."""

import json
import os
import pathlib
import pickle
import signal
import subprocess
import sys
import time

import pytest

import achilles
from achilles.studies import Study, StudyError, open_results, sweep
from achilles.studies.page import write_summary
from achilles.studies.plan import list_runs, read_all_scenes
from test_studies import SLIDE, STUDY, write_study

PACKAGE = str(pathlib.Path(achilles.__file__).parent.parent)
ENDLESS = """achilles_study: 1
scene: slide.yaml
set: {time.duration: 1.0e+8}
vary: {materials.default.friction: [0.1, 0.2]}
"""
MANY = """achilles_study: 1
scene: slide.yaml
set: {time.duration: 1}
vary: {materials.default.friction: {range: [0.1, 0.9], count: 400}}
keep: {figures: [energy.final]}
"""


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "slide.yaml").write_text(SLIDE)
    (tmp_path / "study.yaml").write_text(STUDY)
    return tmp_path


def start(folder, *words):
    """A sweep in a session of its own, as in a terminal of its own."""
    command = [sys.executable, "-m", "achilles.studies", "sweep", "study.yaml", "-o", "out", "--workers", "2", *words]
    return subprocess.Popen(command, cwd=folder, env={**os.environ, "PYTHONPATH": PACKAGE}, stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, text=True, start_new_session=True)


def wait_until(condition, seconds=60):
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "it does not come about"
        time.sleep(0.02)


def list_children(process):
    try:
        return [int(word) for word in pathlib.Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()]
    except OSError:
        return []


def is_running(pid):
    try:
        return pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False


needs_proc = pytest.mark.skipif(not pathlib.Path("/proc/self/stat").exists(), reason="no /proc here")


@needs_proc
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT, signal.SIGTERM])
def test_workers_end_with_their_sweep_also_in_a_run_without_end(folder, number):
    write_study(folder, ENDLESS)
    process = start(folder)
    try:
        wait_until(lambda: len(list_children(process)) == 2)
        workers = list_children(process)
        time.sleep(0.5)  # they are in their runs
        assert all(map(is_running, workers))
        os.killpg(process.pid, number)
        process.communicate(timeout=30)
        wait_until(lambda: not any(map(is_running, workers)), 20)
    finally:
        process.kill()


def test_ctrl_c_keeps_what_is_done_and_the_same_command_continues(folder):
    write_study(folder, MANY)
    process = start(folder)
    journal = folder / "out" / "runs.jsonl"
    wait_until(lambda: journal.exists() and journal.stat().st_size > 5000)
    os.killpg(process.pid, signal.SIGINT)  # as a terminal does: to all processes of the sweep
    _, errors = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "interrupted; the same command continues" in errors and "Traceback" not in errors
    before = journal.read_text().splitlines()
    assert 0 < len(before) < 400 and all(json.loads(line)["status"] == "done" for line in before)
    process = start(folder, "--quiet")
    assert process.communicate(timeout=120)[1] == "" and process.returncode == 0
    after = journal.read_text().splitlines()
    assert after[:len(before)] == before
    # The same bits as those of a sweep that was left alone.
    whole = sweep(folder / "study.yaml", folder / "whole", workers=2)
    results = open_results(folder / "out")
    assert results.columns["id"] == whole.columns["id"] and len(after) == 400
    assert results.columns["state_hash"] == whole.columns["state_hash"]


FAULTS = """import os, pathlib, time
import achilles

FOLDER = pathlib.Path(__file__).parent

class Faulty(achilles.Simulation):
    def run(self, *arguments, **options):
        with open(FOLDER / "runs", "a") as file:
            file.write(f"{os.getpid()}\\n")
        fault = self.scene.tree["materials"]["default"]["friction"]
        if fault == 0.2 and not (FOLDER / "repaired").exists():
            time.sleep(3600)
        if fault == 0.3:
            bytearray(200_000_000)
        if fault == 0.4 and not (FOLDER / "repaired").exists():
            os.abort()
        if fault == 0.5:
            raise RuntimeError("no such luck")
        return super().run(*arguments, **options)

achilles.Simulation = Faulty
"""


@pytest.fixture
def faulty(folder, monkeypatch):
    """Runs go wrong by their friction; returns the processes of the runs since the last call."""
    (folder / "sitecustomize.py").write_text(FAULTS)
    monkeypatch.setenv("PYTHONPATH", f"{folder}{os.pathsep}{PACKAGE}")
    seen = []

    def list_processes():
        lines = (folder / "runs").read_text().split() if (folder / "runs").exists() else []
        new = lines[len(seen):]
        seen.extend(new)
        return new

    return list_processes


def make_faulty(folder, friction, time=60, memory=4e9):
    return write_study(folder, f"achilles_study: 1\nscene: slide.yaml\nvary: {{materials.default.friction: {friction}}}\n"
                               f"limits: {{time: {time}, memory: {memory:.1e}}}\n".replace("e+", "e"))


def test_an_exception_ends_its_run_and_not_the_worker(folder, faulty):
    results = sweep(make_faulty(folder, [0.1, 0.5, 0.6]), folder / "out", workers=1)
    assert results.columns["status"] == ["done", "crashed", "done"]
    assert results.rows[1]["message"] == "RuntimeError: no such luck"
    assert (folder / "out" / results.rows[1]["scene"] / "command").is_file()
    processes = faulty()
    assert len(processes) == 3 and len(set(processes)) == 1


def test_runs_beyond_a_limit_are_done_again_under_a_wider_one(folder, faulty):
    out = folder / "out"
    results = sweep(make_faulty(folder, [0.1, 0.2, 0.3], time=3, memory=5e7), out, workers=1)
    assert results.columns["status"] == ["done", "timeout", "out of memory"]
    failed = [out / row["scene"] for row in results.rows[1:]]
    assert all(path.is_dir() for path in failed) and len(faulty()) == 3
    # Nothing is done twice under the same limits or narrower ones.
    for limits in ({"time": 3, "memory": 5e7}, {"time": 2, "memory": 4e7}):
        assert sweep(make_faulty(folder, [0.1, 0.2, 0.3], **limits), out, workers=1).columns["status"] == results.columns["status"]
    assert faulty() == []
    (folder / "repaired").touch()
    results = sweep(make_faulty(folder, [0.1, 0.2, 0.3], time=3, memory=4e9), out, workers=1)
    assert results.columns["status"] == ["done", "timeout", "done"] and len(faulty()) == 1
    results = sweep(make_faulty(folder, [0.1, 0.2, 0.3], time=60, memory=4e9), out, workers=1)
    assert results.columns["status"] == ["done"] * 3 and len(faulty()) == 1
    assert not any(path.exists() for path in failed)


def test_time_of_a_run_begins_when_its_worker_has_come_up(folder, monkeypatch):
    # A machine under load takes seconds to start an interpreter.
    (folder / "sitecustomize.py").write_text("import time\ntime.sleep(2)\n")
    monkeypatch.setenv("PYTHONPATH", f"{folder}{os.pathsep}{PACKAGE}")
    results = sweep(make_faulty(folder, [0.1, 0.2], time=1), folder / "out", workers=1)
    assert results.columns["status"] == ["done"] * 2


def test_retry_does_again_what_took_its_process_along(folder, faulty):
    study = make_faulty(folder, [0.1, 0.4])
    assert sweep(study, folder / "out", workers=1).columns["status"] == ["done", "crashed"]
    assert sweep(study, folder / "out", workers=1).columns["status"] == ["done", "crashed"]
    assert len(faulty()) == 2
    (folder / "repaired").touch()
    assert sweep(study, folder / "out", workers=1).columns["status"] == ["done", "crashed"]
    assert sweep(study, folder / "out", workers=1, retry=True).columns["status"] == ["done", "done"]
    assert len(faulty()) == 1


def test_recording_that_cannot_be_written_is_reported(folder):
    path = write_study(folder, "achilles_study: 1\nscene: slide.yaml\nvary: {materials.default.friction: [0.1, 0.2]}\n"
                               "keep: {recording: always}\n")
    run = next(list_runs(Study.load(path), read_all_scenes(Study.load(path)), achilles.__version__))
    (folder / "out" / "recordings" / f"{run.id}.h5" / "in the way").mkdir(parents=True)
    results = sweep(path, folder / "out", workers=1)
    assert results.columns["status"] == ["done"] * 2
    assert results.rows[0]["message"].startswith("not recorded: ") and "recording" not in results.rows[0]
    assert results.rows[1]["message"] == "" and (folder / "out" / "recordings" / results.rows[1]["recording"]).is_file()


@pytest.mark.parametrize("change", [("success: bodies.box.velocity.x < 1.7", "success: bodies.box.velocity.x < 1.6"),
                                    ("figures: [bodies.box.velocity.x, energy.final]", "figures: [bodies.box.velocity.x]"),
                                    ("curves: [energy]", "curves: [energy], recording: on-failure")])
def test_another_criterion_or_figure_is_another_run_and_its_result_the_only_one_shown(folder, change):
    first = sweep(folder / "study.yaml", folder / "out", workers=2)
    second = sweep(write_study(folder, STUDY.replace(*change)), folder / "out", workers=2)
    assert not set(first.columns["id"]) & set(second.columns["id"])
    assert len(second) == 6 and second.former == 6
    assert "6 runs of an earlier form" in write_summary(second)
    for row in second.rows:
        limit = 1.6 if "1.6" in change[1] else 1.7
        assert row["success"] == (row["figures"]["bodies.box.velocity.x"] < limit)
    # The first study again finds its own results.
    lines = len((folder / "out" / "runs.jsonl").read_text().splitlines())
    assert sweep(write_study(folder, STUDY), folder / "out").columns["id"] == first.columns["id"]
    assert len((folder / "out" / "runs.jsonl").read_text().splitlines()) == lines == 12


def test_mistakes_of_a_study_survive_pickling(folder):
    with pytest.raises(StudyError) as caught:
        Study.load(write_study(folder, "achilles_study: 1\nscene: none.yaml\nvry: 1\n"))
    other = pickle.loads(pickle.dumps(caught.value))
    assert str(other) == str(caught.value) and other.problems == caught.value.problems and len(other.problems) > 1
