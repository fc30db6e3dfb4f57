"""Arrays of the state: views, lifetimes, wrong shapes."""

import copy
import gc
import weakref

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import achilles

VIEWS = ["position", "velocity", "spin", "force", "torque", "orientation_xyzw"]


def make_many(count):
    return achilles.Scene(gravity=(0, 0, 0)).add_sphere(
        "ball", radius=0.1, position=(0, 0, 0), repeat={"count": (count, 1, 1), "spacing": (1, 0, 0)})


@pytest.mark.parametrize("name", VIEWS)
def test_reading_all_bodies_takes_no_copy(name):
    # 10,000 bodies: both arrays begin at the same address, and neither owns its memory.
    sim = achilles.Simulation(make_many(10_000), watch=False)
    first, second = getattr(sim, name), getattr(sim, name)
    assert first.shape == (10_000, 4 if name == "orientation_xyzw" else 3)
    assert first.__array_interface__["data"] == second.__array_interface__["data"]
    assert not first.flags.owndata and not second.flags.owndata
    assert np.shares_memory(first, second)


def test_view_shows_the_state_after_the_next_step(falling):
    sim = achilles.Simulation(falling)
    position = sim.position
    before = position.copy()
    sim.step(10)
    assert np.array_equal(position, sim.position)
    assert position[0, 2] < before[0, 2]


def test_velocity_and_spin_lie_between_each_other(falling):
    sim = achilles.Simulation(falling)
    sim.velocity[1] = (1, 2, 3)
    sim.spin[1] = (4, 5, 6)
    assert list(sim.body("right").velocity) == [1, 2, 3]
    assert list(sim.body("right").spin) == [4, 5, 6]
    assert list(sim.body("left").velocity) == [0.5, 0, 0]


def test_view_outlives_the_simulation(falling):
    sim = achilles.Simulation(falling)
    gone = weakref.ref(sim)
    position = sim.position[1:]
    expected = position.copy()
    del sim
    gc.collect()
    assert gone() is None
    [np.ones((1000, 3)) for _ in range(100)]  # would overwrite memory that was freed
    assert np.array_equal(position, expected)
    position[0, 0] = 7
    assert position[0, 0] == 7


def test_handle_outlives_the_simulation(falling):
    body = achilles.Simulation(falling).body("left")
    gc.collect()
    assert list(body.position) == [-1, 0, 3]


def test_bodies_cannot_come_or_go_under_a_view(falling):
    sim = achilles.Simulation(falling)
    column = sim.position[:, 0]
    with pytest.raises(BufferError, match="view"):
        sim.body("left").remove()
    with pytest.raises(BufferError):
        sim.add_body("third", {"sphere": {"radius": 1}}, position=(0, 9, 0))
    assert len(sim) == 2 and len(column) == 2
    del column
    sim.body("left").remove()
    assert sim.position.shape == (1, 3)


def test_restore_keeps_views_in_place(falling):
    sim = achilles.Simulation(falling)
    position = sim.position
    snapshot = sim.snapshot()
    start = position.copy()
    sim.step(10)
    sim.restore(snapshot)
    assert np.array_equal(position, start)
    assert position.__array_interface__["data"] == sim.position.__array_interface__["data"]


def test_restore_of_other_bodies_under_a_view_is_refused(falling):
    sim = achilles.Simulation(falling)
    snapshot = sim.snapshot()
    sim.body("left").remove()
    position = sim.position
    with pytest.raises(BufferError):
        sim.restore(snapshot)
    del position
    sim.restore(snapshot)
    assert len(sim) == 2


def test_written_orientation_becomes_a_unit_quaternion(falling):
    # Without spin the body keeps its orientation.
    sim = achilles.Simulation(falling)
    sim.orientation_xyzw[0] = (0, 0, 3, 4)
    sim.step()
    assert sim.orientation[0] == pytest.approx([0.8, 0, 0, 0.6], abs=1e-15)
    assert sim.body("left").orientation == pytest.approx([0.8, 0, 0, 0.6], abs=1e-15)


def test_orientation_is_written_as_scenes_write_it(falling):
    sim = achilles.Simulation(falling)
    sim.orientation = [[0.8, 0, 0, 0.6], [1, 0, 0, 0]]
    assert sim.orientation_xyzw[0] == pytest.approx([0, 0, 0.6, 0.8])
    with pytest.raises(ValueError):
        sim.orientation[0] = (1, 0, 0, 0)


