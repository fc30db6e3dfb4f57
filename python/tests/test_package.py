"""The package itself: documentation, types, what an import and a call do."""

import ast
import inspect
import pathlib
import subprocess
import sys
import tracemalloc

import pytest

import achilles
from achilles import _core

MODULES = ["achilles", "achilles.batch", "achilles.recording", "achilles.scene", "achilles.simulation", "achilles.tables"]


def list_public():
    for name in achilles.__all__:
        value = getattr(achilles, name)
        yield name, value
        for member, item in vars(value).items() if inspect.isclass(value) else ():
            if not member.startswith("_") and (callable(item) or isinstance(item, property)):
                yield f"{name}.{member}", item


def test_everything_public_is_documented():
    missing = [name for name, value in list_public() if not name.startswith("EventKind.") and not (value.__doc__ or "").strip()]
    assert not missing
    # pybind11 writes the signature itself: a line of it alone is no documentation.
    bare = [f"{kind.__name__}.{name}" for kind in (_core.Simulation, _core.Batch, _core.Body, _core.Joint)
            for name, item in vars(kind).items()
            if not name.startswith("_") and " -> " in (item.__doc__ or "") and len(item.__doc__.strip().split("\n")) < 2]
    assert not bare


def test_stubs_name_what_the_module_has():
    stubs = pathlib.Path(_core.__file__).parent / "_core.pyi"
    if not stubs.exists():
        pytest.skip("a sanitized build makes no stubs")
    tree = ast.parse(stubs.read_text(encoding="utf-8"))
    classes = {node.name: {item.name for item in node.body if isinstance(item, ast.FunctionDef)}
               for node in tree.body if isinstance(node, ast.ClassDef)}
    assert {"position", "step", "contacts", "body", "restore"} <= classes["Simulation"]
    assert "SceneError" in classes
    taking_anything = stubs.read_text(encoding="utf-8").count("*args: Any")
    assert taking_anything < 12  # constructors of enumerations and the like
    assert (stubs.parent / "py.typed").exists()


def test_import_loads_neither_extras_nor_numpy():
    # What takes the time of an import; bench/python_overhead.py measures it.
    code = "import sys; before = set(sys.modules); import achilles; print(*sorted(set(sys.modules) - before))"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    roots = {name.split(".")[0] for name in loaded}
    assert "achilles" in roots
    assert not roots & {"numpy", "h5py", "yaml", "scipy", "pandas", "xarray", "matplotlib", "gymnasium", "distributed", "tqdm"}
    assert "achilles.studies" not in loaded and "achilles.gym" not in loaded


def test_step_calls_the_library_without_a_detour_in_python():
    # A function written in Python would cost more than the call itself; bench/python_overhead.py measures that.
    assert achilles.Simulation.step is _core.Simulation.step
    assert not inspect.isfunction(achilles.Simulation.step)
    sim = achilles.Simulation(achilles.Scene(gravity=(0, 0, 0)).add_sphere("ball", radius=0.1), watch=False)
    sim.step()
    tracemalloc.start()
    try:
        before = tracemalloc.get_traced_memory()[0]
        for _ in range(1000):
            sim.step()
        # Less than a byte per call: nothing stays behind.
        assert tracemalloc.get_traced_memory()[0] - before < 1000
    finally:
        tracemalloc.stop()
