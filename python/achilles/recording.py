"""Recordings: what a run wrote, read as it is asked for."""

from __future__ import annotations

import json
import operator
import os

from . import _core

TYPE_CHECKING = False
if TYPE_CHECKING:  # what type checkers read; typing itself would take its time in an import
    import numpy
    import pandas
    import xarray
    from .scene import Scene

_TEMPLATE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "template.html")
_WIDTH = {"orientation": 4, "position": 3, "velocity": 3, "spin": 3, "asleep": 1}
_KINDS = ("new-touch", "vanished-touch", "trigger-in", "trigger-out", "impact", "stop", "new-proximity",
          "vanished-proximity", "timer", "persistent-touch", "persistent-proximity")


class Array:
    """An array of a recording with one row per instant. Indexing reads the rows that are asked for from the file;
    numpy.asarray(array) reads all."""

    def __init__(self, file, name, shape):
        self._file, self._name = file, name
        self.shape = shape

    @property
    def dtype(self) -> numpy.dtype:
        """float64"""
        import numpy
        return numpy.dtype(float)

    @property
    def ndim(self) -> int:
        """Number of dimensions."""
        return len(self.shape)

    def __len__(self):
        return self.shape[0]

    def _read(self, first, count):
        return self._file.read_rows(self._name, first, count).reshape((count,) + self.shape[1:])

    def __getitem__(self, key):
        rows, rest = (key[0], key[1:]) if isinstance(key, tuple) and key else (key, ())
        if isinstance(rows, slice):
            start, stop, stride = rows.indices(len(self))
            picked = range(start, stop, stride)
            low, high = (min(picked), max(picked) + 1) if len(picked) else (0, 0)
            out = self._read(low, high - low)[[k - low for k in picked]]
            return out[(slice(None),) + rest] if rest else out
        try:
            index = operator.index(rows)
        except TypeError:
            return self.__array__()[key]
        out = self._read(range(len(self))[index], 1)[0]
        return out[rest] if rest else out

    def __array__(self, dtype=None, copy=None):
        out = self._read(0, len(self))
        return out if dtype is None else out.astype(dtype)

    def __repr__(self):
        return f"Array({self._name!r}, shape={self.shape})"


