"""Scenes: files, code, errors."""

import copy
import pickle
import shutil

import numpy as np
import pytest

import achilles


def test_scene_built_in_code_saved_as_yaml_gives_the_bits_of_the_file(tmp_path, resting):
    resting.save(tmp_path / "resting.yaml")
    built, read = achilles.Simulation(resting), achilles.Simulation(achilles.load(tmp_path / "resting.yaml"))
    built.step(50)
    read.step(50)
    assert built.state_hash() == read.state_hash()


def test_scene_in_code_equals_the_same_scene_in_yaml(falling):
    text = """
achilles: 1
name: falling
gravity: [0, 0, -9.81]
time: {step: 0.01}
bodies:
  - {name: left, shape: {sphere: {radius: 0.1}}, mass: 2, position: [-1, 0, 3], velocity: [0.5, 0, 0]}
  - {name: right, shape: {sphere: {radius: 0.1}}, mass: 1, position: [1, 0.1, 3], spin: [0, 0, 2]}
"""
    built, read = achilles.Simulation(falling), achilles.Simulation(achilles.loads(text))
    built.step(20)
    read.step(20)
    assert built.state_hash() == read.state_hash()


def test_error_names_file_line_column_and_field(tmp_path):
    path = tmp_path / "wrong.yaml"
    path.write_text("achilles: 1\nbodies:\n  - {name: ball, shape: {sphere: {radius: -1}}}\n")
    with pytest.raises(achilles.SceneError) as caught:
        achilles.load(path)
    error = caught.value
    assert error.file == str(path)
    assert error.line == 3
    assert error.column > 0
    assert error.field == "bodies.ball.shape.sphere.radius"
    assert "above 0" in error.diagnostics[0].message
    assert isinstance(error, ValueError)


def test_errors_survive_pickling():
    # As they come from a worker of multiprocessing.
    with pytest.raises(achilles.SceneError) as caught:
        achilles.loads("achilles: 1\ngravitty: [0, 0, 1]\nbodies:\n  - {name: a, shape: {sphere: {radius: 0}}}\n", file="f.yaml")
    error = caught.value
    for other in (pickle.loads(pickle.dumps(error)), copy.copy(error)):
        assert type(other) is achilles.SceneError and str(other) == str(error)
        assert (other.file, other.line, other.column, other.field) == (error.file, error.line, error.column, error.field)
        assert [repr(d) for d in other.diagnostics] == [repr(d) for d in error.diagnostics] and len(other.diagnostics) == 2
        assert [d.severity for d in other.diagnostics] == ["error"] * 2
    warning = achilles.Scene().add_sphere("a", radius=1).add_sphere("b", radius=1, position=(0.5, 0, 0)).warnings[0]
    assert repr(pickle.loads(pickle.dumps(warning))) == repr(warning) and warning.severity == "warning"


def test_all_errors_are_listed_not_only_the_first():
    with pytest.raises(achilles.SceneError) as caught:
        achilles.loads("achilles: 1\ngravitty: [0, 0, 1]\nbodies:\n  - {name: a, shape: {sphere: {radius: 0}}}\n")
    assert len(caught.value.diagnostics) == 2


def test_missing_file_is_an_error_of_that_file(tmp_path):
    with pytest.raises(achilles.SceneError) as caught:
        achilles.load(tmp_path / "nowhere.yaml")
    assert "nowhere.yaml" in str(caught.value)


def test_wrong_word_in_code_names_the_field():
    scene = achilles.Scene().add_sphere("ball", radius=0.1, mas=2)
    with pytest.raises(achilles.SceneError) as caught:
        achilles.Simulation(scene)
    assert caught.value.field == "bodies.ball"
    assert "mas" in str(caught.value) and "mass" in str(caught.value)


def test_overrides_change_values_as_set_does(gallery):
    scene = achilles.load(gallery / "first.yaml", {"time.step": 0.01, "bodies.ball.velocity": np.array([1.0, 0, 0]),
                                                   "method": "soft-step"})
    assert scene.step == 0.01
    assert scene.method == "soft-step"
    assert list(achilles.Simulation(scene).body("ball").velocity) == [1, 0, 0]


def test_override_that_leads_nowhere_names_the_path(gallery):
    with pytest.raises(achilles.SceneError, match="time.stp"):
        achilles.load(gallery / "first.yaml", {"time.stp": 0.01})


def test_texts_in_overrides_stay_texts(falling):
    assert falling.with_overrides({"name": "12"}).name == "12"
    assert falling.with_overrides({"name": "[a"}).name == "[a"


def test_numpy_numbers_and_arrays_keep_their_bits(falling):
    place = np.array([np.pi, np.float32(0.1), np.nextafter(3, 4)])
    falling.add_sphere("third", radius=np.float64(1) / 3, position=place)
    assert np.array_equal(achilles.Simulation(falling).body("third").position, place)


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_numbers_that_are_not_finite_are_refused(value):
    scene = achilles.Scene().add_sphere("ball", radius=0.1, position=(0, value, 0))
    with pytest.raises(achilles.SceneError) as caught:
        scene.check()
    assert caught.value.field.startswith("bodies.ball.position")


def test_objects_that_no_scene_can_hold_are_refused():
    with pytest.raises(TypeError, match="object"):
        achilles.Scene().add_sphere("ball", radius=object())


def test_names_that_look_like_numbers_or_truth_values_stay_names():
    scene = achilles.Scene()
    for k, name in enumerate(["1", "true", "null", "a: b", "ünï \"quoted\""]):
        scene.add_sphere(name, radius=0.1, position=(k, 0, 0))
    assert scene.body_names == ["1", "true", "null", "a: b", "ünï \"quoted\""]
    assert achilles.loads(scene.text).body_names == scene.body_names


