"""Simulations: steps, reports, state, snapshots."""

import copy
import json
import pickle
import subprocess
import sys
import threading

import numpy as np
import pytest

import achilles


def test_free_fall_keeps_its_horizontal_speed_and_gains_g_per_second(falling):
    # The midpoint of a step moves freely: after t the speed is v0 - g t for every method that integrates gravity exactly.
    sim = achilles.Simulation(falling)
    sim.step(100)
    assert sim.time == pytest.approx(1.0, abs=1e-12)
    assert sim.body("left").velocity == pytest.approx([0.5, 0, -9.81], abs=1e-12)
    assert sim.body("right").spin == pytest.approx([0, 0, 2], abs=1e-12)


def test_run_reaches_the_time_that_is_asked_for_and_returns_the_report(resting):
    sim = achilles.Simulation(resting)
    report = sim.run(until=0.5)
    assert sim.time == pytest.approx(0.5)
    assert report["steps"] == 50
    assert report["time"] == sim.time
    assert report["bodies"]["crate"]["position"] == pytest.approx(list(sim.body("crate").position))


def test_report_is_that_of_the_command_line(resting):
    # Wall time differs, nothing else.
    stepped, ran = achilles.Simulation(resting), achilles.Simulation(resting)
    for _ in range(100):
        stepped.step()
    ran.run(until=1)
    reports = [stepped.report(), ran.report(), achilles.run(resting, until=1)]
    for report in reports:
        for key in ("wall_seconds", "real_time_factor"):
            report.pop(key)
    assert reports[0] == reports[1] == reports[2]


def test_ground_carries_the_weight_of_what_rests_on_it(resting):
    # 10 kg at rest: the impulses of a step of 0.01 s add up to m g h = 0.981 N s. The contact solver's tolerance is
    # far below 1e-6 of that.
    sim = achilles.Simulation(resting)
    sim.run(until=2)
    contacts = sim.contacts
    assert set(contacts["body_a"]) | set(contacts["body_b"]) == {0, 1}
    up = np.einsum("ij,ij->i", contacts["impulse"], contacts["normal"])
    assert up.sum() == pytest.approx(0.981, rel=1e-6)


def test_force_for_one_step_gives_h_over_m_times_itself(falling):
    # u+ = u + h (g + f / m): 2 kg, 3 N, 0.01 s.
    sim = achilles.Simulation(falling)
    sim.body("left").apply_force((3, 0, 0))
    sim.step()
    assert sim.body("left").velocity[0] == pytest.approx(0.5 + 0.01 * 3 / 2, abs=1e-15)
    sim.step()
    assert sim.body("left").velocity[0] == pytest.approx(0.5 + 0.01 * 3 / 2, abs=1e-15)


def test_impulse_gives_its_share_of_mass_at_once(falling):
    sim = achilles.Simulation(falling)
    sim.body("right").apply_impulse((0, 4, 0))
    assert sim.body("right").velocity == pytest.approx([0, 4, 0], abs=1e-15)


def test_what_is_given_between_steps_is_no_error_of_momentum(falling):
    sim = achilles.Simulation(falling)
    for _ in range(20):
        sim.body("left").apply_impulse((1, 0, 0))
        sim.velocity[1] += (0, 0.1, 0)
        sim.step()
    assert sim.report()["momentum"]["linear_error"] < 1e-12


def test_motor_holds_the_arm_with_the_torque_of_its_weight(pendulum):
    # 2 kg at 0.5 m: 9.81 N m. The motor of a position gives way by what one step of the correction leaves.
    sim = achilles.Simulation(pendulum)
    sim.run(until=2)
    joint = sim.joint("shoulder")
    assert abs(joint.torque[1]) == pytest.approx(9.81, rel=1e-3)
    assert joint.force[2] == pytest.approx(2 * 9.81, rel=1e-3)
    assert [body.name for body in joint.bodies] == ["post", "arm"]


def test_motor_of_a_speed_turns_the_joint_at_that_speed(pendulum):
    sim = achilles.Simulation(pendulum)
    joint = sim.joint("shoulder")
    joint.set_motor(speed=0.5, max=200)
    sim.run(until=1)
    assert joint.velocity == pytest.approx(0.5, rel=1e-6)
    assert joint.position == pytest.approx(0.5, rel=2e-2)
    assert sim.joint_position[0, 0] == joint.position
    assert sim.joint_velocity[0, 0] == joint.velocity
    assert sim.joint_load["torque"][0] == pytest.approx(joint.torque)


