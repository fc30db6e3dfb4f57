"""Events: callbacks, how they end, and that copies and batches have them."""

import _thread
import copy
import gc
import pickle
import threading
import weakref

import numpy as np
import pytest

import achilles


def make_bouncing(speed=0):
    """A ball that falls 0.1 m onto the ground, and bounces."""
    scene = achilles.Scene("bouncing", step=0.01)
    scene.add_material("default", restitution=0.8)
    scene.add_plane("ground").add_sphere("ball", radius=0.1, position=(0, 0, 0.2), velocity=(0, 0, speed))
    return scene


def watch(sim):
    seen = []
    sim.watch_events()
    sim.on_event(seen.append)
    return seen


def list_events(events):
    return [(int(event.kind), event.time, event.first, event.second) for event in events]


def test_callback_that_was_taken_off_is_not_called(resting):
    sim = achilles.Simulation(resting)
    sim.watch_events()
    first, second = [], []

    @sim.on_event
    def listen(event):
        first.append(event)

    sim.on_event(second.append)
    sim.step(10)
    assert len(first) == len(second) > 0
    sim.off_event(listen)
    sim.body("crate").velocity = (0, 0, 3)
    sim.step(100)
    assert len(second) > len(first)
    sim.off_event(second.append)  # an equal bound method, not the same object
    for wrong in (listen, second.append, None, 1):
        with pytest.raises(ValueError, match="no callback"):
            sim.off_event(wrong)


def test_callback_may_take_itself_off(resting):
    sim = achilles.Simulation(resting)
    sim.watch_events(persistent=True)
    seen = []

    def once(event):
        seen.append(event)
        sim.off_event(once)

    sim.on_event(once)
    sim.step(30)
    assert len(seen) >= 1
    count = len(seen)
    sim.step(30)
    assert len(seen) == count


@pytest.mark.parametrize("hold", [lambda sim: sim, lambda sim: sim.body("arm"), lambda sim: sim.joint("shoulder"),
                                  lambda sim: sim.position, lambda sim: sim.step, lambda sim: [sim.bodies, sim.velocity]])
def test_callback_that_refers_to_its_simulation_ends_with_it(pendulum, hold):
    sim = achilles.Simulation(pendulum)
    held = hold(sim)

    def listen(event):
        return held

    sim.on_event(listen)
    sim.step(3)
    gone = weakref.ref(listen)
    gc.collect()
    assert gone() is listen
    del sim, held, listen
    gc.collect()
    assert gone() is None


def test_callback_that_refers_to_its_batch_ends_with_it(falling):
    batch = achilles.Batch(falling, 3)

    def listen(event):
        return batch

    for world in batch:
        world.on_event(listen)
    batch.step()
    gone = weakref.ref(listen)
    del batch, world, listen
    gc.collect()
    assert gone() is None


def test_simulation_without_a_cycle_ends_at_once(falling):
    gc.disable()
    try:
        sim = achilles.Simulation(falling)
        sim.on_event(print)
        gone = weakref.ref(sim)
        del sim
        assert gone() is None
    finally:
        gc.enable()


def test_collection_during_a_step_of_another_thread_changes_nothing(gallery):
    sims = [achilles.Simulation(gallery / "first.yaml") for _ in range(2)]
    for sim in sims:
        sim.watch_events()
        sim.on_event(lambda event, sim=sim: None)
    sims[0].step(60)
    thread = threading.Thread(target=sims[1].step, args=(60,))
    thread.start()
    while thread.is_alive():
        gc.collect()
    thread.join()
    assert sims[0].state_hash() == sims[1].state_hash()


@pytest.mark.parametrize("duplicate", [copy.deepcopy, lambda sim: pickle.loads(pickle.dumps(sim)),
                                       lambda sim: achilles.Batch(sim, 2)[1]])
def test_copies_look_for_the_events_of_the_original(duplicate):
    # Before the ball touches, so that the copy has to find the touch itself; with distances of its own.
    sim = achilles.Simulation(make_bouncing())
    sim.watch_events(touching=2e-3, proximity=0.05, persistent=True)
    sim.step(5)
    other = duplicate(sim)
    seen = []
    for _ in range(60):
        sim.step()
        other.step()
        assert np.array_equal(sim.events, other.events)
        seen += list(sim.events["kind"])
    assert achilles.EventKind.NEW_TOUCH in seen


def test_copies_of_a_simulation_that_watches_nothing_watch_nothing():
    other = pickle.loads(pickle.dumps(achilles.Simulation(make_bouncing())))
    other.step(60)
    assert len(other.events) == 0


@pytest.mark.parametrize("n", [1, 7])
def test_callbacks_of_worlds_are_called_as_those_of_a_simulation_alone(n):
    batch = achilles.Batch(make_bouncing(), 3, threads=2)
    for k, world in enumerate(batch):
        world.body("ball").velocity = (0, 0, -k)
    seen = {k: watch(batch[k]) for k in (0, 2)}
    for _ in range(56 // n):
        batch.step(n)
    for k, events in seen.items():
        alone = achilles.Simulation(make_bouncing(-k))
        expected = watch(alone)
        alone.step(56)
        assert list_events(events) == list_events(expected) and len(expected) >= 2
        assert alone.state_hash() == batch[k].state_hash()


def test_exception_in_a_callback_of_a_world_comes_out_and_the_step_of_all_is_done():
    batch = achilles.Batch(make_bouncing(), 3)
    batch[1].watch_events()

    def fail(event):
        raise KeyError("mine")

    batch[1].on_event(fail)
    with pytest.raises(KeyError, match="mine"):
        batch.step(100)
    assert len(set(batch.time)) == 1 and 0 < batch.time[0] < 1
    assert len(set(batch.state_hash)) == 1
    batch[1].off_event(fail)
    batch.step(10)


@pytest.mark.parametrize("make", [lambda scene: achilles.Batch(scene, 3), achilles.Simulation])
def test_ctrl_c_ends_between_two_steps(falling, make):
    stepped = make(falling)
    timer = threading.Timer(0.3, _thread.interrupt_main)
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        stepped.step(10**9)
    timer.join()
    worlds = list(stepped) if isinstance(stepped, achilles.Batch) else [stepped]
    count = worlds[0].step_index
    assert count > 0 and all(world.step_index == count for world in worlds)
    stepped.step(2)
    alone = achilles.Simulation(falling, watch=False)
    alone.step(count + 2)
    assert all(world.state_hash() == alone.state_hash() for world in worlds)
