"""Many worlds at once."""

import pickle

import numpy as np
import pytest

import achilles


@pytest.mark.parametrize("threads", [1, 2, 3])
def test_every_world_has_the_bits_of_a_single_run(gallery, threads):
    # Worlds differ by the speed of the ball.
    batch = achilles.Batch(gallery / "first.yaml", 5, threads)
    ball = batch.names.index("ball")
    for k, world in enumerate(batch):
        world.velocity[ball] = (6 + k, 0, 0)
    batch.step(30)
    for k, world in enumerate(batch):
        alone = achilles.Simulation(gallery / "first.yaml")
        alone.velocity[ball] = (6 + k, 0, 0)
        alone.step(30)
        assert world.state_hash() == alone.state_hash()


def test_arrays_have_one_row_per_world(falling):
    batch = achilles.Batch(falling, 3)
    batch.velocity = np.arange(18).reshape(3, 2, 3)
    assert batch.velocity.shape == (3, 2, 3) and batch.orientation.shape == (3, 2, 4)
    assert list(batch[1].body("right").velocity) == [9, 10, 11]
    batch.velocity = (0, 0, 7)
    assert np.array_equal(batch.velocity, np.broadcast_to((0, 0, 7), (3, 2, 3)))
    batch.step(10)
    assert batch.time == pytest.approx([0.1] * 3)
    assert batch.velocity[..., 2] == pytest.approx(7 - 0.981)
    with pytest.raises(ValueError):
        batch.velocity[0, 0, 0] = 1
    with pytest.raises(ValueError):
        batch.velocity = np.zeros((2, 2, 3))
    with pytest.raises(TypeError):
        batch.velocity = "fast"


def test_orientation_is_written_as_scenes_write_it(falling):
    batch = achilles.Batch(falling, 2)
    batch.orientation = (0.8, 0, 0, 0.6)
    assert batch.orientation[1, 1] == pytest.approx([0.8, 0, 0, 0.6])
    assert batch[0].body("left").orientation == pytest.approx([0.8, 0, 0, 0.6])


def test_forces_act_for_one_step(falling):
    # 2 kg: h f / m.
    batch = achilles.Batch(falling, 2)
    force = np.zeros((2, 2, 3))
    force[1, 0] = (4, 0, 0)
    batch.force = force
    batch.step(5)
    assert batch.velocity[:, 0, 0] == pytest.approx([0.5, 0.5 + 0.01 * 4 / 2], abs=1e-14)


def test_reset_returns_to_the_start_and_only_where_it_is_asked_for(falling):
    batch = achilles.Batch(falling, 4)
    start = batch.state_hash
    batch.step(10)
    moved = batch.state_hash
    batch.reset([1, -1])
    assert batch.state_hash == [moved[0], start[1], moved[2], start[3]]
    batch.reset(np.array([True, False, False, False]))
    assert batch.state_hash == [start[0], start[1], moved[2], start[3]]
    batch.reset()
    assert batch.state_hash == start
    for wrong, error in ((np.ones(3, bool), ValueError), ([0.5], TypeError), ([4], IndexError)):
        with pytest.raises(error):
            batch.reset(wrong)


def test_world_that_is_randomized_is_the_same_in_a_batch_of_any_size(falling):
    def randomize(world, random):
        world.body("left").mass = random.uniform(1, 3)
        world.set_material("default", friction=random.uniform(0, 1))
        world.velocity[0] = random.normal(size=3)

    small, large = (achilles.Batch(falling, count, seed=7, randomize=randomize) for count in (2, 5))
    for batch in (small, large):
        batch.reset()
        batch.step(5)
    assert small.state_hash == large.state_hash[:2]
    assert len(set(large.state_hash)) == 5
    other = achilles.Batch(falling, 2, seed=8, randomize=randomize)
    other.reset()
    other.step(5)
    assert other.state_hash != small.state_hash


def test_friction_of_a_world_decides_where_its_crate_stops():
    # It slides v² / (2 µ g): 2 m/s. One step of 0.002 s at 2 m/s is 4 mm.
    scene = achilles.Scene(step=0.002)
    scene.add_plane("ground").add_box("crate", size=(1, 1, 0.2), position=(0, 0, 0.1), velocity=(2, 0, 0))
    batch = achilles.Batch(scene, 3)
    friction = np.array([0.2, 0.4, 0.8])
    batch.set_material("default", friction=friction)
    batch.step(800)
    assert batch.position[:, 1, 0] == pytest.approx(4 / (2 * friction * 9.81), abs=5e-3)