def test_snapshot_leads_to_the_same_bits_again(resting):
    sim = achilles.Simulation(resting)
    sim.step(5)
    snapshot = sim.snapshot()
    sim.step(20)
    first = sim.state_hash()
    sim.restore(snapshot)
    assert sim.time == snapshot.time
    sim.step(20)
    assert sim.state_hash() == first


@pytest.mark.parametrize("duplicate", [copy.deepcopy, copy.copy, lambda sim: pickle.loads(pickle.dumps(sim))])
def test_copies_go_on_with_the_same_bits_and_apart(resting, duplicate):
    sim = achilles.Simulation(resting)
    sim.step(7)
    other = duplicate(sim)
    assert other.state_hash() == sim.state_hash()
    other.step(20)
    assert sim.step_index == 7
    sim.step(20)
    assert other.state_hash() == sim.state_hash()


def test_copy_has_the_contacts_of_the_last_step(resting):
    sim = achilles.Simulation(resting)
    sim.step(20)
    assert len(sim.contacts) > 0
    assert np.array_equal(copy.deepcopy(sim).contacts, sim.contacts)


def test_threads_do_not_change_a_bit(gallery):
    one, two = (achilles.Simulation(gallery / "first.yaml", threads=threads) for threads in (1, 2))
    one.step(40)
    two.step(40)
    assert one.state_hash() == two.state_hash()


def test_method_of_the_call_replaces_that_of_the_scene(resting):
    assert achilles.Simulation(resting, method="soft-step").method == "soft-step"
    assert achilles.Simulation(resting).method == "lcp-fixed"
    with pytest.raises(achilles.SceneError, match="no-such"):
        achilles.Simulation(resting, method="no-such")


def test_method_that_cannot_run_the_scene_says_why(pendulum):
    with pytest.raises(achilles.SceneError, match="joint"):
        achilles.Simulation(pendulum, method="penalty")


@pytest.mark.parametrize("n", [0, -1])
def test_steps_are_at_least_one(falling, n):
    with pytest.raises(ValueError):
        achilles.Simulation(falling).step(n)


@pytest.mark.parametrize("arguments", [{"threads": 0}, {"threads": -2}])
def test_impossible_numbers_are_refused(falling, arguments):
    with pytest.raises(ValueError):
        achilles.Simulation(falling, **arguments)


@pytest.mark.parametrize("name", ["position", "velocity", "spin", "force", "torque", "orientation_xyzw"])
def test_state_that_is_no_number_is_refused_until_it_is_repaired(falling, name):
    sim = achilles.Simulation(falling)
    before = sim.state_hash()
    view = getattr(sim, name)
    good = view.copy()
    view[0, 0] = np.nan
    with pytest.raises(ValueError, match="left"):
        sim.step()
    with pytest.raises(ValueError, match="left"):
        sim.run(until=1)
    view[:] = good
    assert sim.state_hash() == before
    sim.step()


def test_speed_that_overflows_stops_the_simulation_at_the_last_good_state(falling):
    sim = achilles.Simulation(falling)
    sim.body("left").velocity = (1.7e308, 0, 0)
    sim.body("left").apply_force((1.7e308, 0, 0))
    report = sim.step(10)
    assert report.stopped.reason == sim.stopped.reason == "not-finite"
    assert sim.time < 0.1 and np.isfinite(sim.position).all()


def test_unwatched_simulation_has_no_report(falling):
    sim = achilles.Simulation(falling, watch=False)
    assert sim.run(until=0.1) is None
    with pytest.raises(RuntimeError, match="watch"):
        sim.report()


def test_watching_does_not_change_a_bit(resting):
    watched, bare = achilles.Simulation(resting), achilles.Simulation(resting, watch=False)
    watched.step(60)
    bare.step(60)
    assert watched.state_hash() == bare.state_hash()


def test_events_are_arrays_and_callbacks(resting):
    sim = achilles.Simulation(resting)
    sim.watch_events()
    seen = []
    sim.on_event(seen.append)
    counted = touched = 0
    for _ in range(50):
        sim.step()
        counted += len(sim.events)
        touched += (sim.events["kind"] == achilles.EventKind.NEW_TOUCH).sum()
    assert counted == len(seen)
    assert touched == 1
    touches = [event for event in seen if event.kind == achilles.EventKind.NEW_TOUCH]
    assert [(event.first, event.second) for event in touches] == [(0, 1)]


