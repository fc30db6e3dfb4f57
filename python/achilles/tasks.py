"""Tasks for reinforcement learning on batches of simulations, and their episodes. This needs NumPy alone; achilles.gym
makes environments of Gymnasium of it.
"""

import dataclasses

import numpy as np

from .batch import Batch
from .scene import Scene


@dataclasses.dataclass(frozen=True)
class Box:
    """Arrays of numbers between two bounds."""

    low: float
    high: float
    shape: tuple
    dtype: type = np.float32


@dataclasses.dataclass(frozen=True)
class Discrete:
    """The whole numbers 0 ... n - 1."""

    n: int


class Task:
    """What is simulated, seen, rewarded and ended. All functions work on a whole batch: arrays are (count, ...).

    Spaces are a Box or Discrete of this module, or a space of Gymnasium.
    """

    action_space = None
    observation_space = None
    steps_per_action = 1

    def make_scene(self):
        """The scene of every world."""
        raise NotImplementedError

    def begin(self, batch):
        """Looks up what the other functions need, once."""

    def randomize(self, world, random):
        """Places one world at the start of an episode."""

    def act(self, batch, actions):
        """Sets motors or forces before the steps of an action."""
        raise NotImplementedError

    def observe(self, batch):
        """What is seen, shape (count, ...)."""
        raise NotImplementedError

    def judge(self, batch, actions):
        """(rewards, terminated), both of shape (count,)."""
        raise NotImplementedError


class CartPole(Task):
    """A pole on a cart that is pushed left or right, with the measures of Gymnasium's CartPole. Every step in which the
    pole stands gives 1."""

    action_space = Discrete(2)
    observation_space = Box(-np.inf, np.inf, (4,))
    steps_per_action = 2
    force = 10.0  # [N]
    limits = (2.4, 12 * np.pi / 180)  # [m], [rad]

    def make_scene(self):
        scene = Scene("cart and pole", step=0.01)
        scene.add_box("cart", size=(0.5, 0.3, 0.2), mass=1.0, position=(0, 0, 0))
        scene.add_box("pole", size=(0.05, 0.05, 1.0), mass=0.1, position=(0, 0, 0.5))
        scene.add_slider("rail", ("world", "cart"), at=(0, 0, 0), axis=(1, 0, 0))
        scene.add_hinge("pivot", ("cart", "pole"), at=(0, 0, 0), axis=(0, 1, 0))
        return scene

    def begin(self, batch):
        self._cart, self._pole = batch.names.index("cart"), batch.names.index("pole")

    def randomize(self, world, random):
        x, speed, angle, spin = random.uniform(-0.05, 0.05, 4)
        up = np.array([np.sin(angle), 0, np.cos(angle)])
        cart, pole = world.body("cart"), world.body("pole")
        cart.position, cart.velocity = (x, 0, 0), (speed, 0, 0)
        pole.position, pole.orientation = (x, 0, 0) + 0.5 * up, (np.cos(angle / 2), 0, np.sin(angle / 2), 0)
        pole.velocity, pole.spin = (speed, 0, 0) + 0.5 * np.cross((0, spin, 0), up), (0, spin, 0)

    def act(self, batch, actions):
        force = np.zeros((len(batch), len(batch.names), 3))
        force[:, self._cart, 0] = np.where(np.asarray(actions) == 1, self.force, -self.force)
        batch.force = force

    def observe(self, batch):
        position, velocity = batch.joint_position[:, :, 0], batch.joint_velocity[:, :, 0]
        return np.stack([position[:, 0], velocity[:, 0], position[:, 1], velocity[:, 1]], axis=1)

    def judge(self, batch, actions):
        position = np.abs(batch.joint_position[:, :, 0])
        fallen = (position[:, 0] > self.limits[0]) | (position[:, 1] > self.limits[1])
        return np.ones(len(batch)), fallen


