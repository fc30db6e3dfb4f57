"""Studies: what a file may say, which runs follow from it, and that no run is lost or done twice."""

import dataclasses
import json
import math
import os
import pathlib
import signal
import subprocess
import sys
import time

import pytest

import achilles
from conftest import SCENES
from achilles.studies import Study, StudyError, open_results, sweep
from achilles.studies.convergence import _refine, converge, observe_order, sensitivity
from achilles.studies.expression import Expression, ExpressionError
from achilles.studies.page import write_page, write_summary
from achilles.studies.plan import count_runs, list_runs, read_all_scenes, read_scene_files
from achilles.studies.run_one import execute, write_scene
from achilles.studies.store import Journal, StoreError
from achilles.studies.study import CURVES, spread

# A box slides on a plane and stops where friction has done the work of its kinetic energy.
SLIDE = """achilles: 1
name: slide
time: {step: 0.01, duration: 0.2}
method: {name: lcp-fixed}
materials: {default: {friction: 0.3, restitution: 0}}
bodies:
  - {name: ground, kind: fixed, shape: {plane: {normal: [0, 0, 1]}}}
  - {name: box, shape: {box: {size: [1, 1, 1]}}, mass: 1, position: [0, 0, 0.5], velocity: [2, 0, 0]}
"""

STUDY = """achilles_study: 1
name: friction of a sliding box
scene: slide.yaml
vary:
  materials.default.friction: {range: [0.1, 0.5], count: 3}
  method: [lcp-fixed, soft-step]
keep: {figures: [bodies.box.velocity.x, energy.final], curves: [energy]}
success: bodies.box.velocity.x < 1.7 and stopped == null
"""


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "slide.yaml").write_text(SLIDE)
    (tmp_path / "study.yaml").write_text(STUDY)
    return tmp_path


def write_study(folder, text, name="study.yaml"):
    path = folder / name
    path.write_text(text)
    return path


def test_every_mistake_of_a_study_is_reported_with_its_line(folder):
    path = write_study(folder, """achilles_study: 1
scene: nowhere.yaml
vry: {time.step: [1]}
vary:
  time.step: {range: [0.01, -1], count: 3, spacing: log}
  a: {uniform: [0, 1]}
success: __import__('os').system('true')
limits: {time: -1}
""")
    with pytest.raises(StudyError) as error:
        Study.load(path)
    text = str(error.value)
    for line, words in ((2, "nowhere.yaml"), (3, "did you mean 'vary'"), (5, "positive ends"), (6, "needs 'sample'"),
                        (7, "not allowed"), (8, "limits.time")):
        assert f"{path}:{line}: " in text and words in text


@pytest.mark.parametrize("text", ["", "[]", "a: [", "achilles_study: 2\nscene: slide.yaml\nvary: {a: [1]}", "- 1\n- 2",
                                  "achilles_study: 1\nscene: slide.yaml\nvary: {}"])
def test_a_file_that_is_no_study_is_refused(folder, text):
    with pytest.raises(StudyError):
        Study.load(write_study(folder, text))


def test_ranges_end_where_they_say():
    assert spread(1, 3, 3) == [1, 2, 3]
    assert spread(0.1, 0.3, 3)[-1] == 0.3
    values = spread(1e-3, 1e-1, 3, "log")
    assert values[0] == 1e-3 and values[2] == 1e-1 and math.isclose(values[1], 1e-2)


def test_criteria_reach_the_report_and_nothing_else():
    report = {"penetration": {"max": 1e-4}, "stopped": None, "list": [1, 2]}
    assert Expression("penetration.max < 1e-3 and stopped == null").evaluate(report) is True
    assert Expression("max(list[0], list[1]) ** 2 - 1 == 3").evaluate(report) is True
    for text in ("().__class__", "lambda: 1", "open('x')", "[x for x in y]", "a if b else c", "1 <"):
        with pytest.raises(ExpressionError):
            Expression(text)
    with pytest.raises(ExpressionError, match="there is max"):
        Expression("penetration.min > 0").evaluate(report)