class Recording:
    """A recording (HDF5).

        recording = achilles.Recording("run.h5")
        recording.position[-1]                  # (n, 3) at the last instant, read from the file
        recording["energy_kinetic"][:]          # a number per instant
        recording.contacts(10)["impulse"]

    position and orientation (w, x, y, z) are of the bodies' frames, as scenes write them; velocity is that of the centres
    of mass. A run that was cut off has a recording up to its last second.
    """

    def __init__(self, path):
        self._file = _core.RecordingFile(os.fspath(path))
        self._head = self._file.head

    def __getattr__(self, name):
        if name in _WIDTH:
            return self[name]
        raise AttributeError(f"a recording has no {name!r}")

    def __getitem__(self, name):
        count = len(self)
        if name in ("time", "step"):
            return Array(self._file, name, (count,))
        if name in _WIDTH:
            width = (_WIDTH[name],) if _WIDTH[name] > 1 else ()
            return Array(self._file, name, (count, len(self.names)) + width)
        if name in _core.list_scalars():
            width = self._file.row_size("scalars/" + name)
            return Array(self._file, "scalars/" + name, (count,) if width == 1 else (count, width))
        raise KeyError(f"a recording has no array {name!r}; keys() lists them")

    def keys(self) -> list[str]:
        """Names of all arrays with one row per instant."""
        return ["time", "step", *_WIDTH, *_core.list_scalars()]

    def __len__(self):
        return self._file.instants

    @property
    def time(self) -> numpy.ndarray:
        """Time of every instant [s]."""
        return self["time"][:]

    @property
    def names(self) -> list[str]:
        """Names of the bodies, in the order of the arrays."""
        return self._head["names"]

    @property
    def path(self) -> str:
        """The file."""
        return self._file.path

    @property
    def method(self) -> str:
        """Name of the method."""
        return self._head["method"]

    @property
    def is_complete(self) -> bool:
        """False when the run was cut off."""
        return self._file.is_complete

    @property
    def report(self) -> dict | None:
        """The report of the run, or None when it was cut off."""
        return json.loads(self._file.report) if self.is_complete else None

    @property
    def scene(self) -> Scene:
        """The scene of the run, with its overrides applied."""
        from .scene import loads
        return loads(self._head["text"], file=self._head["file"])

    def contacts(self, instant) -> dict[str, numpy.ndarray]:
        """Contact points of an instant: a dict of arrays body_a, body_b, position, normal, gap, impulse."""
        return self._file.read_contacts(range(len(self))[instant])

    def events(self) -> numpy.ndarray:
        """All events: a structured array with time [s], kind (text), first and second (bodies; -1 where there is none)."""
        import numpy
        rows = [(time, _KINDS[kind], a if a != 0xFFFFFFFF else -1, b if b != 0xFFFFFFFF else -1)
                for time, kind, a, b in self._file.read_events()]
        return numpy.array(rows, [("time", "f8"), ("kind", "U20"), ("first", "i8"), ("second", "i8")])

    def certify(self, threads=1) -> dict:
        """Whether the motion is what the method promises, judged from the recording alone: the dict that
        `achilles certify` writes as JSON."""
        return json.loads(self._file.certify(threads))

    def export(self, path) -> None:
        """Writes the recording as .csv, .glb (glTF), .html (a page that plays) or .json (the report)."""
        path = os.fspath(path)
        kind = os.path.splitext(path)[1]
        if kind == ".csv":
            self._file.export_csv(path)
        elif kind == ".glb":
            self._file.export_gltf(path)
        elif kind == ".html":
            self._file.export_page(path, _TEMPLATE)
        elif kind == ".json" and self.is_complete:
            with open(path, "w", encoding="utf-8") as file:
                json.dump(self.report, file, indent=2)
        elif kind == ".json":
            raise ValueError(f"{self.path}: the run was cut off before it made its report")
        else:
            raise ValueError(f"{path}: exports end in .html, .glb, .csv or .json")

    def render(self, time=None, width=960, height=540) -> numpy.ndarray:
        """A picture at a time [s], the end unless given: an array (height, width, 3) of red, green, blue from 0 to 255."""
        return self._file.draw(float(self["time"][-1] if time is None else time), width, height)

    def to_pandas(self) -> pandas.DataFrame:
        """A pandas.DataFrame of all numbers that instants have, indexed by time."""
        import numpy
        import pandas
        columns = {}
        for name in _core.list_scalars():
            values = numpy.asarray(self[name])
            if values.ndim == 1:
                columns[name] = values
            else:
                columns.update({f"{name}_{axis}": values[:, k] for k, axis in enumerate("xyz")})
        return pandas.DataFrame(columns, index=pandas.Index(self.time, name="time"))

    def to_xarray(self) -> xarray.Dataset:
        """An xarray.Dataset with the states of all bodies and all numbers of instants."""
        import numpy
        import xarray
        axes = {3: ("axis", list("xyz")), 4: ("quaternion", list("wxyz"))}
        arrays = {}
        for name in self.keys():
            values = numpy.asarray(self[name])
            dims = ("time",) + (("body",) if name in _WIDTH else ())
            dims += (axes[values.shape[-1]][0],) if values.ndim > len(dims) else ()
            if name != "time":
                arrays[name] = (dims, values)
        coordinates = {"time": self.time, "body": self.names, **{name: labels for name, labels in axes.values()}}
        return xarray.Dataset(arrays, coords=coordinates, attrs={"method": self.method})

    def plot(self, axes=None):
        """Energy, penetration, contacts and residual over time with Matplotlib; returns the four axes."""
        import numpy
        if axes is None:
            from matplotlib import pyplot
            axes = pyplot.subplots(4, 1, sharex=True, figsize=(8, 9), layout="constrained")[1]
        time = self.time
        kinetic, potential = numpy.asarray(self["energy_kinetic"]), numpy.asarray(self["energy_potential"])
        for values, label in ((kinetic, "kinetic"), (potential, "potential"), (kinetic + potential, "total")):
            axes[0].plot(time, values, label=label)
        axes[0].set_ylabel("energy [J]")
        axes[0].legend()
        for axis, name, unit in ((axes[1], "penetration", " [m]"), (axes[2], "contacts", ""), (axes[3], "residual", " [m/s]")):
            axis.plot(time, numpy.asarray(self[name]))
            axis.set_ylabel(name + unit)
        axes[3].set_xlabel("time [s]")
        return axes

    def __repr__(self):
        cut = "" if self.is_complete else ", cut off"
        end = f"{float(self['time'][-1]):g} s" if len(self) else "empty"
        return f"Recording({self.path!r}, {self.method}, {len(self)} instants, {len(self.names)} bodies, {end}{cut})"

    def _repr_html_(self):
        return _to_frame(self)


def _to_frame(recording, height=480):
    """The page that plays a recording, in a frame for Jupyter: nothing else of the notebook can reach it."""
    import html
    import tempfile
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "page.html")
        recording.export(path)
        with open(path, encoding="utf-8") as file:
            page = file.read()
    return (f'<iframe srcdoc="{html.escape(page, quote=True)}" sandbox="allow-scripts" '
            f'style="width: 100%; height: {height}px; border: 0"></iframe>')
