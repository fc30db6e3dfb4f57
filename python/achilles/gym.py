"""Gymnasium environments on batches of simulations. `import achilles.gym` registers them:

    import gymnasium
    import achilles.gym

    env = gymnasium.make("achilles/CartPole-v0")
    envs = gymnasium.make_vec("achilles/Quadruped-v0", num_envs=64)

A Task (achilles.tasks) is what is simulated, seen, rewarded and ended, for many worlds at once; Env is one world of it and
VectorEnv many. Make environments of your own from a Task in the same way.
"""

try:
    import gymnasium
    from gymnasium import spaces
    from gymnasium.vector import AutoresetMode
    from gymnasium.vector.utils import batch_space
except ImportError as error:
    raise ImportError(f"achilles.gym needs Gymnasium 1.1 or later (pip install 'gymnasium>=1.1'): {error}") from error
import numpy as np

from .tasks import Box, CartPole, Discrete, Episodes, Pusher, Quadruped, Task, Worlds

__all__ = ["Box", "CartPole", "Discrete", "Env", "Pusher", "Quadruped", "Task", "VectorEnv", "register"]


def _to_space(space):
    """The space of Gymnasium."""
    if isinstance(space, Box):
        return spaces.Box(space.low, space.high, space.shape, space.dtype)
    return spaces.Discrete(space.n) if isinstance(space, Discrete) else space


class Env(gymnasium.Env):
    """One world of a task."""

    metadata = {"render_modes": ["rgb_array"], "render_fps": 30}

    def __init__(self, task, render_mode=None, method=None):
        if render_mode not in (None, "rgb_array"):
            raise ValueError(f"render_mode={render_mode!r}: 'rgb_array' or None is expected")
        self._worlds = Worlds(task(), 1, 1, method)
        self.render_mode = render_mode
        self.action_space, self.observation_space = _to_space(task.action_space), _to_space(task.observation_space)

    @property
    def simulation(self):
        """The world."""
        return self._worlds.batch[0]

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self._worlds.reset([0], lambda _: self.np_random)
        return self._worlds.observe()[0], {}

    def step(self, action):
        observations, rewards, terminated = self._worlds.step(np.asarray(action)[None])
        return observations[0], float(rewards[0]), bool(terminated[0]), False, {}

    def render(self):
        return self._worlds.render(0) if self.render_mode == "rgb_array" else None


class VectorEnv(gymnasium.vector.VectorEnv):
    """Many worlds of a task, stepped on all cores with one call. A world whose episode ended is reset by the next step,
    whose action it does not see (Gymnasium's AutoresetMode.NEXT_STEP). World k has the same episodes in a VectorEnv of
    any size."""

    metadata = {"render_modes": ["rgb_array"], "render_fps": 30, "autoreset_mode": AutoresetMode.NEXT_STEP}

    def __init__(self, task, num_envs=1, max_episode_steps=None, threads=None, render_mode=None, method=None):
        self._episodes = Episodes(task(), num_envs, max_episode_steps, threads, method)
        self.num_envs = num_envs
        self.render_mode = render_mode
        self.single_action_space = _to_space(task.action_space)
        self.single_observation_space = _to_space(task.observation_space)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self.observation_space = batch_space(self.single_observation_space, num_envs)

    @property
    def batch(self):
        """The worlds."""
        return self._episodes.worlds.batch

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        return self._episodes.reset(seed), {}

    def step(self, actions):
        return *self._episodes.step(actions), {}

    def render(self):
        if self.render_mode != "rgb_array":
            return None
        return tuple(self._episodes.worlds.render(k) for k in range(self.num_envs))


def register(name, task, max_episode_steps=None):
    """Makes a task known to gymnasium.make and gymnasium.make_vec."""

    def make(**options):
        return Env(task, **options)

    def make_vector(num_envs=1, **options):
        # Gymnasium keeps the limit of a vector environment to itself.
        options.setdefault("max_episode_steps", max_episode_steps)
        return VectorEnv(task, num_envs, **options)

    gymnasium.register(name, entry_point=make, vector_entry_point=make_vector, max_episode_steps=max_episode_steps)


register("achilles/CartPole-v0", CartPole, max_episode_steps=500)
register("achilles/Pusher-v0", Pusher, max_episode_steps=100)
register("achilles/Quadruped-v0", Quadruped, max_episode_steps=400)