def test_samples_follow_their_seed_and_distribution(folder):
    text = """achilles_study: 1
scene: slide.yaml
sample: {kind: random, count: 400, seed: 5}
vary:
  materials.default.friction: {uniform: [0.2, 0.4]}
  time.step: {log-uniform: [1e-3, 1e-1]}
  bodies.box.mass: {normal: [5, 0.5]}
"""
    study = Study.load(write_study(folder, text))
    files = read_all_scenes(study)
    runs = list(list_runs(study, files, "1"))
    assert len(runs) == count_runs(study) == 400
    assert [run.id for run in runs] == [run.id for run in list_runs(study, files, "1")]
    friction = [run.inputs["materials.default.friction"] for run in runs]
    assert all(0.2 <= v <= 0.4 for v in friction)
    # The mean of 400 uniform values of width w errs by w / sqrt(12 · 400) = 0.0029: five of them.
    assert abs(sum(friction) / 400 - 0.3) < 5 * 0.0029
    logs = [math.log10(run.inputs["time.step"]) for run in runs]
    assert abs(sum(logs) / 400 + 2) < 5 * 2 / math.sqrt(12 * 400)
    mass = [run.inputs["bodies.box.mass"] for run in runs]
    assert abs(sum(mass) / 400 - 5) < 5 * 0.5 / 20


def test_the_identity_of_a_run_is_its_complete_input(folder):
    study = Study.load(folder / "study.yaml")
    files = read_all_scenes(study)
    ids = [run.id for run in list_runs(study, files, "1")]
    assert len(set(ids)) == 6
    assert ids != [run.id for run in list_runs(study, files, "2")]
    (folder / "slide.yaml").write_text(SLIDE.replace("mass: 1", "mass: 2"))
    changed = [run.id for run in list_runs(study, read_all_scenes(study), "1")]
    assert not set(ids) & set(changed)


def test_a_sweep_gives_the_numbers_of_single_runs(folder):
    results = sweep(folder / "study.yaml", folder / "out", workers=2)
    assert results.count_statuses() == {"done": 6}
    for row in results.rows:
        scene = achilles.load(folder / "slide.yaml", {
            "materials.default.friction": row["inputs"]["materials.default.friction"],
            "method.name": row["inputs"]["method"]})
        sim = achilles.Simulation(scene)
        sim.run()
        assert row["state_hash"] == f"{sim.state_hash():016x}"
        # v = v0 - mu g t under Coulomb's law; soft contacts settle within a step's worth of it.
        expected = 2 - row["inputs"]["materials.default.friction"] * 9.81 * 0.2
        assert abs(row["figures"]["bodies.box.velocity.x"] - expected) < 0.3 * 9.81 * 0.01
        assert row["success"] == (row["figures"]["bodies.box.velocity.x"] < 1.7)
        assert len(row["curves"]["energy"]) == len(row["curves"]["time"]) == 20
    h5py = pytest.importorskip("h5py")
    with h5py.File(folder / "out" / "results.h5") as file:
        assert sorted(file["runs/input.method"].asstr()[:]) == ["lcp-fixed"] * 3 + ["soft-step"] * 3
        assert file["runs/energy.final"].shape == (6,)


def test_a_sweep_that_is_called_again_runs_only_what_is_missing(folder):
    out = folder / "out"
    sweep(folder / "study.yaml", out, workers=1)
    lines = (out / "runs.jsonl").read_bytes().splitlines(keepends=True)
    # As after kill -9 in the middle of a write: four runs and half a line.
    (out / "runs.jsonl").write_bytes(b"".join(lines[:4]) + lines[4][:37])
    results = sweep(folder / "study.yaml", out, workers=1)
    again = (out / "runs.jsonl").read_bytes().splitlines(keepends=True)
    assert again[:4] == lines[:4] and len(again) == 6
    assert len(results) == 6
    assert sweep(folder / "study.yaml", out, workers=1).columns["id"] == results.columns["id"]
    assert (out / "runs.jsonl").read_bytes() == b"".join(again)


