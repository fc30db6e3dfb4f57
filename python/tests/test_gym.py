"""Gymnasium environments; left out where Gymnasium is not installed. What needs no Gymnasium is in test_tasks.py."""

import numpy as np
import pytest

gymnasium = pytest.importorskip("gymnasium", minversion="1.1")

import achilles.gym  # noqa: E402

NAMES = ["achilles/CartPole-v0", "achilles/Pusher-v0", "achilles/Quadruped-v0"]


@pytest.mark.parametrize("name", NAMES)
def test_checker_finds_nothing(name, recwarn):
    from gymnasium.utils.env_checker import check_env
    check_env(gymnasium.make(name, render_mode="rgb_array").unwrapped)


@pytest.mark.parametrize("name", NAMES)
def test_vector_environment_has_the_spaces_it_says(name):
    envs = gymnasium.make_vec(name, num_envs=3)
    assert envs.metadata["autoreset_mode"] == gymnasium.vector.AutoresetMode.NEXT_STEP
    observations, _ = envs.reset(seed=1)
    assert observations in envs.observation_space
    for _ in range(5):
        observations, rewards, terminated, truncated, _ = envs.step(envs.action_space.sample())
        assert observations in envs.observation_space
        assert rewards.shape == terminated.shape == truncated.shape == (3,)


@pytest.mark.parametrize("name", NAMES)
def test_vector_environments_without_a_seed_differ(name):
    starts = [gymnasium.make_vec(name, num_envs=2).reset(seed=seed)[0].tobytes() for seed in (None, None, 0)]
    assert len(set(starts)) == 3
    starts = [gymnasium.make(name).reset()[0].tobytes() for _ in range(2)]
    assert len(set(starts)) == 2


def test_task_with_spaces_of_gymnasium_makes_an_environment():
    class Lazy(achilles.gym.Pusher):
        action_space = gymnasium.spaces.Box(-0.1, 0.1, (2,), np.float32)
        observation_space = gymnasium.spaces.Box(-np.inf, np.inf, (12,), np.float64)

    achilles.gym.register("mine/Lazy-v0", Lazy, max_episode_steps=3)
    env = gymnasium.make("mine/Lazy-v0")
    assert env.reset(seed=0)[0].dtype == np.float64
    assert [env.step(env.action_space.sample())[3] for _ in range(3)] == [False, False, True]
    envs = gymnasium.make_vec("mine/Lazy-v0", num_envs=2)
    envs.reset(seed=0)
    assert [list(envs.step(envs.action_space.sample())[3]) for _ in range(3)] == [[False] * 2, [False] * 2, [True] * 2]


def test_episode_ends_at_its_limit():
    env = gymnasium.make(NAMES[1])
    env.reset(seed=0)
    for k in range(100):
        truncated = env.step(np.zeros(2, np.float32))[3]
        assert truncated == (k == 99)
