"""Studies: many runs of one scene with varied parameters, on this machine or on a Dask cluster.

A study is a YAML file (see docs/sweeps.md). `sweep` runs it into a folder, `open_results` reads that folder.
"""

import importlib

_PLACES = {"Results": "store", "Study": "study", "StudyError": "study", "open_results": "store", "sweep": "runner"}
__all__ = sorted(_PLACES)


def __getattr__(name):
    # Imported where they are used, so that a package that is missing is named by what needs it.
    if name not in _PLACES:
        raise AttributeError(f"module 'achilles.studies' has no attribute '{name}'")
    return getattr(importlib.import_module(f"{__name__}.{_PLACES[name]}"), name)