def test_missing_packages_are_named_with_what_installs_them(folder):
    # An interpreter that finds neither PyYAML nor what Debian installs.
    package = pathlib.Path(achilles.__file__).parent.parent
    for name in ("yaml", "numpy"):
        code = ("import importlib.util, runpy, sys; find = importlib.util.find_spec\n"
                f"importlib.util.find_spec = lambda name, *rest: None if name == '{name}' else find(name, *rest)\n"
                "sys.argv = ['achilles', 'sweep', 'study.yaml', '-o', 'out']\n"
                "runpy.run_module('achilles.studies', run_name='__main__', alter_sys=True)")
        done = subprocess.run([sys.executable, "-c", code], cwd=folder, env={**os.environ, "PYTHONPATH": str(package)},
                              capture_output=True, text=True)
        assert done.returncode == 1 and f"Debian: python3-{name}" in done.stderr and "Traceback" not in done.stderr


def test_a_study_of_several_scenes_runs_each_of_them(folder):
    (folder / "fast.yaml").write_text(SLIDE.replace("velocity: [2, 0, 0]", "velocity: [3, 0, 0]"))
    study = write_study(folder, """achilles_study: 1
scene: [slide.yaml, fast.yaml]
vary: {materials.default.friction: [0.1, 0.3]}
""")
    results = sweep(study, folder / "out", workers=2)
    assert results.columns["input.scene"] == ["slide", "slide", "fast", "fast"]
    for row in results.rows:
        scene = achilles.load(folder / f"{row['inputs']['scene']}.yaml",
                              {"materials.default.friction": row["inputs"]["materials.default.friction"]})
        assert row["figures"]["energy.final"] == achilles.run(scene)["energy"]["final"]
    for wrong in ("scene: []\nvary: {a: [1]}", "scene: [slide.yaml, slide.yaml]\nvary: {a: [1]}",
                  "scene: slide.yaml\nvary: {scene: [slide.yaml]}", "scene: [slide.yaml, none.yaml]\nvary: {a: [1]}"):
        with pytest.raises(StudyError, match="scene"):
            Study.load(write_study(folder, f"achilles_study: 1\n{wrong}\n"))


def test_files_of_a_scene_travel_in_their_relation_to_it(folder):
    tetrahedron = "0 0 0\n1 0 0\n0 1 0\n0 0 1\n"
    (folder / "shapes").mkdir()
    (folder / "deep" / "scenes").mkdir(parents=True)
    (folder / "shapes" / "stone.txt").write_text(tetrahedron)
    path = folder / "deep" / "scenes" / "stone.yaml"
    path.write_text("""achilles: 1
bodies:
  - {name: stone, shape: {hull: {file: ../../shapes/stone.txt}}, mass: 1}
""")
    files = read_scene_files(path)
    assert files.contents["../../shapes/stone.txt"] == tetrahedron.encode()
    there = write_scene(files, folder / "elsewhere")
    assert (folder / "elsewhere") in there.parents
    assert achilles.load(there).files == achilles.load(path).files


def test_a_robot_travels_as_the_scene_that_it_becomes(folder):
    robot = SCENES.parent / "examples" / "robots" / "arm.urdf"
    there = write_scene(read_scene_files(robot), folder / "elsewhere")
    sims = [achilles.Simulation(achilles.load(path)) for path in (robot, there)]
    for sim in sims:
        sim.step(10)
    assert sims[0].state_hash() == sims[1].state_hash()


@pytest.mark.parametrize("path", sorted((SCENES.parent / "examples" / "studies").glob("*.yaml")), ids=lambda path: path.stem)
def test_the_studies_of_the_repository_can_be_run(path):
    if "achilles_study" not in path.read_text():
        pytest.skip("a scene")
    study = Study.load(path)
    files = read_all_scenes(study)
    runs = list(list_runs(study, files, "1"))
    assert len(runs) == count_runs(study) == len({run.id for run in runs})
    # Each scene under each method takes a step.
    for run in {(run.scene, run.method): run for run in runs}.values():
        result = execute(dataclasses.replace(run, overrides={**run.overrides, "time.duration": run.overrides["time.step"]}),
                         str(study.scenes[run.scene]), figures=study.keep, success=study.success)
        assert result["status"] == "done", result["message"]


