"""Gymnasium environments; left out where Gymnasium is not installed."""

import numpy as np
import pytest

gymnasium = pytest.importorskip("gymnasium")

import achilles.gym  # noqa: E402

NAMES = ["achilles/CartPole-v0", "achilles/Pusher-v0", "achilles/Quadruped-v0"]


@pytest.mark.parametrize("name", NAMES)
def test_checker_finds_nothing(name, recwarn):
    from gymnasium.utils.env_checker import check_env
    check_env(gymnasium.make(name, render_mode="rgb_array").unwrapped)


@pytest.mark.parametrize("name", NAMES)
def test_vector_environment_has_the_spaces_it_says(name):
    envs = gymnasium.make_vec(name, num_envs=3)
    observations, _ = envs.reset(seed=1)
    assert observations in envs.observation_space
    for _ in range(5):
        observations, rewards, terminated, truncated, _ = envs.step(envs.action_space.sample())
        assert observations in envs.observation_space
        assert rewards.shape == terminated.shape == truncated.shape == (3,)


def test_world_of_a_vector_environment_does_not_depend_on_its_size():
    small, large = (gymnasium.make_vec(NAMES[1], num_envs=count) for count in (2, 5))
    starts = [envs.reset(seed=3)[0] for envs in (small, large)]
    assert np.array_equal(starts[0], starts[1][:2])
    actions = np.linspace(-1, 1, 10, dtype=np.float32).reshape(5, 2)
    for _ in range(10):
        few, many = small.step(actions[:2]), large.step(actions)
        assert np.array_equal(few[0], many[0][:2]) and np.array_equal(few[1], many[1][:2])


def test_pole_falls_as_the_linearized_equations_say():
    # Barto's cart and pole: for a small angle and no force, theta'' = g theta (M + m) / (l (4/3 (M + m) - m)) with l half
    # the length of a thin rod. The box of 0.05 m adds 0.25 % to the rod's inertia; 1 % covers it and the step of 0.01 s.
    env = gymnasium.make(NAMES[0]).unwrapped
    env.reset(seed=0)
    sim, angle = env.simulation, 0.01
    sim.restore(env._worlds.batch._start)
    pole = sim.body("pole")
    pole.position = (0.5 * np.sin(angle), 0, 0.5 * np.cos(angle))
    pole.orientation = (np.cos(angle / 2), 0, np.sin(angle / 2), 0)
    sim.step()
    rate = sim.joint_velocity[1, 0]
    assert rate / 0.01 == pytest.approx(9.81 * angle * 1.1 / (0.5 * (4 / 3 * 1.1 - 0.1)), rel=1e-2)


def test_cart_and_pole_end_when_the_pole_falls_and_begin_again():
    envs = gymnasium.make_vec(NAMES[0], num_envs=2)
    envs.reset(seed=0)
    ended = 0
    for _ in range(120):
        observations, rewards, terminated, _, _ = envs.step(np.array([1, 0]))
        ended += terminated.sum()
        assert np.abs(observations[~terminated, 2]).max(initial=0) <= 12 * np.pi / 180 + 1e-6
    assert ended >= 4


def test_quadruped_stands_on_its_legs():
    # All eight motors hold the legs straight: the torso stays at 0.5 m but for the gap of 4 cm below the feet.
    env = gymnasium.make(NAMES[2]).unwrapped
    env.reset(seed=0)
    for _ in range(40):
        _, _, terminated, _, _ = env.step(np.zeros(8, np.float32))
        assert not terminated
    weight = (env.simulation.contacts["impulse"] * env.simulation.contacts["normal"]).sum() / env.simulation.step_length
    assert weight == pytest.approx((8 + 4 * 0.9) * 9.81, rel=0.05)


def test_episode_ends_at_its_limit():
    env = gymnasium.make(NAMES[1])
    env.reset(seed=0)
    for k in range(100):
        truncated = env.step(np.zeros(2, np.float32))[3]
        assert truncated == (k == 99)
