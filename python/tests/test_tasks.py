"""Tasks for reinforcement learning and their episodes, without Gymnasium."""

import importlib.util
import subprocess
import sys

import numpy as np
import pytest

from achilles.tasks import Box, CartPole, Discrete, Episodes, Pusher, Quadruped, Worlds

TASKS = [CartPole, Pusher, Quadruped]


def draw_actions(task, count, random):
    space = task.action_space
    if isinstance(space, Discrete):
        return random.integers(space.n, size=count)
    return random.uniform(space.low, space.high, (count, *space.shape)).astype(space.dtype)


@pytest.mark.parametrize("task", TASKS)
def test_episodes_have_the_spaces_that_the_task_says(task):
    episodes = Episodes(task(), 3, limit=4)
    random = np.random.default_rng(0)
    space = task.observation_space
    assert isinstance(space, Box)
    observations = episodes.reset(seed=1)
    for _ in range(10):
        assert observations.shape == (3, *space.shape) and observations.dtype == space.dtype
        assert (observations >= space.low).all() and (observations <= space.high).all()
        observations, rewards, terminated, truncated = episodes.step(draw_actions(task, 3, random))
        assert rewards.shape == terminated.shape == truncated.shape == (3,)
        assert terminated.dtype == truncated.dtype == bool and np.isfinite(rewards).all()


@pytest.mark.parametrize("task", TASKS)
def test_world_does_not_depend_on_how_many_there_are(task):
    small, large = Episodes(task(), 2, limit=7), Episodes(task(), 5, limit=7)
    starts = [episodes.reset(seed=3) for episodes in (small, large)]
    assert np.array_equal(starts[0], starts[1][:2])
    random = np.random.default_rng(0)
    for _ in range(16):  # through two resets
        actions = draw_actions(task, 5, random)
        few, many = small.step(actions[:2]), large.step(actions)
        assert all(np.array_equal(a, b[:2]) for a, b in zip(few, many))


@pytest.mark.parametrize("task", TASKS)
def test_episodes_follow_their_seed_and_differ_without_one(task):
    def begin(seed):
        return Episodes(task(), 2).reset(seed=seed)

    assert np.array_equal(begin(5), begin(5))
    starts = [begin(seed) for seed in (5, 6, None, None, 0)]
    assert len({start.tobytes() for start in starts}) == len(starts)
    # Without a seed the numbers go on: another episode, and the same one after the same seed.
    episodes = Episodes(task(), 2)
    runs = [[episodes.reset(seed=7), episodes.reset(), episodes.reset()] for _ in range(2)]
    assert all(np.array_equal(a, b) for a, b in zip(*runs))
    assert not np.array_equal(runs[0][0], runs[0][1])


def test_pole_falls_as_the_linearized_equations_say():
    # Barto's cart and pole: for a small angle and no force, theta'' = g theta (M + m) / (l (4/3 (M + m) - m)) with l half
    # the length of a thin rod. The box of 0.05 m adds 0.25 % to the rod's inertia; 1 % covers it and the step of 0.01 s.
    sim, angle = Worlds(CartPole(), 1).batch[0], 0.01
    pole = sim.body("pole")
    pole.position = (0.5 * np.sin(angle), 0, 0.5 * np.cos(angle))
    pole.orientation = (np.cos(angle / 2), 0, np.sin(angle / 2), 0)
    sim.step()
    rate = sim.joint_velocity[1, 0]
    assert rate / 0.01 == pytest.approx(9.81 * angle * 1.1 / (0.5 * (4 / 3 * 1.1 - 0.1)), rel=1e-2)


def test_cart_and_pole_end_when_the_pole_falls_and_begin_again():
    episodes = Episodes(CartPole(), 2)
    episodes.reset(seed=0)
    ended, was_ended = 0, np.zeros(2, bool)
    for _ in range(120):
        observations, rewards, terminated, truncated = episodes.step(np.array([1, 0]))
        assert not (was_ended & terminated).any() and not truncated.any()
        assert np.array_equal(rewards, np.where(was_ended, 0, 1))  # the step that begins anew has no reward
        assert np.abs(observations[was_ended, :]).max(initial=0) <= 0.05 + 1e-6  # the range of the starts
        assert np.abs(observations[~terminated, 2]).max(initial=0) <= 12 * np.pi / 180 + 1e-6
        ended += terminated.sum()
        was_ended = terminated
    assert ended >= 4


