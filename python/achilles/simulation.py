"""A scene set in motion."""

from __future__ import annotations

import json
import os

from . import _core
from .scene import Scene, _to_plain, _to_yaml, load


def _to_scene(scene):
    """A Scene from what people write: a Scene, or the path of a file."""
    if isinstance(scene, Scene):
        return scene
    if isinstance(scene, (str, os.PathLike)):
        return load(scene)
    raise TypeError(f"a Scene or the path of a scene file is expected, not {type(scene).__name__}")


class Progress:
    """A bar of tqdm where that is installed, else lines on a terminal that are written over."""

    def __init__(self, start, end):
        self._end = end
        try:
            from tqdm.auto import tqdm
            self._bar = tqdm(total=end, initial=start, unit="s",
                             bar_format="{l_bar}{bar}| {n:.3f}/{total:.3f} s [{elapsed}<{remaining}]")
        except ImportError:
            self._bar = None

    def show(self, time):
        """Says that the simulation has come to this time [s]."""
        if self._bar is not None:
            self._bar.n = time
            self._bar.refresh()
        else:
            print(f"\r{time:.3f} of {self._end:.3f} s", end="", flush=True)

    def close(self):
        """Leaves the line."""
        if self._bar is not None:
            self._bar.close()
        else:
            print()


class Simulation(_core.Simulation):
    """A scene set in motion.

        sim = achilles.Simulation(scene, method="soft-step", threads=2)
        sim.step(10)
        sim.velocity[0] = (1, 0, 0)

    scene    a Scene, or the path of a scene file
    method   another method than the scene's
    threads  results do not depend on it
    watch    keep a report of all steps, for report(); without it a step does nothing else than step
    record   path of a recording (HDF5) to write; close() ends it, or use the simulation as a context manager
    every    time between recorded instants [s]; about 1/60 s unless given

    Arrays of the state (position, velocity, ...) are views of the simulation's memory: they show the present state, and
    what is written to them counts from the next step on. They keep the memory alive. While one is in use, bodies can be
    neither added nor removed (BufferError).
    """

    def __init__(self, scene, method=None, threads=1, *, watch=True, record=None, every=None):
        scene = _to_scene(scene)
        compiled = scene._compile(method)
        sets = list(scene._sets)
        if compiled is not scene._compiled:
            scene = Scene._of(compiled, sets + [("method.name", _to_yaml(str(method)))])
        super().__init__(compiled, threads, watch, "" if record is None else os.fspath(record), every, scene._sets)
        self.scene = scene

    def run(self, until=None, *, progress=False) -> dict | None:
        """Steps to a simulated time [s], the scene's duration unless given, or to where the simulation stops itself.

        Returns the report. `progress` shows a bar. Ctrl-C ends the run between two steps.
        """
        until = self.scene.duration if until is None else float(until)
        if not until >= 0 or until == float("inf"):
            raise ValueError(f"run(until={until}): a finite time of at least 0 s is expected")
        last = _core.count_steps(until, self.step_length)
        bar = Progress(self.time, until) if progress else None
        try:
            while not self._step_until(last, 0.1):
                if bar is not None:
                    bar.show(self.time)
        finally:
            if bar is not None:
                bar.show(self.time)
                bar.close()
        return self.report() if self._is_watched() else None

    def report(self) -> dict:
        """What happened so far: the dict that `achilles run --report` writes as JSON."""
        return json.loads(self._report_json())

    def close(self) -> dict:
        """Ends the recording with its report, which is returned."""
        return json.loads(self._close())

    def __enter__(self):
        return self

    def __exit__(self, *_error):
        if self.is_recording:
            self._close()

    def add_body(self, name, shape, **words) -> _core.Body:
        """Adds a body, in the words of the scene file: add_body("ball", {"sphere": {"radius": 0.1}}, position=...).

        Returns its handle. Not while arrays of the state are in use, nor while the simulation is recorded.
        """
        tree = self.scene.tree
        body = _to_plain({"name": name, "shape": shape, **words})
        scene = {"achilles": 1, "materials": tree.get("materials", {}), "bodies": [body]}
        return self._add_body(_to_yaml(scene))

    def add_joint(self, name, kind, between, **words) -> _core.Joint:
        """Adds a joint between two bodies as they stand, in the words of the scene file. Returns its handle."""
        bodies = [self.body(each) for each in between]
        stand = [{"name": body.name, "shape": {"sphere": {"radius": 1}}, "position": _to_plain(body.position),
                  "orientation": _to_plain(body.orientation)} for body in bodies]
        joint = _to_plain({"name": name, "kind": kind, "between": [body.name for body in bodies], **words})
        return self._add_joint(_to_yaml({"achilles": 1, "bodies": stand, "joints": [joint]}))

    def cast_shape(self, shape, position, path, orientation=(1, 0, 0, 0)) -> _core.Hit | None:
        """The first body that a convex shape meets when it moves by `path` [m] without turning, or None."""
        return self._cast_shape(_shape_scene(shape), position, orientation, path)

    def find_overlaps(self, shape, position, orientation=(1, 0, 0, 0)) -> list[int]:
        """Indices of the bodies that have a point in common with a convex shape."""
        return self._find_overlaps(_shape_scene(shape), position, orientation)

    def __copy__(self):
        return self.__deepcopy__({})

    def __deepcopy__(self, memo):
        copy = type(self).__new__(type(self))
        _core.Simulation.__init__(copy, self)
        copy.scene = self.scene
        memo[id(self)] = copy
        return copy

    def __reduce__(self):
        return _restore, (type(self), self.scene, self.threads, self._is_watched(), self.snapshot(), self._event_options())

    def _repr_html_(self):
        """The present state in Jupyter, to be looked at from all sides."""
        import tempfile
        from .recording import Recording
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "state.h5")
            self._record_state(path)
            return Recording(path)._repr_html_()

    def __repr__(self):
        if "scene" not in vars(self):  # __init__ raised an error, and a debugger shows the frame
            return "Simulation(without a scene)"
        stopped = f", stopped: {self.stopped.reason}" if self.stopped else ""
        name = self.scene.name or self.scene.file
        return f"Simulation({name!r}, {len(self)} bodies, {self.method}, time={self.time:g} s{stopped})"


def _shape_scene(shape):
    return _to_yaml({"achilles": 1, "bodies": [_to_plain({"name": "shape", "shape": shape})]})


def _restore(kind, scene, threads, watch, snapshot, events):
    simulation = kind.__new__(kind)
    Simulation.__init__(simulation, scene, threads=threads, watch=watch)
    if events is not None:
        simulation.watch_events(*events)
    simulation.restore(snapshot)
    return simulation


def run(scene, method=None, threads=1, *, until=None, record=None, every=None, progress=False) -> dict:
    """Runs a scene to its end and returns its report; the same as `achilles run` does."""
    with Simulation(scene, method, threads, record=record, every=every) as simulation:
        report = simulation.run(until, progress=progress)
        return simulation.close() if record is not None else report
