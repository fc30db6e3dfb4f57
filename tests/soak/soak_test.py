"""Tests of `achilles soak`: what it draws is legal and the same for a seed, what failed once stays repaired.

Usage: soak_test.py PROGRAM [TEST...]
"""

import pathlib
import subprocess
import sys
import tempfile
import unittest

PROGRAM = ""
KEPT = pathlib.Path(__file__).resolve().parent.parent / "data" / "soak"


def soak(*arguments):
    return subprocess.run([PROGRAM, "soak", *map(str, arguments)], capture_output=True, text=True, timeout=500, check=False)


def draw(folder, seed, count):
    run = soak("--seed", seed, "--count", count, "--draw", "--keep", folder)
    return run, {file.name: file.read_text(encoding="utf-8") for file in pathlib.Path(folder).glob("*.yaml")}


class Generator(unittest.TestCase):
    def test_same_seed_draws_the_same_scenes(self):
        with tempfile.TemporaryDirectory() as one, tempfile.TemporaryDirectory() as two, tempfile.TemporaryDirectory() as other:
            first, second, different = draw(one, 5, 20)[1], draw(two, 5, 20)[1], draw(other, 6, 20)[1]
            self.assertEqual(len(first), 20)
            self.assertEqual(first, second)
            self.assertEqual(set(first.values()) & set(different.values()), set())

    def test_every_scene_is_legal(self):
        with tempfile.TemporaryDirectory() as folder:
            _, scenes = draw(folder, 11, 60)
            for name in scenes:
                check = subprocess.run([PROGRAM, "check", str(pathlib.Path(folder) / name)], capture_output=True, text=True,
                                       check=False)
                # What its method lacks is not the scene's fault.
                legal = check.returncode == 0 or ": error: method: method " in check.stderr
                self.assertTrue(legal, f"{name}: {check.stderr}")


class Judge(unittest.TestCase):
    """A judge that passes everything would pass every method: these runs are wrong on purpose."""

    def judge(self, scene):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "scene.yaml"
            file.write_text(scene, encoding="utf-8")
            return soak(file)

    def test_a_ball_that_falls_and_rests_passes(self):
        run = self.judge("""
achilles: 1
time: {step: 0.002, duration: 1}
method: impulse-zeno-free
bodies:
  - {name: ground, kind: fixed, shape: {plane: {normal: [0, 0, 1]}}}
  - {name: ball, shape: {sphere: {radius: 0.1}}, position: [0, 0, 0.3]}
""")
        self.assertEqual(run.returncode, 0, run.stdout)

    def test_a_ball_through_a_wall_in_one_step_is_penetration(self):
        # 10 m/s in steps of 0.05 s under springs: the ball of 0.2 m is far inside the ground before anything pushes.
        run = self.judge("""
achilles: 1
time: {step: 0.05, duration: 0.2}
gravity: [0, 0, 0]
method: first-order
bodies:
  - {name: ground, kind: fixed, shape: {plane: {normal: [0, 0, 1]}}}
  - {name: deep, shape: {box: {size: [0.2, 0.2, 0.2]}}, position: [0, 0, 0.3]}
  - {name: ram, kind: scripted, shape: {box: {size: [1, 1, 0.2]}}, position: [0, 0, 0.6]}
scripts:
  - {body: ram, path: {space: [[0, 0, 0.6], [0, 0, 0.3], [0, 0, 0.15]], speed: [[0, 0], [0.1, 0.45]]}}
""")
        self.assertEqual(run.returncode, 1, run.stdout)
        self.assertIn("penetration", run.stdout)


class Kept(unittest.TestCase):
    def test_what_failed_once_stays_repaired(self):
        scenes = sorted(KEPT.glob("*.yaml"))
        if scenes:
            run = soak(*scenes)
            self.assertEqual(run.returncode, 0, run.stdout)


class BadInput(unittest.TestCase):
    def test_unknown_method_is_named(self):
        run = soak("--methods", "lcp-fxied")
        self.assertEqual(run.returncode, 2)
        self.assertIn("lcp-fxied", run.stderr)

    def test_missing_scene_is_named(self):
        run = soak("no-such-scene.yaml")
        self.assertEqual(run.returncode, 2)
        self.assertIn("no-such-scene.yaml", run.stderr)


if __name__ == "__main__":
    PROGRAM = sys.argv.pop(1)
    unittest.main()