def test_quadruped_stands_on_its_legs():
    # All eight motors hold the legs straight, so that the ground carries the weight.
    worlds = Worlds(Quadruped(), 1)
    worlds.reset([0], lambda _: np.random.default_rng(0))
    for _ in range(40):
        _, _, terminated = worlds.step(np.zeros((1, 8), np.float32))
        assert not terminated.any()
    sim = worlds.batch[0]
    weight = (sim.contacts["impulse"] * sim.contacts["normal"]).sum() / sim.step_length
    assert weight == pytest.approx((8 + 4 * 0.9) * 9.81, rel=0.05)


def test_arm_pushes_the_puck():
    # The elbow bends with twice the speed of the shoulder: the tip comes in along the x axis to the radius of the puck,
    # which it then sweeps along its circle. The reward is minus the distances and the cost of the action throughout.
    task = Pusher()
    worlds = Worlds(task, 1)
    worlds.reset([0], lambda _: np.random.default_rng(0))
    start = worlds.batch.position[0, worlds.batch.names.index("puck"), :2]
    bend = 2 * np.arccos(np.linalg.norm(start) / (2 * task.reach))
    turns = round(bend / (2 * 0.05))  # actions of 0.05 s at 2 rad/s
    for action in [(-0.5, 1)] * turns + [(0.5, 0)] * 12:
        observations, rewards, _ = worlds.step(np.array([action], np.float32))
        tip, puck = observations[0, 4:6], observations[0, 6:8]
        expected = -np.linalg.norm(puck - task.goal) - 0.1 * np.linalg.norm(tip - puck) - 0.01 * np.square(action).sum()
        assert rewards[0] == pytest.approx(expected, abs=1e-6)
    # Counterclockwise: 12 actions of 0.05 s turn by 0.6 rad, about 0.3 of them with the puck.
    assert (start[0] * puck[1] - start[1] * puck[0]) / np.linalg.norm(start) ** 2 > 0.15


def test_episode_ends_at_its_limit_and_the_next_has_the_same_length():
    episodes = Episodes(Pusher(), 1, limit=10)
    episodes.reset(seed=0)
    for k in range(22):  # ten steps and one that begins anew
        truncated = episodes.step(np.zeros((1, 2), np.float32))[3]
        assert truncated[0] == (k % 11 == 9)


def test_world_whose_numbers_overflow_ends_its_episode():
    episodes = Episodes(Quadruped(), 2)
    episodes.reset(seed=0)
    torso = episodes.worlds.batch[1].body("torso")
    torso.velocity = (1.7e308, 0, 0)
    torso.apply_force((1.7e308, 0, 0))
    terminated = episodes.step(np.zeros((2, 8), np.float32))[2]
    assert list(terminated) == [False, True]
    observations, _, terminated, _ = episodes.step(np.zeros((2, 8), np.float32))
    assert not terminated.any() and np.isfinite(observations).all()


def test_picture_of_a_world_shows_it():
    worlds = Worlds(CartPole(), 2)
    pictures = [worlds.render(k) for k in range(2)]
    assert pictures[0].shape == (480, 640, 3) and np.array_equal(*pictures)
    worlds.batch[1].body("cart").position = (1, 0, 0)
    assert not np.array_equal(pictures[1], worlds.render(1))


@pytest.mark.skipif(importlib.util.find_spec("gymnasium") is not None, reason="Gymnasium is installed")
def test_environments_say_what_they_need():
    done = subprocess.run([sys.executable, "-c", "import achilles.gym"], capture_output=True, text=True)
    assert "ImportError: achilles.gym needs Gymnasium 1.1 or later" in done.stderr