def test_every_curve_is_kept_over_time(folder):
    study = write_study(folder, "achilles_study: 1\nscene: slide.yaml\nvary: {method: [lcp-fixed]}\n"
                                f"keep: {{figures: [energy.final], curves: [{', '.join(CURVES)}]}}\n")
    (row,) = sweep(study, folder / "out", workers=1).rows
    curves = row["curves"]
    assert set(curves) == {"time", *CURVES} and {len(values) for values in curves.values()} == {20}
    assert math.isclose(curves["energy"][-1], row["figures"]["energy.final"])
    # At rest on the plane the box keeps its height, and slides: v = v0 - mu g t of 1 kg.
    speed = [2 - 0.3 * 9.81 * t for t in curves["time"]]
    assert all(math.isclose(kinetic, 0.5 * v**2, rel_tol=1e-6) for kinetic, v in zip(curves["kinetic"], speed))
    assert max(curves["joint_error"]) == 0 and min(curves["contacts"]) >= 3


def test_two_sweeps_do_not_share_a_folder(folder):
    journal = Journal(folder / "out")
    try:
        with pytest.raises(StoreError, match="in use"):
            sweep(folder / "study.yaml", folder / "out")
    finally:
        journal.close()


FAULTS = """import os, signal, time
import achilles

class Faulty(achilles.Simulation):
    def run(self, *arguments, **options):
        friction = self.scene.tree["materials"]["default"]["friction"]
        if friction == 0.2:
            os.kill(os.getpid(), signal.SIGSEGV)
        if friction == 0.3:
            time.sleep(3600)
        return super().run(*arguments, **options)

achilles.Simulation = Faulty
"""


def test_runs_that_crash_or_never_end_are_recorded_and_the_sweep_goes_on(folder, monkeypatch):
    (folder / "sitecustomize.py").write_text(FAULTS)
    path = f"{folder}{os.pathsep}{pathlib.Path(achilles.__file__).parent.parent}"
    monkeypatch.setenv("PYTHONPATH", path)
    study = write_study(folder, """achilles_study: 1
scene: slide.yaml
vary: {materials.default.friction: [0.1, 0.2, 0.3, 0.4, -1]}
limits: {time: 3}
""")
    results = sweep(study, folder / "out", workers=2)
    by_friction = {row["inputs"]["materials.default.friction"]: row for row in results.rows}
    assert by_friction[0.1]["status"] == by_friction[0.4]["status"] == "done"
    assert by_friction[0.2]["status"] == "crashed" and "SIGSEGV" in by_friction[0.2]["message"]
    assert by_friction[0.3]["status"] == "timeout"
    assert by_friction[-1]["status"] == "refused" and "friction" in by_friction[-1]["message"]
    # What took its process along is kept as a scene with the command that runs it.
    for friction in (0.2, 0.3):
        kept = folder / "out" / by_friction[friction]["scene"]
        scene = achilles.load(kept / "slide.yaml", {"materials.default.friction": friction})
        assert scene.text == achilles.load(folder / "slide.yaml", {"materials.default.friction": friction}).text
        assert f"materials.default.friction={friction}" in (kept / "command").read_text()
    assert "scene" not in by_friction[0.1] and "scene" not in by_friction[-1]


def test_a_run_that_takes_too_much_memory_ends_alone(folder):
    # 900,000 bodies take more than 50 MB, a dozen do not, whatever the interpreter itself takes.
    (folder / "many.yaml").write_text("""achilles: 1
time: {step: 0.01, duration: 0.02}
bodies:
  - {name: ball, shape: {sphere: {radius: 0.1}}, repeat: {count: [10, 1, 1], spacing: [1, 1, 1]}}
""")
    study = write_study(folder, """achilles_study: 1
scene: many.yaml
vary: {bodies.ball.repeat.count: [[10, 1, 1], [3000, 300, 1], [12, 1, 1]]}
limits: {memory: 5.0e7}
""")
    results = sweep(study, folder / "out", workers=1)
    assert results.columns["status"] == ["done", "out of memory", "done"]
    assert (folder / "out" / results.rows[1]["scene"] / "many.yaml").is_file()


