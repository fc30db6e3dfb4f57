"""The JSON Schema of study files."""

from __future__ import annotations

from typing import Any

from .study import CURVES, DISTRIBUTIONS, PERTURBATIONS, RECORDINGS, SAMPLINGS, VERSION


def schema() -> dict[str, Any]:
    """JSON Schema of study files, for editors."""
    number, positive = {"type": "number"}, {"type": "number", "exclusiveMinimum": 0}
    pair = {"type": "array", "items": number, "minItems": 2, "maxItems": 2}
    values = {"type": "array", "minItems": 1}
    spread_keys = {"range": pair, "count": {"type": "integer", "minimum": 1}, "spacing": {"enum": ["linear", "log"]},
                   "values": values, **{name: pair for name in DISTRIBUTIONS}}

    def mapping(keys: dict[str, Any], **more: Any) -> dict[str, Any]:
        return {"type": "object", "properties": keys, "additionalProperties": False, **more}

    names = {"type": "array", "items": {"type": "string"}}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Achilles study",
        **mapping({
            "achilles_study": {"const": VERSION},
            "name": {"type": "string"},
            "scene": {"description": "scene file, relative to the study; a list of files varies the scene",
                      "anyOf": [{"type": "string"}, {**names, "minItems": 1, "uniqueItems": True}]},
            "set": {"type": "object", "description": "paths of the scene with their values"},
            "vary": {"type": "object", "minProperties": 1, "additionalProperties": {"anyOf": [values, mapping(spread_keys)]}},
            "sample": mapping({"kind": {"enum": list(SAMPLINGS)}, "count": {"type": "integer", "minimum": 1},
                               "seed": {"type": "integer", "minimum": 0}}),
            "repeats": mapping({"count": {"type": "integer", "minimum": 1},
                                "perturb": mapping({key: {"type": "number", "minimum": 0, "description": meaning}
                                                    for key, meaning in PERTURBATIONS.items()})}),
            "keep": mapping({"figures": names, "curves": {"type": "array", "items": {"enum": list(CURVES)}},
                             "recording": {"enum": list(RECORDINGS)}}),
            "limits": mapping({"time": positive, "memory": {"type": "number", "minimum": 1e7}}),
            "success": {"type": "string", "description": "expression on the report"},
        }, required=["achilles_study", "scene", "vary"]),
    }