def test_exception_in_a_callback_comes_out_and_the_step_is_done(resting):
    sim = achilles.Simulation(resting)
    sim.watch_events()

    def fail(event):
        raise KeyError("mine")

    sim.on_event(fail)
    with pytest.raises(KeyError, match="mine"):
        sim.step(50)
    before = sim.step_index
    assert before > 0
    other = achilles.Simulation(resting)
    other.watch_events()
    other.step(before)
    assert other.state_hash() == sim.state_hash()


def test_queries_see_the_present_state(resting):
    sim = achilles.Simulation(resting)
    hit = sim.cast_ray((0.1, 0.2, 5), (0, 0, -1))
    assert hit.body == 1 and hit.distance == pytest.approx(5 - 1.001, abs=1e-9)
    assert hit.normal == pytest.approx([0, 0, 1])
    sim.body("crate").position = (3, 0, 0.5)
    assert sim.cast_ray((0.1, 0.2, 5), (0, 0, -1)).body == 0
    assert sim.cast_ray((0, 0, 5), (0, 0, 1)) is None
    distances, bodies = sim.cast_rays([(3, 0, 5), (9, 9, 5)], [(0, 0, -1), (0, 0, 1)])
    assert distances == pytest.approx([4, np.inf]) and list(bodies) == [1, -1]
    assert sim.find_overlaps({"sphere": {"radius": 0.6}}, (3, 0, 1)) == [1]
    assert sim.cast_shape({"sphere": {"radius": 0.5}}, (3, 0, 5), (0, 0, -9)).distance == pytest.approx(3.5, abs=1e-5)
    assert sim.find_closest_point((3, 0, 2)).distance == pytest.approx(1)


@pytest.mark.parametrize("wrong", [True, "down", 1j, None, np.array(["2026-01-01"], "M8[D]")])
def test_rays_are_real_numbers(resting, wrong):
    sim = achilles.Simulation(resting)
    rows = np.full((1, 3), wrong)
    for origins, directions in ((rows, [(0, 0, -1)]), ([(0, 0, 5)], rows)):
        with pytest.raises(TypeError, match="real numbers"):
            sim.cast_rays(origins, directions)
    with pytest.raises(ValueError, match="shape"):
        sim.cast_rays([(0, 0, 5)], [(0, 0)])
    distances, _ = sim.cast_rays(np.array([(0, 0, 5)], np.int8), np.array([(0, 0, -1)], np.float16))
    assert distances == pytest.approx([5 - 1.001], abs=1e-9)


def test_bodies_come_and_go(falling):
    sim = achilles.Simulation(falling)
    sim.step(3)
    third = sim.add_body("third", {"box": {"size": (0.1, 0.1, 0.1)}}, mass=3, position=(0, 5, 5))
    assert len(sim) == 3 and third.mass == 3 and third.index == 2
    left = sim.body("left")
    left.remove()
    assert len(sim) == 2 and not left.is_alive and third.index == 1
    sim.step(10)
    with pytest.raises(achilles.DeadHandleError):
        left.position
    with pytest.raises(achilles.DeadHandleError):
        left.remove()
    assert "removed" in repr(left)
    assert "begins there" in " ".join(sim.report()["warnings"])


def test_joints_come_and_go(falling):
    sim = achilles.Simulation(falling)
    joint = sim.add_joint("link", "ball", ("left", "right"), at=(0, 0, 3))
    sim.step(20)
    # The link keeps the distance of the anchor from both centres: 1 m, but for what the correction leaves.
    place = sim.position
    assert np.linalg.norm(place[0] - place[1]) < 2.01
    joint.remove()
    with pytest.raises(achilles.DeadHandleError):
        joint.position
    with pytest.raises(KeyError):
        sim.joint("link")


def test_handle_of_a_joint_that_was_removed_stays_dead(falling):
    sim = achilles.Simulation(falling)
    snapshot = sim.snapshot()
    old = sim.add_joint("link", "ball", ("left", "right"), at=(0, 0, 3))
    linked = pickle.loads(pickle.dumps(sim.snapshot()))
    assert old.is_alive and old == sim.joint("link") == sim.joints[0] and hash(old) == hash(sim.joint("link"))
    old.remove()
    new = sim.add_joint("link", "ball", ("left", "right"), at=(0, 0, 3))
    assert not old.is_alive and new.is_alive and old != new and "removed" in repr(old)
    for act in (lambda: old.position, old.remove, lambda: old.set_motor(speed=1, max=1)):
        with pytest.raises(achilles.DeadHandleError):
            act()
    assert sim.joint("link") == new
    sim.restore(snapshot)
    assert not new.is_alive and sim.joints == []
    # As handles of bodies do, those of joints live again with a state that has them.
    sim.restore(linked)
    assert old.is_alive and not new.is_alive
    sim.body("left").remove()
    assert not old.is_alive and sim.joints == []


