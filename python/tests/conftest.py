import os
import pathlib

import hypothesis
import pytest

import achilles

# The same examples in every run, as the other property tests; ./test --full draws new ones.
hypothesis.settings.register_profile("tests", database=None, deadline=None, derandomize="ACHILLES_FULL" not in os.environ)
hypothesis.settings.load_profile("tests")

SCENES = pathlib.Path(os.environ.get("ACHILLES_SCENES", pathlib.Path(__file__).parents[2] / "scenes"))


@pytest.fixture
def gallery():
    return SCENES / "gallery"


@pytest.fixture
def falling():
    """Two balls in free fall, one of them with a spin, above no ground."""
    scene = achilles.Scene("falling", step=0.01, gravity=(0, 0, -9.81))
    scene.add_sphere("left", radius=0.1, mass=2, position=(-1, 0, 3), velocity=(0.5, 0, 0))
    scene.add_sphere("right", radius=0.1, mass=1, position=(1, 0.1, 3), spin=(0, 0, 2))
    return scene


@pytest.fixture
def resting():
    """A crate that was set down a little above the ground."""
    scene = achilles.Scene("resting", step=0.01)
    scene.add_plane("ground")
    scene.add_box("crate", size=(1, 1, 1), mass=10, position=(0.1, 0.2, 0.501), axis_angle={"axis": (0, 0, 1), "angle": 0.3})
    return scene


@pytest.fixture
def pendulum():
    """An arm of 2 kg with its centre 0.5 m from a hinge, held level by a motor."""
    scene = achilles.Scene("pendulum", step=0.005)
    scene.add_box("post", size=(0.2, 0.2, 4), kind="fixed", position=(0, 0, 2))
    scene.add_box("arm", size=(1, 0.1, 0.1), mass=2, position=(0.5, 0, 4))
    scene.add_hinge("shoulder", ("post", "arm"), at=(0, 0, 4), axis=(0, 1, 0), motor={"position": 0, "max_torque": 100})
    return scene
