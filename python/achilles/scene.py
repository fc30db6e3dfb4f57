"""Scenes: read from YAML, or built in code with the words of the scene file."""

from __future__ import annotations

import json
import os

from . import _core

TYPE_CHECKING = False
if TYPE_CHECKING:  # what type checkers read; typing itself would take its time in an import
    import numpy


def _to_plain(value):
    """The same value in dicts, lists, numbers and texts; NumPy's arrays and numbers included."""
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, dict):
        return {str(key): _to_plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_to_plain(item) for item in value]
    if hasattr(value, "tolist"):
        return _to_plain(value.tolist())
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    raise TypeError(f"a scene holds numbers, texts, lists and mappings, not {type(value).__name__}: {value!r}")


def _to_yaml(value):
    """A plain value as one line of YAML that reads to the same bits."""
    if isinstance(value, dict):
        return "{" + ", ".join(json.dumps(key) + ": " + _to_yaml(item) for key, item in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(_to_yaml, value)) + "]"
    if isinstance(value, float) and value != value:
        return ".nan"
    if isinstance(value, float) and abs(value) == float("inf"):
        return ".inf" if value > 0 else "-.inf"
    if isinstance(value, float):
        return float.__repr__(value)  # that of a number of NumPy 2 names its type
    return json.dumps(value, ensure_ascii=False)


_NOT_FINITE = {".inf": float("inf"), "+.inf": float("inf"), "-.inf": -float("inf"), ".nan": float("nan")}