class Pusher(Task):
    """An arm of two links over a table pushes a puck to a goal. Actions are speeds of the two joints; the reward is
    minus the distance of the puck from the goal, a tenth of that of the tip from the puck, and what the action costs."""

    action_space = Box(-1, 1, (2,))
    observation_space = Box(-np.inf, np.inf, (12,))
    steps_per_action = 5
    goal = np.array([0.3, 0.45])
    reach = 0.4  # [m] of one link

    def make_scene(self):
        scene = Scene("pusher", step=0.01)
        scene.add_material("default", friction=0.3)
        scene.add_plane("table")
        link = {"size": (self.reach, 0.04, 0.04), "mass": 1.0}
        scene.add_box("upper", position=(self.reach / 2, 0, 0.15), **link)
        scene.add_box("lower", position=(1.5 * self.reach, 0, 0.15), **link)
        scene.add_cylinder("tip", radius=0.03, height=0.1, mass=0.2, position=(2 * self.reach, 0, 0.08))
        scene.add_cylinder("puck", radius=0.06, height=0.06, mass=0.3, position=(0.55, 0.2, 0.03))
        motor = {"speed": 0, "max_torque": 20}
        scene.add_hinge("shoulder", ("world", "upper"), at=(0, 0, 0.15), axis=(0, 0, 1), motor=motor)
        scene.add_hinge("elbow", ("upper", "lower"), at=(self.reach, 0, 0.15), axis=(0, 0, 1), motor=motor)
        scene.add_fixed("wrist", ("lower", "tip"), at=(2 * self.reach, 0, 0.15))
        return scene

    def begin(self, batch):
        self._tip, self._puck = batch.names.index("tip"), batch.names.index("puck")

    def randomize(self, world, random):
        world.body("puck").position = (*random.uniform((0.45, 0.12), (0.6, 0.3)), 0.03)

    def act(self, batch, actions):
        batch.motor_target = 2.0 * np.clip(actions, -1, 1)

    def _places(self, batch):
        place = batch.position[:, :, :2]
        return place[:, self._tip], place[:, self._puck]

    def observe(self, batch):
        tip, puck = self._places(batch)
        angles, rates = batch.joint_position[:, :2, 0], batch.joint_velocity[:, :2, 0]
        speed = batch.velocity[:, self._puck, :2]
        return np.concatenate([angles, rates, tip, puck, speed, self.goal - puck], axis=1)

    def judge(self, batch, actions):
        tip, puck = self._places(batch)
        effort = np.square(actions).sum(axis=1)
        reward = -np.linalg.norm(puck - self.goal, axis=1) - 0.1 * np.linalg.norm(tip - puck, axis=1) - 0.01 * effort
        return reward, np.zeros(len(batch), bool)


class Quadruped(Task):
    """Four legs with hips and knees. Actions are angles of the eight joints; the reward is the speed forward, a bonus
    for standing, and what the actions cost. It ends when the torso falls."""

    action_space = Box(-1, 1, (8,))
    observation_space = Box(-np.inf, np.inf, (27,))
    steps_per_action = 5
    swing = 0.6  # [rad] of a joint to either side

    def make_scene(self):
        scene = Scene("quadruped", step=0.005)
        scene.add_material("default", friction=0.8)
        scene.add_plane("ground")
        scene.add_box("torso", size=(0.6, 0.3, 0.12), mass=8, position=(0, 0, 0.5))
        for front in (1, -1):
            for left in (1, -1):
                leg = ("front" if front > 0 else "rear") + (" left" if left > 0 else " right")
                x, y = 0.25 * front, 0.2 * left
                scene.add_capsule("thigh " + leg, radius=0.03, length=0.14, mass=0.6, position=(x, y, 0.38))
                scene.add_capsule("shank " + leg, radius=0.025, length=0.18, mass=0.3, position=(x, y, 0.155))
                motor = {"position": 0, "max_torque": 40}
                scene.add_hinge("hip " + leg, ("torso", "thigh " + leg), at=(x, y, 0.48), axis=(0, 1, 0), motor=motor)
                scene.add_hinge("knee " + leg, ("thigh " + leg, "shank " + leg), at=(x, y, 0.27), axis=(0, 1, 0),
                                motor=motor)
        return scene

    def begin(self, batch):
        self._torso = batch.names.index("torso")

    def randomize(self, world, random):
        torso = world.body("torso")
        torso.velocity = random.uniform(-0.05, 0.05, 3)

    def act(self, batch, actions):
        batch.motor_target = self.swing * np.clip(actions, -1, 1)

    def observe(self, batch):
        torso = self._torso
        return np.concatenate([batch.position[:, torso, 2:], batch.orientation[:, torso], batch.velocity[:, torso],
                               batch.spin[:, torso], batch.joint_position[:, :, 0], batch.joint_velocity[:, :, 0]], axis=1)

    def judge(self, batch, actions):
        torso = self._torso
        _, x, y, _ = batch.orientation[:, torso].T
        upright = 1 - 2 * (x * x + y * y)  # cosine of the tilt
        fallen = (batch.position[:, torso, 2] < 0.25) | (upright < 0.5)
        return batch.velocity[:, torso, 0] + 0.5 - 0.01 * np.square(actions).sum(axis=1), fallen


