"""Finds a coefficient of friction from measured ways of a sliding crate.

The data are made here: a crate slides v² / (2 µ g), measured with an error of 2 mm. A Batch tries 32 coefficients at
once, and the best of them is refined twice.
"""

import numpy as np

import achilles

TRUE = 0.37
SPEEDS = np.array([1.0, 1.5, 2.0])  # [m/s]


def make_scene(speed):
    scene = achilles.Scene("sliding crate", step=0.002)
    scene.add_plane("ground")
    scene.add_box("crate", size=(0.4, 0.4, 0.1), mass=5, position=(0, 0, 0.05), velocity=(speed, 0, 0))
    return scene


def slide(batch, friction):
    """How far the crate slides with each coefficient [m]."""
    batch.reset()
    batch.set_material("default", friction=friction)
    batch.step(1100)  # the longest way takes 2 m/s / (0.1 g) = 2.04 s
    return batch.position[:, batch.names.index("crate"), 0]


def main(seed=1):
    measured = SPEEDS**2 / (2 * TRUE * 9.81) + np.random.default_rng(seed).normal(0, 0.002, len(SPEEDS))
    batches = [achilles.Batch(make_scene(speed), 32) for speed in SPEEDS]
    low, high = 0.1, 1.0
    for _ in range(3):
        friction = np.linspace(low, high, 32)
        misfit = sum((slide(batch, friction) - way) ** 2 for batch, way in zip(batches, measured))
        best = friction[np.argmin(misfit)]
        low, high = best - (high - low) / 31, best + (high - low) / 31
    print(f"friction {best:.4f}, with which the data were made: {TRUE}")
    return best


if __name__ == "__main__":
    assert abs(main() - TRUE) < 0.01