def test_a_full_disk_loses_no_finished_run(folder):
    if not pathlib.Path("/dev/full").exists():
        pytest.skip("no /dev/full here")
    out = folder / "out"
    journal = Journal(out)
    journal.append({"id": "a", "index": 0})
    journal._file.close()
    journal._file = open("/dev/full", "ab", buffering=0)
    with pytest.raises(StoreError, match="what was finished before is kept"):
        journal.append({"id": "b", "index": 1})
    journal.close()
    assert [json.loads(line)["id"] for line in (out / "runs.jsonl").read_text().splitlines()] == ["a"]


def test_a_sweep_whose_disk_fills_up_keeps_what_is_done_and_continues(folder):
    study = write_study(folder, """achilles_study: 1
scene: slide.yaml
vary: {materials.default.friction: {range: [0.1, 0.9], count: 60}}
""")
    environment = {**os.environ, "PYTHONPATH": str(pathlib.Path(achilles.__file__).parent.parent)}
    command = [sys.executable, "-m", "achilles.studies", "sweep", str(study), "-o", str(folder / "out"), "-q"]
    limited = ["bash", "-c", 'ulimit -f 20; exec "$@"', "bash", *command]  # files of at most 20 KiB
    full = subprocess.run(limited, env=environment, capture_output=True, text=True)
    assert full.returncode == 1 and "what was finished before is kept" in full.stderr
    journal = folder / "out" / "runs.jsonl"
    before = journal.read_text().splitlines()
    assert 0 < len(before) < 60 and all(json.loads(line)["status"] == "done" for line in before)
    assert subprocess.run(command, env=environment).returncode == 0
    after = journal.read_text().splitlines()
    assert after[:len(before)] == before
    assert len({json.loads(line)["id"] for line in after}) == len(after) == 60


def test_an_interrupted_sweep_continues(folder):
    study = write_study(folder, """achilles_study: 1
scene: slide.yaml
set: {time.duration: 0.5}
vary: {materials.default.friction: {range: [0.1, 0.9], count: 400}}
""")
    environment = {**os.environ, "PYTHONPATH": str(pathlib.Path(achilles.__file__).parent.parent)}
    command = [sys.executable, "-m", "achilles.studies", "sweep", str(study), "-o", str(folder / "out"), "-q"]
    process = subprocess.Popen(command, env=environment)
    deadline = time.monotonic() + 60
    journal = folder / "out" / "runs.jsonl"
    while (not journal.exists() or journal.stat().st_size < 5000) and time.monotonic() < deadline:
        time.sleep(0.02)
    process.send_signal(signal.SIGKILL)
    process.wait()
    before = journal.read_bytes().count(b"\n")
    assert 0 < before
    assert subprocess.run(command, env=environment).returncode == 0
    ids = [json.loads(line)["id"] for line in journal.read_text().splitlines()]
    assert len(ids) == len(set(ids)) == 400


def test_repeats_start_from_perturbed_states(folder):
    study = write_study(folder, """achilles_study: 1
scene: slide.yaml
repeats: {count: 3, perturb: {position: 1e-3, tilt: 1e-3, velocity: 1e-2}}
vary: {method: [lcp-fixed]}
""")
    results = sweep(study, folder / "out", workers=1)
    assert len({row["state_hash"] for row in results.rows}) == 3
    with pytest.raises(StudyError, match="same bits"):
        Study.load(write_study(folder, "achilles_study: 1\nscene: slide.yaml\nvary: {a: [1]}\nrepeats: {count: 3}\n"))


