"""Achilles: rigid bodies in contact.

    import achilles

    sim = achilles.Simulation(achilles.load("scenes/gallery/first.yaml"))
    sim.run(until=1.0)
    print(sim.position[1], sim.report()["penetration"]["max"])
"""

from ._core import (Body, DeadHandleError, Diagnostic, Event, EventKind, Hit, Joint, SceneError, Snapshot, StepReport,
                    Stop)
from ._core import version as _version
from .batch import Batch
from .recording import Recording
from .scene import Scene, load, loads
from .simulation import Simulation, run
from .tables import Comparison, compare, methods, schema

__version__ = _version()
__all__ = [
    "Batch", "Body", "Comparison", "DeadHandleError", "Diagnostic", "Event", "EventKind", "Hit", "Joint", "Recording",
    "Scene", "SceneError", "Simulation", "Snapshot", "StepReport", "Stop", "compare", "load", "loads", "methods",
    "open_results", "run", "schema", "sweep",
]


def __getattr__(name):
    # Studies are imported where they are used: `import achilles` stays fast and needs neither PyYAML nor h5py.
    if name in ("open_results", "sweep"):
        from . import studies
        return getattr(studies, name)
    raise AttributeError(f"module 'achilles' has no attribute '{name}'")