def _from_json(value):
    """JSON has no infinite numbers: in the tree of a scene they are still words."""
    if isinstance(value, dict):
        return {key: _from_json(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_from_json(item) for item in value]
    return _NOT_FINITE.get(value, value) if isinstance(value, str) else value


def _to_sets(overrides):
    """Overrides as the library takes them: paths, and values in YAML."""
    if overrides is None:
        return []
    items = overrides.items() if hasattr(overrides, "items") else overrides
    return [(str(path), _to_yaml(_to_plain(value))) for path, value in items]


def load(path, overrides=None, **robot) -> Scene:
    """Reads a scene file (YAML), or a robot file (URDF, MJCF, SDF). SceneError names file, line and field of every error.

    `overrides` changes values on the way, as --set does: {"time.step": 0.01, "bodies.ball.mass": 2}. `robot` are the
    options of `achilles run` for robot files: strict, base, meshes, mesh_error, keep_fixed, self_collision, ground, hold,
    hold_damping, keyframe, start, packages, leave_out.
    """
    sets = _to_sets(overrides)
    if "leave_out" in robot:
        robot["leave_out"] = set(robot["leave_out"])
    return Scene._of(_core.load_scene(os.fspath(path), sets, **robot), sets)


def loads(text, overrides=None, file="<text>") -> Scene:
    """Reads a scene from text. `file` names it in messages, and is where relative paths start."""
    sets = _to_sets(overrides)
    return Scene._of(_core.parse_scene(text, os.fspath(file), sets), sets)


class Scene:
    """What is simulated, before anything moves.

    Read one with load() or loads(), or build it in code. The words are those of the scene file, and the same checks
    are made; they are made when the scene is used, or at once by check().

        scene = achilles.Scene(step=0.005)
        scene.add_plane("ground")
        scene.add_box("crate", size=(1, 1, 1), mass=20, position=(0, 0, 2))
    """

    def __init__(self, name=None, *, gravity=None, step=None, duration=None, method=None, **words):
        self._tree = {"achilles": 1}
        self._compiled = None
        self._sets = []
        self._file = "<scene>"
        self._bytes = {}
        if name is not None:
            self._tree["name"] = str(name)
        time = {key: value for key, value in (("step", step), ("duration", duration)) if value is not None}
        if time:
            words["time"] = {**words.get("time", {}), **time}
        for key, value in (("gravity", gravity), ("method", method)):
            if value is not None:
                words[key] = value
        self._tree.update(_to_plain(words))
        self._tree.setdefault("bodies", [])

    @classmethod
    def _of(cls, compiled, sets):
        scene = cls.__new__(cls)
        scene._tree = None
        scene._compiled = compiled
        scene._sets = sets
        scene._file = compiled.file
        scene._bytes = compiled.files
        return scene

    @property
    def tree(self) -> dict:
        """The scene as dicts and lists, in the words of the scene file. A copy: set() and add_body() change the scene."""
        return _from_json(json.loads(_core.scene_text_to_json(self._text(), self._file)))

    def _text(self):
        return self._compiled.text if self._tree is None else _to_yaml(self._tree)

    def _edit(self):
        """The tree, to be changed."""
        if self._tree is None:
            self._tree = self.tree
        self._compiled = None
        return self._tree

    def _compile(self, method=None):
        """The checked scene of the library; under another method where one is given."""
        if self._compiled is None:
            # In the layout of a file, so that lines of errors are those of what save() would write.
            text = _core.scene_text_to_yaml(_to_yaml(self._tree), self._file)
            self._compiled = _core.parse_scene(text, self._file, [], self._bytes)
        if method is None or method == self._compiled.method:
            return self._compiled
        return self._parse([("method.name", _to_yaml(str(method)))])

    def _parse(self, sets):
        """The scene with values changed. The files that it names are those that it was read with."""
        compiled = self._compile()
        return _core.parse_scene(compiled.text, self._file, sets, compiled.files)

    def check(self) -> Scene:
        """Makes all checks now: raises SceneError with everything that is wrong. Returns the scene."""
        self._compile()
        return self

    def with_overrides(self, overrides) -> Scene:
        """A copy with values changed, as --set does: {"time.step": 0.01, "bodies.ball.mass": 2}."""
        sets = _to_sets(overrides)
        return Scene._of(self._parse(sets), self._sets + sets)

    def set(self, path, value) -> Scene:
        """Changes one value: set("bodies.ball.mass", 2). None takes a key away. Returns the scene."""
        changed = self.with_overrides({path: value})
        self._tree, self._compiled, self._sets, self._bytes = None, changed._compiled, changed._sets, changed._bytes
        return self

    def save(self, path) -> None:
        """Writes the scene as YAML. Reading it gives the same bits: a mesh or another file that the scene names is found
        from the new place. ValueError where such a file is gone or has changed since the scene was read."""
        home, folder = (os.path.dirname(os.path.abspath(each)) for each in (self._file, path))
        for name, content in self.files.items():
            if not _has_content(os.path.join(home, name), content):
                raise ValueError(f"save: '{os.path.join(home, name)}' is not the file that the scene was read with; "
                                 f"files[{name!r}] holds its bytes")
        text = _core.move_scene_text(self._compile(), folder) if self.files and home != folder else self.text
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)

    @property
    def text(self) -> str:
        """The scene as YAML."""
        return self._compile().text

    @property
    def file(self) -> str:
        """Where the scene was read from."""
        return self._file

    @property
    def name(self) -> str:
        """Shown in reports."""
        return self._compile().name

    @property
    def step(self) -> float:
        """Length of a step [s]."""
        return self._compile().step

    @property
    def duration(self) -> float:
        """Simulated time [s]."""
        return self._compile().duration

    @property
    def gravity(self) -> numpy.ndarray:
        """[m/s²]"""
        return self._compile().gravity

    @property
    def method(self) -> str:
        """Name of the method."""
        return self._compile().method

    @property
    def body_names(self) -> list[str]:
        """Names of all bodies, repetitions unfolded, in the order of the simulation's arrays."""
        return self._compile().body_names

    @property
    def joint_names(self) -> list[str]:
        """Names of all joints, in the order of the simulation's arrays."""
        return self._compile().joint_names

    @property
    def warnings(self) -> list[_core.Diagnostic]:
        """What is legal but suspicious."""
        return self._compile().warnings

    @property
    def files(self) -> dict[str, bytes]:
        """The files that the scene names, a mesh for instance, with their bytes when it was read."""
        return self._compile().files

    @property
    def materials(self) -> dict:
        """The materials by name. A copy; add_material() changes them."""
        return self.tree.get("materials", {})

    def __repr__(self):
        try:
            return repr(self._compile())
        except _core.SceneError as error:
            return f"Scene(with errors: {error.field}: {error.diagnostics[0].message})"

    def __eq__(self, other):
        return self.text == other.text if isinstance(other, Scene) else NotImplemented

    __hash__ = None  # type: ignore[assignment]

    def __copy__(self):
        return self.__deepcopy__(None)

    def __deepcopy__(self, _memo):
        return Scene._of(self._compile(), list(self._sets))

    def __reduce__(self):
        return _unpickle, (self.text, self._file, self._sets, self.files)

    # --- building -------------------------------------------------------------------------------------------------

    def _add(self, section, words):
        self._edit().setdefault(section, []).append(_to_plain(words))
        return self

    def add_body(self, name, shape, **words) -> Scene:
        """Adds a body: add_body("can", {"cylinder": {"radius": 0.3, "height": 1}}, mass=2, position=(0, 0, 1)).

        `words` are those of a body in the scene file: kind, mass, density, position, orientation, velocity, spin,
        material, repeat, ... Returns the scene, as all these functions do.
        """
        return self._add("bodies", {"name": name, "shape": shape, **words})

    def _add_shape(self, name, kind, measures, words):
        measures = {key: value for key, value in measures.items() if value is not None}
        return self.add_body(name, {kind: measures}, **words)

    def add_box(self, name, size, **words) -> Scene:
        """Adds a box; `size` are its full edges [m]."""
        return self._add_shape(name, "box", {"size": size}, words)

    def add_sphere(self, name, radius, **words) -> Scene:
        """Adds a sphere."""
        return self._add_shape(name, "sphere", {"radius": radius}, words)

    def add_capsule(self, name, radius, length, **words) -> Scene:
        """Adds a capsule along z; `length` is that of its straight part [m]."""
        return self._add_shape(name, "capsule", {"radius": radius, "length": length}, words)

    def add_cylinder(self, name, radius, height, **words) -> Scene:
        """Adds a cylinder along z."""
        return self._add_shape(name, "cylinder", {"radius": radius, "height": height}, words)

    def add_cone(self, name, radius, height, **words) -> Scene:
        """Adds a cone along z, its tip up."""
        return self._add_shape(name, "cone", {"radius": radius, "height": height}, words)

    def add_plane(self, name, normal=(0, 0, 1), offset=0, kind="fixed", **words) -> Scene:
        """Adds a half space, solid where normal·x < offset; fixed unless `kind` says scripted."""
        return self._add_shape(name, "plane", {"normal": normal, "offset": offset}, {"kind": kind, **words})

    def add_hull(self, name, points=None, file=None, **words) -> Scene:
        """Adds the convex hull of points, or of those of a file."""
        return self._add_shape(name, "hull", {"points": points, "file": file}, words)

    def add_mesh(self, name, file, scale=None, decompose=None, **words) -> Scene:
        """Adds a mesh from a file; `decompose` makes convex parts of it, which a dynamic body needs."""
        return self._add_shape(name, "mesh", {"file": file, "scale": scale, "decompose": decompose}, words)

    def add_heightfield(self, name, heights=None, file=None, cell=None, kind="fixed", **words) -> Scene:
        """Adds a height field from rows of numbers, or from a file."""
        return self._add_shape(name, "heightfield", {"heights": heights, "file": file, "cell": cell},
                               {"kind": kind, **words})

    def add_compound(self, name, parts, **words) -> Scene:
        """Adds a body of several shapes: parts are dicts with `shape`, `position` and `orientation`."""
        return self.add_body(name, {"compound": parts}, **words)

    def add_joint(self, name, kind, between, **words) -> Scene:
        """Adds a joint: add_joint("hip", "hinge", ("torso", "thigh"), at=(0, 0, 1), axis=(0, 1, 0), ...)."""
        return self._add("joints", {"name": name, "kind": kind, "between": between, **words})

    def add_hinge(self, name, between, at, axis, **words) -> Scene:
        """Adds a hinge: one axis to turn about."""
        return self.add_joint(name, "hinge", between, at=at, axis=axis, **words)

    def add_slider(self, name, between, at, axis, **words) -> Scene:
        """Adds a slider: one axis to move along."""
        return self.add_joint(name, "slider", between, at=at, axis=axis, **words)

    def add_ball(self, name, between, at, **words) -> Scene:
        """Adds a ball joint: all rotations about one point."""
        return self.add_joint(name, "ball", between, at=at, **words)

    def add_fixed(self, name, between, at, **words) -> Scene:
        """Adds a joint that leaves no freedom."""
        return self.add_joint(name, "fixed", between, at=at, **words)

    def add_material(self, name, **law) -> Scene:
        """Adds or changes a material: add_material("rubber", friction=0.9, restitution=0.6)."""
        self._edit().setdefault("materials", {}).setdefault(name, {}).update(_to_plain(law))
        return self

    def add_material_pair(self, first, second, **law) -> Scene:
        """Gives the law between two materials."""
        materials = self._edit().setdefault("materials", {})
        materials.setdefault("pairs", []).append(_to_plain({"between": (first, second), **law}))
        return self

    def add_script(self, body, **words) -> Scene:
        """Lets a scripted body follow a path: add_script("broom", path={"space": ..., "speed": ...}, turn=...)."""
        return self._add("scripts", {"body": body, **words})

    def add_trigger(self, name, shape, **words) -> Scene:
        """Adds a volume that reports what enters and leaves."""
        return self._add("triggers", {"name": name, "shape": shape, **words})

    def add_sensor(self, name, kind, **words) -> Scene:
        """Adds a sensor: add_sensor("tip", "imu", body="arm", position=(0.25, 0, 0))."""
        return self._add("sensors", {"name": name, "kind": kind, **words})

    def add_coupling(self, name, **words) -> Scene:
        """Couples the positions of joints: add_coupling("gear", joints=("a", "b"), ratio=2)."""
        return self._add("couplings", {"name": name, **words})

    def ignore(self, first, second) -> Scene:
        """Lets two bodies or groups pass through each other."""
        return self._add("rules", {"ignore": (first, second)})


def _unpickle(text, file, sets, files):
    return Scene._of(_core.parse_scene(text, file, [], files), sets)


def _has_content(path, content):
    try:
        with open(path, "rb") as file:
            return file.read() == content
    except OSError:
        return False