def test_pages_and_summaries_tell_success_by_parameter(folder):
    results = sweep(folder / "study.yaml", folder / "out", workers=2)
    summary = write_summary(results)
    assert "6 runs: 6 done" in summary and "materials.default.friction" in summary
    page = write_page(results, folder / "page", "a study </script>").read_text()
    assert page.count("</script>") == 2 and "lcp-fixed" in page


def test_the_page_plays_failures_that_were_recorded(folder):
    study = write_study(folder, STUDY.replace("curves: [energy]", "recording: on-failure"))
    results = sweep(study, folder / "out", workers=2)
    failures = [row["id"] for row in results.rows if not row["success"]]
    assert failures and len(failures) < 6
    page = write_page(results, folder / "page", "failures").read_text()
    for row in failures:
        assert "three" in (folder / "page" / f"{row}.html").read_text().lower()
    assert page.count('"play":true') == len(failures) == len(list((folder / "page").glob("*.html"))) - 1


def test_the_observed_order_is_that_of_the_error():
    # f(h) = 3 + 2 h^p at h = 1, 1/2, 1/4.
    for order in (1, 2, 4):
        assert math.isclose(observe_order([3 + 2 * 0.5 ** (order * k) for k in range(3)]), order)
    assert math.isnan(observe_order([1, 1, 1])) and math.isnan(observe_order([1, 2]))


def test_halving_the_step_shows_the_order_of_the_method(folder):
    # What slides moves with the velocity at the end of each step: x(t) = v0 t - mu g t (t + h) / 2, of first order.
    (found,) = converge(folder / "slide.yaml", "bodies.box.position.x", levels=4, tolerance=1e-9, workers=2)
    assert math.isclose(found.levels[0].value, 2 * 0.2 - 0.3 * 9.81 * 0.2 * 0.21 / 2, rel_tol=1e-9)
    assert abs(found.order - 1) < 1e-3
    assert math.isclose(found.extrapolated, 2 * 0.2 - 0.3 * 9.81 * 0.04 / 2, rel_tol=1e-6)
    assert not found.is_settled


def test_tolerances_are_halved_with_the_step(folder):
    scene = achilles.load(folder / "slide.yaml", {"method": {"name": "lcp-fixed", "tolerance": 1e-6}})
    for level in range(4):
        refined = _refine(scene, "lcp-fixed", level)
        assert refined == {"time.step": scene.step / 2**level, "method.tolerance": 1e-6 / 2**level}
    # Another method than the scene's starts from its own default, and nothing falls below what is allowed.
    option = achilles.methods()["impulse-naive"]["options"]["tolerance"]
    assert _refine(scene, "impulse-naive", 1)["method.tolerance"] == option["default"] / 2
    assert _refine(scene, "impulse-naive", 60)["method.tolerance"] == option["minimum"]
    assert list(_refine(scene, "soft-step", 2)) == ["time.step"]


def test_an_unknown_figure_is_an_error_and_not_a_ranking(folder):
    with pytest.raises(StudyError, match="the report has no 'bodies.bax'"):
        sensitivity(folder / "slide.yaml", "bodies.bax.velocity.x", {"bodies.box.mass": (1, 2)}, workers=1)


def test_sensitivity_ranks_by_what_moves_the_figure(folder):
    effects = sensitivity(folder / "slide.yaml", "bodies.box.velocity.x",
                          {"bodies.box.mass": (1, 2), "materials.default.friction": (0.1, 0.5)}, workers=2)
    assert [effect.parameter for effect in effects] == ["materials.default.friction", "bodies.box.mass"]
    # v = v0 - mu g t, whatever the mass.
    assert math.isclose(effects[0].size, 0.4 * 9.81 * 0.2, rel_tol=1e-3)
    assert effects[1].size < 1e-6


def test_parquet_or_pandas_are_extras(folder):
    results = sweep(folder / "study.yaml", folder / "out", workers=1)
    pandas = pytest.importorskip("pandas")
    table = results.to_pandas()
    assert isinstance(table, pandas.DataFrame) and len(table) == len(open_results(folder / "out"))