def test_joints_keep_their_handles_when_a_body_goes():
    scene = achilles.Scene(gravity=(0, 0, 0))
    for k in range(4):
        scene.add_sphere(f"ball {k}", radius=0.1, position=(k, 0, 0))
    for k in range(3):
        scene.add_ball(f"link {k}", (f"ball {k}", f"ball {k + 1}"), at=(k + 0.5, 0, 0))
    sim = achilles.Simulation(scene)
    links = sim.joints
    sim.body("ball 0").remove()
    assert [link.is_alive for link in links] == [False, True, True]
    assert [link.index for link in links[1:]] == [0, 1]
    assert [body.name for body in links[2].bodies] == ["ball 2", "ball 3"]


def test_names_that_there_are_not_are_key_errors(falling):
    sim = achilles.Simulation(falling)
    with pytest.raises(KeyError, match="nobody"):
        sim.body("nobody")
    with pytest.raises(IndexError):
        sim.body(2)
    assert sim.body(-1).name == "right"


def test_two_threads_step_two_simulations_to_the_bits_of_one(gallery):
    alone = achilles.Simulation(gallery / "first.yaml")
    alone.step(30)
    sims = [achilles.Simulation(gallery / "first.yaml") for _ in range(2)]
    threads = [threading.Thread(target=sim.step, args=(30,)) for sim in sims]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert {sim.state_hash() for sim in sims} == {alone.state_hash()}


def test_use_from_another_thread_while_it_steps_is_refused(gallery):
    sim = achilles.Simulation(gallery / "first.yaml")
    thread = threading.Thread(target=sim.step, args=(400,))
    thread.start()
    refused = 0
    while thread.is_alive():
        try:
            sim.contacts
        except RuntimeError as error:
            assert "another thread" in str(error)
            refused += 1
    thread.join()
    assert sim.step_index == 400
    assert refused > 0


def test_forked_process_steps_to_the_same_bits(gallery):
    # In a process of its own: the threads of a step do not exist in the child.
    code = f"""
import os, sys, achilles
sim = achilles.Simulation({str(gallery / "first.yaml")!r}, threads=2)
sim.step(10)
child = os.fork()
sim.step(10)
if child == 0:
    print(sim.state_hash(), flush=True)
    sys.exit(0)
assert os.waitpid(child, 0)[1] == 0
print(sim.state_hash())
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120, check=True)
    first, second = done.stdout.split()
    assert first == second


def test_recording_is_that_of_the_command_line(tmp_path, resting):
    report = achilles.run(resting, until=0.2, record=tmp_path / "run.h5")
    assert report["steps"] == 20
    assert (tmp_path / "run.h5").stat().st_size > 0
    with achilles.Simulation(resting, record=tmp_path / "other.h5") as sim:
        sim.step(20)
        with pytest.raises(RuntimeError, match="recorded"):
            sim.body("crate").remove()
    assert not sim.is_recording


def test_report_survives_json(resting):
    report = achilles.Simulation(resting).run(until=0.05)
    assert json.loads(json.dumps(report)) == report


@pytest.mark.parametrize("kind", [lambda scene: achilles.Simulation(scene, threads=0),
                                  lambda scene: achilles.Simulation(scene, method="no-such"),
                                  lambda scene: achilles.Batch(scene, 2, threads=0)])
def test_object_whose_construction_failed_can_be_shown(falling, kind):
    # Tracebacks with local variables show `self` of the frame that raised.
    with pytest.raises(ValueError) as caught:
        kind(falling)
    frames = []
    trace = caught.value.__traceback__
    while trace is not None:
        frames.append(trace.tb_frame.f_locals)
        trace = trace.tb_next
    shown = [repr(frame["self"]) for frame in frames if isinstance(frame.get("self"), (achilles.Simulation, achilles.Batch))]
    assert shown and all("without a scene" in text for text in shown)