class Worlds:
    """A task on a batch."""

    def __init__(self, task, count, threads=None, method=None):
        self.task = task
        self.batch = Batch(task.make_scene(), count, threads, method=method)
        task.begin(self.batch)

    def reset(self, worlds, randoms):
        """Begins episodes: of each of these worlds with the random numbers randoms(world)."""
        self.batch.reset(worlds)
        for k in worlds:
            self.task.randomize(self.batch[k], randoms(k))

    def observe(self):
        """What is seen of all worlds."""
        with np.errstate(over="ignore"):  # a world that is stopped may hold numbers of any size
            return np.ascontiguousarray(self.task.observe(self.batch), dtype=self.task.observation_space.dtype)

    def step(self, actions):
        """Takes the steps of an action: (observations, rewards, terminated)."""
        for _ in range(self.task.steps_per_action):
            self.task.act(self.batch, actions)
            self.batch.step()
        observations = self.observe()
        rewards, terminated = self.task.judge(self.batch, actions)
        # A world whose numbers ceased to be finite stopped at its last good state.
        return observations, np.asarray(rewards, np.float64), np.asarray(terminated, bool) | self.batch.stopped

    def render(self, world):
        """A picture of a world, an array (height, width, 3)."""
        import os
        import tempfile
        from .recording import Recording
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "state.h5")
            self.batch[world]._record_state(path)
            return Recording(path).render(width=640, height=480)


class Episodes:
    """Episodes of a task in many worlds at once. A world whose episode ended is reset by the next step, whose action it
    does not see. World k has the same episodes among any number of worlds.

        episodes = Episodes(CartPole(), 64, limit=500)
        observations = episodes.reset(seed=1)
        observations, rewards, terminated, truncated = episodes.step(actions)
    """

    def __init__(self, task, count, limit=None, threads=None, method=None):
        self.worlds = Worlds(task, count, threads, method)
        self._limit = np.inf if limit is None else limit
        self._is_seeded = False
        self._taken = np.zeros(count, int)
        self._ended = np.zeros(count, bool)

    def reset(self, seed=None):
        """Begins an episode in every world. Without a seed the random numbers go on; at the first time they begin with
        ones of the system, which no other run has."""
        if seed is None and not self._is_seeded:
            seed = np.random.SeedSequence().entropy
        if seed is not None:
            self.worlds.batch.reset([], seed=seed)
            self._is_seeded = True
        self.worlds.reset(range(len(self._ended)), self.worlds.batch.random)
        self._taken[:] = 0
        self._ended[:] = False
        return self.worlds.observe()

    def step(self, actions):
        """Takes the steps of an action: (observations, rewards, terminated, truncated)."""
        begun = np.flatnonzero(self._ended)
        observations, rewards, terminated = self.worlds.step(np.asarray(actions))
        self._taken += 1
        if len(begun):
            self.worlds.reset([int(k) for k in begun], self.worlds.batch.random)
            observations = self.worlds.observe()
            rewards[begun], terminated[begun], self._taken[begun] = 0, False, 0
        truncated = (self._taken >= self._limit) & ~terminated
        self._ended = terminated | truncated
        return observations, rewards, terminated, truncated
