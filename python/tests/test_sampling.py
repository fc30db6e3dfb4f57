"""Samples of studies: stratification, discrepancy, distributions."""

import math
import sys

import pytest

from achilles.studies import Study, StudyError
from achilles.studies.plan import _draw_samples, read_all_scenes
from test_studies import SLIDE

needs_scipy = pytest.mark.usefixtures("scipy")


@pytest.fixture
def scipy():
    return pytest.importorskip("scipy.stats", reason="SciPy is not installed")


@pytest.fixture
def draw(tmp_path):
    """Draws samples: of two uniform parameters over (0, 1) by default."""
    (tmp_path / "slide.yaml").write_text(SLIDE)

    def draw(kind, count, seed=1, vary="{a: {uniform: [0, 1]}, b: {uniform: [0, 1]}}"):
        path = tmp_path / "study.yaml"
        path.write_text(f"achilles_study: 1\nscene: slide.yaml\nsample: {{kind: {kind}, count: {count}, seed: {seed}}}\nvary: {vary}\n")
        return list(_draw_samples(Study.load(path)))

    return draw


def measure_discrepancy(points):
    """The L2 star discrepancy by Warnock's formula: the root of the mean square, over all boxes [0, x) of the unit square,
    of the difference between the share of points in the box and its area.
    """
    n = len(points)
    single = sum((1 - x * x) * (1 - y * y) for x, y in points)
    pairs = sum((1 - max(x, u)) * (1 - max(y, v)) for x, y in points for u, v in points)
    return math.sqrt(1 / 9 - single / (2 * n) + pairs / n**2)


@needs_scipy
@pytest.mark.parametrize("count", [1, 7, 100])
def test_a_latin_hypercube_has_one_sample_in_every_stratum_of_every_parameter(draw, count):
    points = draw("latin-hypercube", count)
    for values in zip(*points):
        assert sorted(int(value * count) for value in values) == list(range(count))


@needs_scipy
def test_sobol_points_fill_every_elementary_interval_once(draw):
    # The first two dimensions are a (0, m, 2)-net: each box of 2^-k by 2^-(m - k) has one of the 2^m points.
    m = 6
    points = draw("sobol", 2**m)
    for k in range(m + 1):
        boxes = {(int(x * 2**k), int(y * 2 ** (m - k))) for x, y in points}
        assert len(boxes) == 2**m


@needs_scipy
@pytest.mark.parametrize("count", [1, 2, 3, 50, 64])
def test_samples_are_as_many_as_asked_for_and_different(draw, count):
    for kind in ("latin-hypercube", "sobol", "random"):
        assert len(set(draw(kind, count))) == count


@needs_scipy
def test_fewer_sobol_points_are_the_first_of_more(draw):
    assert draw("sobol", 64)[:40] == draw("sobol", 40)


@needs_scipy
def test_sobol_points_are_more_even_than_random_ones(draw):
    # n random points have the mean square discrepancy (2^-2 - 3^-2) / n. Scrambled nets fall like log(n)/n instead: at 256
    # points a third of the random value leaves room for any scrambling. A Latin hypercube removes what depends on one
    # parameter alone.
    n = 256
    expected = math.sqrt((1 / 4 - 1 / 9) / n)
    random = [measure_discrepancy(draw("random", n, seed)) for seed in range(8)]
    assert math.sqrt(sum(value**2 for value in random) / 8) == pytest.approx(expected, rel=0.5)
    for seed in range(4):
        assert measure_discrepancy(draw("sobol", n, seed)) < expected / 3
        assert measure_discrepancy(draw("latin-hypercube", n, seed)) < expected


@needs_scipy
def test_strata_follow_the_distribution(draw):
    # One sample in each interval of equal probability: of a logarithm, of a normal distribution, of whole numbers.
    count = 20
    points = draw("latin-hypercube", count, vary="{a: {log-uniform: [1.0e-3, 10]}, b: {normal: [3, 0.5]}, "
                                                 "c: {range: [1, 5]}, method: [lcp-fixed, soft-step]}")
    logs, normals, integers, methods = zip(*points)
    assert sorted(int(math.log(value / 1e-3) / math.log(1e4) * count) for value in logs) == list(range(count))
    probabilities = [0.5 * (1 + math.erf((value - 3) / 0.5 / math.sqrt(2))) for value in normals]
    assert sorted(int(p * count) for p in probabilities) == list(range(count))
    assert all(integers.count(k) == count // 5 for k in range(1, 6))
    assert methods.count("lcp-fixed") == methods.count("soft-step") == count // 2


@needs_scipy
@pytest.mark.parametrize("kind", ["random", "latin-hypercube", "sobol"])
def test_samples_follow_their_seed(draw, kind):
    assert draw(kind, 16, seed=3) == draw(kind, 16, seed=3) != draw(kind, 16, seed=4)


def test_kinds_that_need_scipy_say_so(draw, monkeypatch):
    monkeypatch.setitem(sys.modules, "scipy", None)
    monkeypatch.setitem(sys.modules, "scipy.stats", None)
    for kind in ("latin-hypercube", "sobol"):
        with pytest.raises(StudyError, match="python3-scipy"):
            draw(kind, 4)
    assert len(draw("random", 4)) == 4


def test_scene_is_read_at_the_median_of_what_varies(tmp_path):
    # At the end of a normal distribution the mass would be below zero, and the files of the scene would be missing.
    (tmp_path / "stone.txt").write_text("0 0 0\n1 0 0\n0 1 0\n0 0 1\n")
    (tmp_path / "stone.yaml").write_text("achilles: 1\nbodies:\n  - {name: stone, shape: {hull: {file: stone.txt}}, mass: 1}\n")
    path = tmp_path / "study.yaml"
    path.write_text("achilles_study: 1\nscene: stone.yaml\nsample: {kind: random, count: 3}\n"
                    "vary: {bodies.stone.mass: {normal: [5, 1]}, time.step: [0.01, 0.02]}\n")
    study = Study.load(path)
    assert study.first_values == {"bodies.stone.mass": pytest.approx(5), "time.step": 0.01}
    assert set(read_all_scenes(study)["stone"].contents) == {"stone.yaml", "stone.txt"}
