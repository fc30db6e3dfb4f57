"""The commands sweep, converge and sensitivity of the program hand over to the package."""

import os
import pathlib
import subprocess

import pytest

from test_studies import SLIDE, STUDY

PROGRAM = os.environ.get("ACHILLES_PROGRAM")
pytestmark = pytest.mark.skipif(not PROGRAM, reason="ACHILLES_PROGRAM names no program")


def run(folder, *words):
    # Without the variable the program has to find its package itself.
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    return subprocess.run([PROGRAM, *words], cwd=folder, env=environment, capture_output=True, text=True)


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "slide.yaml").write_text(SLIDE)
    (tmp_path / "study.yaml").write_text(STUDY)
    return tmp_path


def test_a_study_runs_is_shown_and_replayed(folder):
    done = run(folder, "sweep", "study.yaml", "-o", "out", "--workers", "2")
    assert done.returncode == 0 and "6 runs: 6 done" in done.stdout, done.stderr
    shown = run(folder, "sweep", "show", "out", "--report", "page")
    assert shown.returncode == 0 and pathlib.Path(folder, "page", "index.html").exists()
    first = pathlib.Path(folder, "out", "runs.jsonl").read_text().split('"id":"')[1][:24]
    replayed = run(folder, "sweep", "replay", "out", first, "--record", "one.h5")
    assert replayed.returncode == 0, replayed.stderr
    assert run(folder, "certify", "one.h5").returncode == 0


def test_a_study_with_mistakes_ends_with_2_and_names_the_line(folder):
    (folder / "study.yaml").write_text(STUDY.replace("success", "sucess"))
    done = run(folder, "sweep", "study.yaml", "-o", "out")
    assert done.returncode == 2 and "study.yaml:8: unknown key 'sucess'" in done.stderr
    assert not (folder / "out").exists()


def test_unknown_method_and_missing_study_end_with_2(folder):
    done = run(folder, "converge", "slide.yaml", "--figure", "energy.final", "--methods", "lcp-fxed")
    assert done.returncode == 2 and "no method 'lcp-fxed'" in done.stderr
    done = run(folder, "sweep", "none.yaml", "-o", "out")
    assert done.returncode == 2 and done.stderr == "none.yaml: No such file or directory\n"
    assert run(folder, "sweep", "study.yaml", "-o", "out", "--retry", "--quiet").returncode == 0


def test_converge_and_sensitivity_print_tables(folder):
    done = run(folder, "converge", "slide.yaml", "--figure", "bodies.box.position.x", "--levels", "3")
    assert done.returncode == 0 and "observed order 1.00" in done.stdout
    done = run(folder, "sensitivity", "slide.yaml", "--figure", "bodies.box.velocity.x",
               "--over", "materials.default.friction=0.1:0.5")
    assert done.returncode == 0 and "materials.default.friction" in done.stdout
    assert run(folder, "sensitivity", "slide.yaml", "--figure", "energy.final", "--over", "a=2:1").returncode == 2