def test_loaded_scene_can_be_added_to(gallery):
    scene = achilles.load(gallery / "first.yaml")
    count = len(scene.body_names)
    scene.add_box("extra", size=(1, 1, 1), position=(9, 9, 0.5))
    assert len(achilles.Simulation(scene)) == count + 1


def test_scenes_are_copied_and_pickled(gallery):
    scene = achilles.load(gallery / "first.yaml", {"time.step": 0.004})
    for other in (copy.deepcopy(scene), copy.copy(scene), pickle.loads(pickle.dumps(scene))):
        other.set("time.step", 0.002)
        assert other.step == 0.002
        assert scene.step == 0.004


@pytest.fixture
def stone(tmp_path):
    """A scene in a folder of its own, with the hull of points in a folder beside it."""
    for name in ("scenes", "shapes"):
        (tmp_path / name).mkdir()
    (tmp_path / "shapes" / "stone.txt").write_text("0 0 0\n1 0 0\n0 1 0\n0 0 1\n")
    path = tmp_path / "scenes" / "stone.yaml"
    path.write_text("achilles: 1\nbodies:\n  - {name: stone, shape: {hull: {file: ../shapes/stone.txt}}, mass: 1, spin: [1, 2, 3]}\n")
    return path


def take_steps(scene):
    sim = achilles.Simulation(scene)
    sim.step(20)
    return sim.state_hash()


def test_scene_with_files_is_saved_anywhere(stone, tmp_path):
    scene = achilles.load(stone)
    expected = take_steps(scene)
    for place in (tmp_path / "beside.yaml", tmp_path / "deep" / "er" / "copy.yaml", tmp_path / "scenes" / "same.yaml"):
        place.parent.mkdir(parents=True, exist_ok=True)
        scene.save(place)
        assert take_steps(achilles.load(place)) == expected
    assert (tmp_path / "scenes" / "same.yaml").read_text() == stone.read_text()
    (tmp_path / "shapes" / "stone.txt").write_text("0 0 0\n2 0 0\n0 2 0\n0 0 2\n")
    with pytest.raises(ValueError, match="stone.txt"):
        scene.save(tmp_path / "late.yaml")
    assert not (tmp_path / "late.yaml").exists()


def test_pickled_scene_brings_its_files(stone, tmp_path, monkeypatch):
    scene = achilles.load(stone)
    sim = achilles.Simulation(scene)
    sim.step(20)
    expected = take_steps(scene)
    saved = pickle.dumps((scene, sim))
    faster = take_steps(scene.with_overrides({"time.step": 0.02}))
    shutil.rmtree(tmp_path / "shapes")
    monkeypatch.chdir(tmp_path)
    scene, sim = pickle.loads(saved)
    assert take_steps(scene) == sim.state_hash() == expected
    assert scene.files == {"../shapes/stone.txt": b"0 0 0\n1 0 0\n0 1 0\n0 0 1\n"}
    # What is changed then goes on with them.
    assert take_steps(scene.with_overrides({"time.step": 0.02})) == take_steps(copy.copy(scene).set("time.step", 0.02)) == faster
    assert achilles.Simulation(scene, method="soft-step").method == "soft-step"
    scene.add_sphere("ball", radius=0.1, position=(5, 0, 0))
    assert scene.check().body_names == ["stone", "ball"]


def test_warnings_are_listed():
    scene = achilles.Scene().add_sphere("a", radius=1).add_sphere("b", radius=1, position=(0.5, 0, 0))
    assert any(warning.severity == "warning" for warning in scene.warnings)


def test_methods_have_options_with_ranges_and_capabilities():
    methods = achilles.methods()
    assert methods["lcp-fixed"]["capabilities"]["friction"] is True
    option = methods["lcp-fixed"]["options"]["slop"]
    assert option["type"] == "number" and option["minimum"] <= option["default"]
    for name in methods:
        scene = achilles.Scene(method=name).add_sphere("ball", radius=0.1)
        assert achilles.Simulation(scene).method == name


def test_schema_is_json_schema():
    assert "$schema" in achilles.schema()


def test_reprs_are_readable(gallery):
    scene = achilles.load(gallery / "first.yaml")
    assert "a ball meets a wall" in repr(scene)
    assert "lcp-fixed" in repr(achilles.Simulation(scene))
    assert "left" in repr(achilles.Scene().add_sphere("left", radius=-1))


def test_robots_are_read_with_the_options_of_the_command(gallery):
    path = gallery.parents[1] / "examples" / "robots" / "arm.urdf"
    falling, held = achilles.Simulation(achilles.load(path)), achilles.Simulation(achilles.load(path, hold=1e4, hold_damping=100))
    joint = falling.scene.joint_names.index("shoulder")
    for sim in (falling, held):
        sim.run(until=0.5)
    joint = falling.scene.joint_names.index("shoulder") if "shoulder" in falling.scene.joint_names else 0
    # 1e4 N m/rad give way to the weight of some kilograms on some decimetres by a few milliradians; nothing holds the other.
    assert abs(held.joint_position[joint, 0]) < 0.01 < abs(falling.joint_position[joint, 0])
    assert held.joints[joint].drive["stiffness"] == 1e4
    started = achilles.load(path, start={falling.scene.joint_names[joint]: 0.2})
    assert started.text != achilles.load(path).text
    for wrong, error in (({"base": "flying"}, ValueError), ({"leave_out": ["wheels"]}, ValueError), ({"bass": "free"}, TypeError)):
        with pytest.raises(error):
            achilles.load(path, **wrong)
