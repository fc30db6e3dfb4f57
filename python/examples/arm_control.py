"""PD control of an arm with two links, with the torque of gravity fed forward.

The controller is a few lines of NumPy between two steps. It ends within a milliradian of its goal.
"""

import numpy as np

import achilles

LENGTH, MASS = 0.5, 1.0  # [m], [kg] of a link
GOAL = np.array([0.6, -0.9])  # [rad]


def make_scene():
    scene = achilles.Scene("arm", step=0.002)
    scene.add_box("upper", size=(LENGTH, 0.05, 0.05), mass=MASS, position=(LENGTH / 2, 0, 1))
    scene.add_box("lower", size=(LENGTH, 0.05, 0.05), mass=MASS, position=(1.5 * LENGTH, 0, 1))
    scene.add_hinge("shoulder", ("world", "upper"), at=(0, 0, 1), axis=(0, -1, 0))
    scene.add_hinge("elbow", ("upper", "lower"), at=(LENGTH, 0, 1), axis=(0, -1, 0))
    return scene


def weigh(angles):
    """Torques that hold the arm against gravity [N m]: each joint carries what hangs beyond it."""
    lower = MASS * 9.81 * LENGTH / 2 * np.cos(angles.sum())
    return np.array([1.5 * MASS * 9.81 * LENGTH * np.cos(angles[0]) + lower, lower])


def main(seconds=3.0):
    sim = achilles.Simulation(make_scene())
    upper, lower = sim.body("upper"), sim.body("lower")
    axis = np.array([0, -1, 0])
    while sim.time < seconds:
        angles, rates = sim.joint_position[:, 0], sim.joint_velocity[:, 0]
        torque = 40 * (GOAL - angles) - 6 * rates + weigh(angles)
        upper.apply_torque((torque[0] - torque[1]) * axis)  # the elbow's motor pushes back at the upper link
        lower.apply_torque(torque[1] * axis)
        sim.step()
    error = np.abs(sim.joint_position[:, 0] - GOAL).max()
    print(f"after {sim.time:g} s the arm is {error:.2g} rad from its goal")
    return error


if __name__ == "__main__":
    assert main() < 1e-3
