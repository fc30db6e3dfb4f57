"""Each scene of examples/scenes runs and does what its header promises.

Usage: examples_test.py PROGRAM [unittest arguments]
"""

import csv
import json
import math
import pathlib
import subprocess
import sys
import tempfile
import unittest

PROGRAM = None
SCENES = pathlib.Path(__file__).resolve().parents[2] / "examples" / "scenes"


class Run:
    """Report and states of one run: `states[body]` is a list of rows of numbers."""

    def __init__(self, name, every):
        with tempfile.TemporaryDirectory() as folder:
            report, table = pathlib.Path(folder, "r.json"), pathlib.Path(folder, "s.csv")
            done = subprocess.run(
                [PROGRAM, "run", str(SCENES / f"{name}.yaml"), "--quiet", "--report", str(report), "--csv", str(table),
                 "--every", str(every)],
                capture_output=True, text=True, timeout=500,
            )
            if done.returncode != 0 or done.stderr:
                raise AssertionError(f"{name}: status {done.returncode}: {done.stderr}")
            self.report = json.loads(report.read_text(encoding="utf-8"))
            self.states = {}
            with open(table, newline="", encoding="utf-8") as file:
                for row in csv.DictReader(file):
                    values = {key: float(value) for key, value in row.items() if key != "body"}
                    self.states.setdefault(row["body"], []).append(values)
            self.sensors = []  # rows of numbers, where the scene has sensors
            readings = table.with_suffix(".sensors.csv")
            if readings.exists():
                with open(readings, newline="", encoding="utf-8") as file:
                    self.sensors = [{key: float(value) for key, value in row.items()} for row in csv.DictReader(file)]

    def last(self, body):
        return self.states[body][-1]

    def at(self, body, time):
        return min(self.states[body], key=lambda row: abs(row["time"] - time))


def angle_about(row, axis):
    """Of a rotation about one world axis [rad]."""
    return 2 * math.atan2(row["q" + axis], row["qw"])