def test_small_vectors_of_handles_cannot_be_written_without_effect(falling):
    body = achilles.Simulation(falling).body("left")
    for name in ("position", "velocity", "spin", "orientation"):
        with pytest.raises(ValueError):
            getattr(body, name)[0] = 1


@pytest.fixture
def lying():
    """A crate on a fixed floor, which lies down after half a second at rest."""
    scene = achilles.Scene(step=0.01, method={"name": "soft-step", "sleeping": True})
    scene.add_box("floor", size=(9, 9, 1), kind="fixed", position=(0, 0, -0.5))
    scene.add_box("crate", size=(1, 1, 1), position=(0, 0, 0.5))
    return scene


@pytest.mark.parametrize("is_held", [True, False])
@pytest.mark.parametrize("is_copied", [True, False])
def test_writing_to_a_view_wakes_what_sleeps(lying, is_held, is_copied):
    # A push by a view must reach one that sleeps, whether the view is older than the sleep or not.
    sim = achilles.Simulation(lying)
    held = sim.velocity if is_held else None
    sim.run(until=5)
    assert sim.asleep[1]
    view = sim.velocity if held is None else held
    view[1] = (0, 0, 3)
    if is_copied:
        sim = copy.deepcopy(sim)
    sim.step()
    assert not sim.asleep[1]
    # Explicit or not, a step of 0.01 s at 3 m/s less gravity is 29 or 30 mm.
    assert sim.position[1, 2] > 0.5 + 0.025


@pytest.mark.parametrize("name, row", [("force", (0, 0, 1e5)), ("torque", (0, 0, 1e5)), ("spin", (0, 0, 2)),
                                       ("position", (0, 0, 3)), ("orientation_xyzw", (0, 0, 0.6, 0.8))])
def test_whatever_is_written_wakes_again_and_again(lying, name, row):
    sim = achilles.Simulation(lying)
    view = getattr(sim, name)
    for _ in range(2):
        sim.run(until=sim.time + 8)
        assert sim.asleep[1]
        view[1] = row if view[1, 2] != row[2] else (0, 0, 2) if name == "position" else (0, 0, 0, 1)
        sim.step()
        assert not sim.asleep[1]


def test_floor_that_is_moved_by_a_view_lets_its_crate_fall(lying):
    sim = achilles.Simulation(lying)
    place = sim.position
    sim.run(until=5)
    assert sim.asleep[1]
    place[0, 2] -= 20
    sim.step(50)
    # From rest over 0.5 s: g t (t + h) / 2 down with velocities of the end of each step, g t (t - h) / 2 of its begin.
    assert place[1, 2] == pytest.approx(0.5 - 9.81 * 0.5**2 / 2, abs=9.81 * 0.5 * 0.01 / 2 + 1e-3)


def test_body_about_to_lie_down_falls_where_a_view_lifts_it(lying):
    sim = achilles.Simulation(lying)
    place = sim.position
    while not sim.asleep[1]:
        sim.step()
    last = sim.step_index
    sim = achilles.Simulation(lying)
    place = sim.position
    sim.step(last - 1)
    place[1, 2] += 4
    sim.step(50)
    assert place[1, 2] == pytest.approx(4.5 - 9.81 * 0.5**2 / 2, abs=9.81 * 0.5 * 0.01 / 2 + 1e-3)


def test_views_that_are_not_written_change_nothing(lying):
    lying.add_sphere("bead", radius=0.1, position=(2, 0, 0.1), lock=["y"])
    bare, seen = achilles.Simulation(lying), achilles.Simulation(lying)
    views = [getattr(seen, name) for name in VIEWS]
    for _ in range(500):
        bare.step()
        seen.step()
        assert seen.state_hash() == bare.state_hash()
    assert bare.asleep[1:].all() and len(views) == len(VIEWS)


def test_view_that_was_written_before_restore_wakes_nothing(lying):
    sim = achilles.Simulation(lying)
    velocity = sim.velocity
    sim.run(until=5)
    snapshot = sim.snapshot()
    velocity[1] = (0, 0, 3)
    sim.restore(snapshot)
    sim.step()
    assert sim.asleep[1]
    velocity[1] = (0, 0, 3)
    sim.restore(sim.snapshot())  # what was written is part of it
    sim.step()
    assert not sim.asleep[1] and sim.position[1, 2] > 0.5 + 0.025


def test_fixed_body_has_no_velocity(resting):
    sim = achilles.Simulation(resting)
    sim.velocity[0, 0] = 1
    with pytest.raises(ValueError, match="ground"):
        sim.step()
    sim.step()
    assert sim.velocity[0, 0] == 0
    with pytest.raises(ValueError, match="ground"):
        sim.body("ground").velocity = (1, 0, 0)


