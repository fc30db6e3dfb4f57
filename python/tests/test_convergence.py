"""Converge and sensitivity: which runs are made."""

import pytest

from achilles.studies import StudyError
from achilles.studies import convergence
from achilles.studies.cli import main
from achilles.studies.cluster import ClusterError
from achilles.studies.convergence import converge, sensitivity
from test_studies import SLIDE

FIGURE = "bodies.box.position.x"


@pytest.fixture
def scene(tmp_path):
    path = tmp_path / "slide.yaml"
    path.write_text(SLIDE)
    return path


@pytest.fixture
def counted(monkeypatch):
    """The runs that were made, as (method, step)."""
    made = []
    run_locally = convergence.run_locally

    def count(runs, *rest):
        runs = list(runs)
        made.extend((run.method, run.overrides.get("time.step")) for run in runs)
        return run_locally(runs, *rest)

    monkeypatch.setattr(convergence, "run_locally", count)
    return made


def test_no_level_is_run_beyond_the_one_that_settles(scene, counted):
    # x(h) = v0 t - mu g t (t + h) / 2: the k-th halving of h = 0.01 s changes it by mu g t h / 2^(k + 1), relative to
    # about 0.341 m by 4.3e-3, 2.2e-3, 1.1e-3, 5.4e-4. Two in a row below 1.5e-3 are the third and fourth.
    (found,) = converge(scene, FIGURE, levels=8, tolerance=1.5e-3, workers=2)
    assert found.is_settled and len(found.levels) == 5
    assert [step for _, step in counted] == [0.01 / 2**k for k in range(5)]
    counted.clear()
    (found,) = converge(scene, FIGURE, levels=8, tolerance=1e-2, workers=2)
    assert found.is_settled and len(found.levels) == len(counted) == 3


def test_only_methods_that_have_not_settled_go_on(scene, counted):
    # Substeps divide the change of each halving by their number: the method that has them settles levels earlier.
    found = converge(scene, FIGURE, methods=["lcp-fixed", "soft-step"], levels=6, tolerance=1.5e-3, workers=2)
    assert [each.is_settled for each in found] == [True, True]
    assert len(found[1].levels) < len(found[0].levels) == 5
    assert [sum(method == each.method for method, _ in counted) for each in found] == [len(each.levels) for each in found]


def test_fewer_levels_than_a_judgment_needs_are_run(scene, counted):
    (found,) = converge(scene, FIGURE, levels=2, workers=1)
    assert len(found.levels) == len(counted) == 2 and not found.is_settled


def test_unknown_method_is_an_error_that_lists_the_methods(scene, counted, capsys):
    for act in (lambda: converge(scene, FIGURE, methods=["lcp-fixed", "lcp-fxed"]),
                lambda: sensitivity(scene, FIGURE, {"bodies.box.mass": (1, 2)}, method="lcp-fxed")):
        with pytest.raises(StudyError, match="no method 'lcp-fxed'.*soft-step"):
            act()
    assert main(["converge", str(scene), "--figure", FIGURE, "--methods", "lcp-fxed"]) == 2
    assert "lcp-fxed" in capsys.readouterr().err and counted == []


def test_commands_hand_their_runs_to_the_cluster_that_is_named(scene, capsys, monkeypatch):
    asked = []

    def refuse(runs, files, task, address, notice):
        asked.append((len(list(runs)), address))
        raise ClusterError("nothing there")

    monkeypatch.setattr(convergence, "run_on_cluster", refuse)
    for words in (["converge"], ["sensitivity", "--over", "bodies.box.mass=1:2"]):
        assert main([words[0], str(scene), "--figure", FIGURE, *words[1:], "--cluster", "tcp://127.0.0.1:1"]) == 1
        assert "nothing there" in capsys.readouterr().err
    assert asked == [(3, "tcp://127.0.0.1:1")] * 2
