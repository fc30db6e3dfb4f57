"""Many copies of a scene, stepped together."""

from __future__ import annotations

import copy
import os

from . import _core
from .simulation import Simulation

TYPE_CHECKING = False
if TYPE_CHECKING:  # what type checkers read; typing itself would take its time in an import
    import numpy


class Batch(_core.Batch):
    """Independent copies of a scene, stepped on all cores with one call.

        batch = achilles.Batch("cartpole.yaml", count=1024, threads=2)
        batch.motor_target = actions            # shape (count, motors)
        batch.step(5)
        batch.joint_position                    # shape (count, joints, 2)

    scene      a Scene, the path of a scene file, or a Simulation to begin with
    count      number of worlds
    threads    that step them; every world has the bits of a simulation stepped alone, on any number
    seed       of the random numbers that `randomize` gets: world k draws the same ones in a batch of any size
    randomize  randomize(world, random) is called for every world at the start and after each reset of it; it may set
               poses, masses, materials, springs, ... . `random` is a numpy.random.Generator of that world

    Arrays have the shape (count, n, ...). They are copies that cannot be written: assign a whole array. batch[k] is world
    k, a Simulation with all it can do; its arrays are views.
    """

    def __init__(self, scene, count, threads=None, seed=0, *, method=None, randomize=None):
        if count != int(count) or count < 1:
            raise ValueError(f"Batch(count={count}): at least one world is needed")
        if isinstance(scene, Simulation):
            first = Simulation(scene.scene, method, watch=False)
            first.restore(scene.snapshot())
            if (events := scene._event_options()) is not None:
                first.watch_events(*events)
        else:
            first = Simulation(scene, method, watch=False)
        self._worlds = [first] + [copy.copy(first) for _ in range(int(count) - 1)]
        super().__init__(self._worlds, os.cpu_count() or 1 if threads is None else threads)
        self.scene = first.scene
        self._start = first.snapshot()
        self._seed = seed
        self._random = [None] * len(self)
        self._randomize = randomize
        if randomize is not None:
            for k in range(len(self)):
                randomize(self._worlds[k], self.random(k))

    def random(self, world) -> numpy.random.Generator:
        """The random numbers of a world, a numpy.random.Generator."""
        import numpy
        if self._random[world] is None:
            key = range(len(self))[world]
            self._random[world] = numpy.random.default_rng(numpy.random.SeedSequence(self._seed, spawn_key=(key,)))
        return self._random[world]

    def reset(self, worlds=None, *, seed=None) -> None:
        """Returns worlds to the start: all of them, or those of a list of indices or a mask. A seed begins their random
        numbers anew."""
        if seed is not None:
            self._seed = seed
            self._random = [None] * len(self)
        for k in self._list_worlds(worlds):
            self._worlds[k].restore(self._start)
            if self._randomize is not None:
                self._randomize(self._worlds[k], self.random(k))

    def _list_worlds(self, worlds):
        import numpy
        if worlds is None:
            return range(len(self))
        chosen = numpy.atleast_1d(numpy.asarray(worlds))
        if chosen.dtype == bool:
            if chosen.shape != (len(self),):
                raise ValueError(f"a mask of {len(self)} worlds is expected, not of shape {chosen.shape}")
            return [int(k) for k in numpy.flatnonzero(chosen)]
        if chosen.size and not numpy.issubdtype(chosen.dtype, numpy.integer):
            raise TypeError("worlds are indices or a mask")
        return [range(len(self))[int(k)] for k in chosen.ravel()]

    def set_material(self, name, worlds=None, **law) -> None:
        """Changes a material: set_material("default", friction=numbers), one number per world or one for all."""
        import numpy
        chosen = self._list_worlds(worlds)
        columns = {key: numpy.broadcast_to(value, len(chosen)) for key, value in law.items()}
        for row, k in enumerate(chosen):
            self._worlds[k].set_material(name, **{key: float(column[row]) for key, column in columns.items()})

    def set_mass(self, body, mass, worlds=None) -> None:
        """Changes the mass of a body [kg], its inertia with it: one number per world or one for all."""
        import numpy
        chosen = self._list_worlds(worlds)
        for row, k in enumerate(chosen):
            self._worlds[k].body(body).mass = float(numpy.broadcast_to(mass, len(chosen))[row])

    def set_drive(self, joint, worlds=None, *, axis=0, **gains) -> None:
        """Changes the drive along an axis of a joint: set_drive("hip", stiffness=numbers, damping=2), in the words of
        Joint.set_drive; one number per world or one for all."""
        self._set_joint(joint, "set_drive", worlds, axis, gains)

    def set_motor(self, joint, worlds=None, *, axis=0, max, **target) -> None:
        """Changes the motor along an axis of a joint: set_motor("hip", speed=numbers, max=5), in the words of
        Joint.set_motor; one number per world or one for all."""
        self._set_joint(joint, "set_motor", worlds, axis, {**target, "max": max})

    def set_spring(self, joint, worlds=None, *, axis=0, **spring) -> None:
        """Changes the spring along an axis of a joint, in the words of Joint.set_spring; one number per world or one for
        all."""
        self._set_joint(joint, "set_spring", worlds, axis, spring)

    def _set_joint(self, joint, function, worlds, axis, numbers):
        import numpy
        chosen = self._list_worlds(worlds)
        columns = {key: numpy.broadcast_to(value, len(chosen)) for key, value in numbers.items()}
        for row, k in enumerate(chosen):
            handle = self._worlds[k].joint(joint)
            getattr(handle, function)(axis=axis, **{key: float(column[row]) for key, column in columns.items()})

    @property
    def sensors(self) -> dict[str, tuple[str, ...]]:
        """The sensors of the scene by name, each with the names and units of its values."""
        return self._worlds[0].sensors

    @property
    def names(self) -> list[str]:
        """Names of the bodies, in the order of the arrays."""
        return self._worlds[0].names

    @property
    def motors(self) -> list[str]:
        """Names of the joints with a motor along their first axis, in the order of motor_target."""
        return self._worlds[0].motors

    def __getitem__(self, world):
        return self._worlds[world]

    def __iter__(self):
        return iter(self._worlds)

    def __repr__(self):
        if "scene" not in vars(self):  # __init__ raised an error, and a debugger shows the frame
            return "Batch(without a scene)"
        return f"Batch({self.scene.name or self.scene.file!r}, {len(self)} worlds of {len(self._worlds[0])} bodies)"