def test_mass_of_a_world_decides_what_a_force_does(falling):
    batch = achilles.Batch(falling, 2)
    batch.set_mass("left", [1, 4])
    batch.force = (8, 0, 0)
    batch.step()
    assert batch.velocity[:, 0, 0] == pytest.approx([0.5 + 0.08, 0.5 + 0.02])
    for wrong in (0, -1, np.nan, np.inf):
        with pytest.raises(ValueError):
            batch.set_mass("left", wrong)
    with pytest.raises(ValueError):
        batch.set_material("default", friction=-1)
    with pytest.raises(KeyError):
        batch.set_material("ice", friction=0)


def test_motors_of_worlds_go_to_their_own_targets(pendulum):
    batch = achilles.Batch(pendulum, 2)
    assert batch.motors == ["shoulder"]
    batch.motor_target = [[0.2], [-0.3]]
    batch.step(400)
    assert batch.joint_position.shape == (2, 1, 2)
    # A motor of a position gives way by what gravity does in a step.
    assert batch.joint_position[:, 0, 0] == pytest.approx([0.2, -0.3], abs=2e-3)
    assert np.abs(batch.joint_velocity[:, 0, 0]).max() < 1e-3
    with pytest.raises(ValueError):
        batch.motor_target = [[1, 2], [3, 4]]


def test_motors_of_worlds_have_their_own_speeds_and_strengths(pendulum):
    batch = achilles.Batch(pendulum, 3)
    batch.set_motor("shoulder", speed=[0.5, -0.5, 0.5], max=[200, 200, 1])
    batch.step(100)
    assert batch.joint_velocity[:2, 0, 0] == pytest.approx([0.5, -0.5], rel=1e-6)
    # The weight of 2 kg at 0.5 m, 9.81 N m, is more than the third motor has.
    assert batch.joint_velocity[2, 0, 0] > 1
    batch.set_motor("shoulder", worlds=[0], position=0.2, max=200)
    batch.step(400)
    assert batch.joint_position[0, 0, 0] == pytest.approx(0.2, abs=2e-3)
    for wrong in ({"speed": 1}, {"max": 1}, {"speed": 1, "position": 1, "max": 1}, {"speed": 1, "max": -1}):
        with pytest.raises((ValueError, TypeError)):
            batch.set_motor("shoulder", **wrong)


@pytest.fixture
def cart():
    """A cart of 2 kg on a rail without gravity, driven to 0, with sensors of its position and acceleration."""
    scene = achilles.Scene("cart", step=0.01, gravity=(0, 0, 0))
    scene.add_box("cart", size=(0.4, 0.2, 0.2), mass=2)
    scene.add_slider("rail", ("world", "cart"), at=(0, 0, 0), axis=(1, 0, 0),
                     drive={"position": 0, "stiffness": 100, "damping": 20, "max_force": 50})
    scene.add_sensor("place", "joint_position", joint="rail").add_sensor("feel", "imu", body="cart")
    return scene


def test_drives_of_worlds_have_their_own_gains(cart):
    # A force for one step gives h F / m.
    batch = achilles.Batch(cart, 3)
    batch.set_drive("rail", force=[2, 4, 6])
    batch.step()
    assert batch.velocity[:, 0, 0] == pytest.approx(0.01 * np.array([2, 4, 6]) / 2, abs=1e-12)
    assert [world.joint("rail").drive_force for world in batch] == pytest.approx([2, 4, 6])
    batch.reset()
    batch.set_drive("rail", stiffness=[12.5, 50, 200], damping=[10, 20, 40], worlds=[0, 1, 2])
    batch.motor_target = 0.3
    assert batch.motors == ["rail"]
    batch.step(20)
    # Critically damped: 1 - (1 + w t) exp(-w t) of the way at t = 0.2 s, w = sqrt(k / m) of 2.5, 5 and 10 per second;
    # steps of first order err by about w h = 0.1 of it.
    turn = 0.2 * np.array([2.5, 5, 10])
    assert batch.joint_position[:, 0, 0] == pytest.approx(0.3 * (1 - (1 + turn) * np.exp(-turn)), rel=0.25)
    batch.step(1180)
    assert batch.joint_position[:, 0, 0] == pytest.approx([0.3] * 3, abs=1e-9)  # exp(-30) of it is left
    gains = batch[2].joint("rail").drive
    assert gains == {"position": 0.3, "stiffness": 200, "damping": 40, "max_force": 50, "max_rate": np.inf}
    for wrong in ({"stiffness": -1}, {"damping": np.nan}, {"force": 1, "speed": 1}, {"stiffnes": 1}):
        with pytest.raises((ValueError, TypeError)):
            batch.set_drive("rail", **wrong)