def test_locked_motion_stays_locked(falling):
    falling.add_sphere("bead", radius=0.1, position=(0, 3, 3), lock=["x"])
    sim = achilles.Simulation(falling)
    sim.velocity[2] = (5, 1, 0)
    sim.step()
    assert sim.velocity[2, 0] == 0 and sim.velocity[2, 1] == 1


@pytest.mark.parametrize("value", [np.zeros((3, 3)), np.zeros(2), "abc", None, np.zeros((2, 3), complex) + 1j, object()])
def test_wrong_shapes_and_types_are_refused_and_change_nothing(falling, value):
    sim = achilles.Simulation(falling)
    before = sim.state_hash()
    with pytest.raises((ValueError, TypeError)):
        sim.velocity = value
    assert sim.state_hash() == before


@pytest.mark.parametrize("value", [(1, 2), (1, 2, 3, 4), "abc", None, (1, 2, "x"), ((1, 2, 3),), (1, 2, 3j), (True,) * 3])
def test_vectors_are_three_numbers(falling, value):
    body = achilles.Simulation(falling).body("left")
    for act in (body.apply_force, body.apply_torque, body.apply_impulse):
        with pytest.raises(ValueError, match="3 numbers"):
            act(value)
    with pytest.raises(ValueError, match="3 numbers"):
        body.velocity = value


@pytest.mark.parametrize("value", [(np.nan, 0, 0), (0, np.inf, 0)])
def test_forces_are_finite(falling, value):
    with pytest.raises(ValueError):
        achilles.Simulation(falling).body("left").apply_force(value)


def test_arrays_that_are_not_contiguous_are_read_right(falling):
    sim = achilles.Simulation(falling)
    wide = np.arange(24, dtype=np.float32).reshape(4, 6)
    sim.velocity = wide[::2, ::-2]
    assert np.array_equal(sim.velocity, wide[::2, ::-2])
    sim.body("left").velocity = wide[0, ::-2]
    assert list(sim.body("left").velocity) == [5, 3, 1]


def test_empty_scene_has_empty_arrays():
    sim = achilles.Simulation(achilles.Scene())
    sim.step()
    assert sim.position.shape == (0, 3) and sim.orientation.shape == (0, 4) and len(sim.contacts) == 0


ACTIONS = st.lists(st.sampled_from(["step", "view", "drop", "add", "remove", "copy", "snapshot", "restore", "write"]),
                   max_size=25)


@settings(max_examples=40)
@given(actions=ACTIONS, data=st.data())
def test_any_order_of_actions_keeps_views_and_handles_right(actions, data):
    """Views always show what the handles say; a refused action changes nothing."""
    sim = achilles.Simulation(make_many(2))
    views, snapshots, added = [], [sim.snapshot()], 0
    for action in actions:
        if action == "step":
            sim.step(data.draw(st.integers(1, 3)))
        elif action == "view":
            views.append(getattr(sim, data.draw(st.sampled_from(VIEWS))))
        elif action == "drop":
            views.clear()
        elif action == "write" and len(sim) > 0:
            sim.velocity[data.draw(st.integers(-len(sim), len(sim) - 1))] = data.draw(
                st.tuples(*[st.floats(-5, 5)] * 3))
        elif action in ("add", "remove") and views:
            before = sim.state_hash()
            with pytest.raises(BufferError):
                sim.add_body("no", {"sphere": {"radius": 1}}) if action == "add" or len(sim) == 0 else sim.body(0).remove()
            assert sim.state_hash() == before
        elif action == "add":
            added += 1
            sim.add_body(f"new{added}", {"sphere": {"radius": 0.1}}, position=(0, added, 0))
        elif action == "remove" and len(sim) > 0:
            body = sim.body(data.draw(st.integers(0, len(sim) - 1)))
            body.remove()
            assert not body.is_alive
        elif action == "copy":
            sim, old = copy.deepcopy(sim), sim
            assert sim.state_hash() == old.state_hash()
            views.clear()
        elif action == "snapshot":
            snapshots.append(sim.snapshot())
        elif action == "restore":
            try:
                sim.restore(snapshots[-1])
            except BufferError:
                assert views
        assert all(len(view) == len(sim) for view in views)
        assert np.array_equal(sim.position, [body.center for body in sim.bodies] or np.zeros((0, 3)))
        assert np.array_equal(sim.velocity, [body.velocity for body in sim.bodies] or np.zeros((0, 3)))