class Scenes(unittest.TestCase):
    def run_scene(self, name, every=0.05):
        run = Run(name, every)
        self.assertIsNone(run.report["stopped"])
        self.assertLess(run.report["joint_error"]["max"], 1e-3)
        self.assertLess(run.report["penetration"]["max"], 5e-3)
        return run

    def test_every_scene_has_a_test_and_a_picture(self):
        names = sorted(path.stem for path in SCENES.glob("*.yaml"))
        self.assertEqual(names, sorted(name[5:] for name in dir(self) if name.startswith("test_") and name[5:] in names))
        pictures = SCENES.parents[1] / "docs" / "images" / "examples"
        self.assertEqual(names, sorted(path.stem for path in pictures.glob("*.png")))

    def test_pendulum(self):
        # T = 4 sqrt(I / (m g L/2)) K(sin 45°), I = m (L² / 3 + w² / 12); K by the arithmetic-geometric mean.
        a, b = 1.0, math.cos(math.pi / 4)
        while a - b > 1e-12:
            a, b = (a + b) / 2, math.sqrt(a * b)
        period = 4 * math.sqrt((1 / 3 + 0.06**2 / 12) / (9.81 / 2)) * math.pi / (2 * a)
        run = self.run_scene("pendulum", 0.005)
        back = max((row for row in run.states["rod"] if 1 < row["time"] < 3), key=lambda row: row["px"])
        # A step of first order, 1 ms, damps the swing by some parts in a hundred, and shortens it by less.
        self.assertAlmostEqual(back["time"], period, delta=0.02 * period)

    def test_cart(self):
        run = self.run_scene("cart")
        chassis = run.at("chassis", 4)
        self.assertAlmostEqual(chassis["vx"], 7 * 0.3, delta=0.05)
        self.assertAlmostEqual(angle_about(chassis, "y"), 0, delta=0.02)
        self.assertGreater(chassis["px"], 6, "beyond the bumps")
        stack = [name for name in run.states if name.startswith("crate")]
        self.assertEqual(len(stack), 12)
        for name in stack:
            start, before = run.states[name][0], run.at(name, 3.9)
            self.assertLess(math.dist([start[key] for key in ("px", "py", "pz")],
                                      [before[key] for key in ("px", "py", "pz")]), 1e-3, "it stands")
        self.assertLess(run.last("crate[0,1,3]")["pz"], 1, "the top crate in the middle, which stood at 1.4 m, is down")
        self.assertGreater(run.last("chassis")["px"], 9)

    def test_arm(self):
        run = self.run_scene("arm")
        self.assertAlmostEqual(angle_about(run.last("turret"), "z"), 1, delta=0.01)
        # The weight hangs 0.9 m along the upper arm and 0.9 m along the fore arm, raised by 0.7 and lowered by 0.5.
        self.assertAlmostEqual(run.last("weight")["pz"], 0.6 + 0.9 * math.sin(0.7) - 0.9 * math.sin(0.5), delta=0.02)
        self.assertLess(math.hypot(*(run.last("weight")[key] for key in ("vx", "vy", "vz"))), 0.01)

    def test_gripper(self):
        box = self.run_scene("gripper").last("box")
        self.assertAlmostEqual(box["pz"], 0.6, delta=1e-3)
        self.assertLess(math.hypot(box["px"], box["py"]), 1e-3)

    def test_pick_and_place(self):
        run = self.run_scene("pick_and_place")
        box = run.last("box")
        self.assertGreater(max(row["pz"] for row in run.states["box"]), 0.29, "it is lifted")
        self.assertLess(math.dist([box["px"], box["py"]], [0.6 * math.cos(1.2), 0.6 * math.sin(1.2)]), 5e-3)
        self.assertAlmostEqual(box["pz"], 0.05, delta=1e-3)
        self.assertAlmostEqual(angle_about(box, "z"), 1.2, delta=0.01)
        # While the box hangs at rest before the turn, from 4.2 to 5.3 s, each finger presses with the 20 N of its drive.
        held = [row for row in run.sensors if 4.2 <= row["time"] <= 5.3]
        self.assertGreater(len(held), 10)
        for finger in ("left finger [N]", "right finger [N]"):
            for row in held:
                self.assertAlmostEqual(row[finger], 20, delta=0.1)

    def test_ragdoll(self):
        run = self.run_scene("ragdoll")
        for name in ("torso", "head", "left_shin", "right_hand"):
            self.assertGreater(run.last(name)["pz"], 0)
            self.assertLess(math.hypot(*(run.last(name)[key] for key in ("vx", "vy", "vz"))), 0.5)

    def test_door(self):
        run = self.run_scene("door")
        opening = [-angle_about(row, "z") for row in run.states["leaf"]]
        self.assertGreater(max(opening), 0.5)
        self.assertGreater(min(opening), -1e-3, "it does not go through its stop")
        self.assertLess(abs(opening[-1]), 0.1)

    def test_bridge(self):
        run = self.run_scene("bridge")
        lowest = min(row["pz"] for row in run.states["plank5"])
        self.assertLess(lowest, run.states["plank5"][0]["pz"] - 0.01, "it gives way")
        self.assertGreater(min(row["pz"] for row in run.states["ball"]), 1.5, "the ball is held")

    def test_gear(self):
        run = self.run_scene("gear")
        turning = [row["wy"] for row in run.states["large"] if row["time"] > 1]
        # Teeth that mesh keep the ratio; straight flanks let it vary within each tooth.
        self.assertAlmostEqual(sum(turning) / len(turning), -2 * 12 / 24, delta=0.05)

    def test_conveyor(self):
        run = self.run_scene("conveyor")
        self.assertAlmostEqual(run.at("parcel0", 2)["vx"], 5 * 0.1, delta=0.02)
        for k in range(3):
            parcel = run.last(f"parcel{k}")
            self.assertTrue(3 < parcel["px"] < 4.4 and parcel["pz"] < 0.8, f"parcel{k} ends in the bin: {parcel}")

    def test_walker(self):
        run = self.run_scene("walker")
        self.assertAlmostEqual(run.last("body")["px"] / 5, 0.3, delta=0.05)
        self.assertLess(max(abs(angle_about(row, "y")) for row in run.states["body"]), 0.05)


if __name__ == "__main__":
    PROGRAM = sys.argv.pop(1)
    unittest.main(verbosity=2)