def test_springs_of_worlds_set_their_frequencies(cart):
    # From 0 the cart passes the rest position after a quarter of a swing, pi / 2 sqrt(m / k), and goes on beyond it.
    scene = cart.with_overrides({"time.step": 1e-3, "joints.rail.drive": None})
    batch = achilles.Batch(scene, 2)
    batch.set_spring("rail", stiffness=[50, 200], rest=0.1)
    highest = np.zeros(2)
    crossing = np.zeros(2)
    for _ in range(500):
        batch.step()
        x = batch.joint_position[:, 0, 0]
        crossing = np.where((crossing == 0) & (x >= 0.1), batch.time, crossing)
        highest = np.maximum(highest, x)
    assert crossing == pytest.approx(np.pi / 2 * np.sqrt([1 / 25, 1 / 100]), abs=5e-3)  # five steps
    assert np.all(highest > 0.15)


def test_sensors_of_worlds_are_rows(cart):
    batch = achilles.Batch(cart, 2)
    assert list(batch.sensors) == ["place", "feel"] and len(batch.sensors["feel"]) == 6
    batch.set_drive("rail", force=[2, 4])
    batch.step()
    assert batch.sensor_values.shape == (2, 7)
    assert batch.sensor_values[:, 0] == pytest.approx(batch.joint_position[:, 0, 0])
    assert batch.sensor_values[:, 1] == pytest.approx([1, 2])  # F / m
    sim = batch[1]
    assert np.array_equal(sim.sensor("feel"), sim.sensor_values[1:])
    with pytest.raises(KeyError):
        sim.sensor("eye")
    with pytest.raises(ValueError):
        sim.sensor_values[0] = 1


def test_world_that_stops_stays_while_others_go_on(falling):
    batch = achilles.Batch(falling, 3)
    batch[1].body("left").velocity = (1.7e308, 0, 0)
    batch[1].body("left").apply_force((1.7e308, 0, 0))
    batch.step(5)
    batch.step(5)
    assert list(batch.stopped) == [False, True, False]
    assert batch.time[0] == pytest.approx(0.1) and batch.time[1] < 0.05
    batch.reset([1])
    batch.step(5)
    assert not batch.stopped.any()


def test_failure_in_one_world_leaves_all_usable(falling):
    batch = achilles.Batch(falling, 3)
    batch[1].velocity[0, 0] = np.nan
    with pytest.raises(ValueError, match="left"):
        batch.step()
    batch[1].velocity[0, 0] = 0
    batch.step()
    assert batch.time == pytest.approx([0.01] * 3)


def test_worlds_with_different_bodies_have_no_common_arrays(falling):
    batch = achilles.Batch(falling, 2)
    batch[0].body("left").remove()
    with pytest.raises(ValueError, match="different"):
        batch.position
    batch.step()
    batch.reset()
    assert batch.position.shape == (2, 2, 3)


def test_batch_begins_where_a_simulation_is(resting):
    sim = achilles.Simulation(resting)
    sim.step(13)
    batch = achilles.Batch(sim, 2)
    batch.step(5)
    sim.step(5)
    assert batch.state_hash == [sim.state_hash()] * 2


@pytest.mark.parametrize("arguments", [{"count": 0}, {"count": -1}, {"count": 2, "threads": 0}, {"count": 1.5}])
def test_impossible_numbers_are_refused(falling, arguments):
    with pytest.raises(ValueError):
        achilles.Batch(falling, **arguments)


def test_snapshot_keeps_changed_materials(resting):
    # Friction as in the snapshot holds after restore, also when another number of the law is changed then.
    def slide(sim):
        sim.body("crate").velocity = (1, 0, 0)
        sim.step(40)
        return sim.state_hash()

    first, second = achilles.Simulation(resting), achilles.Simulation(resting)
    first.set_material("default", friction=0.1, rolling_friction=0)
    snapshot = pickle.loads(pickle.dumps(first.snapshot()))
    second.set_material("default", friction=0.9)
    second.restore(snapshot)
    second.set_material("default", restitution=0)
    assert slide(first) == slide(second)
    assert slide(achilles.Simulation(resting)) != first.state_hash()
