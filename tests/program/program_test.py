"""The program as people and scripts meet it: commands, exit statuses, messages and files.

Usage: program_test.py PROGRAM [unittest arguments]
"""

import csv
import json
import math
import os
import pathlib
import re
import resource
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time
import unittest

PROGRAM = None
SOURCE = pathlib.Path(__file__).resolve().parents[2]

LONGEST = 900  # [s] a command that takes longer hangs
SQUEEZE = """
achilles: 1
gravity: [0, 0, 0]
time: {step: 0.005, duration: 0.3}
method: {name: impulse-zeno-free}
bodies:
  - {name: wall, kind: fixed, shape: {box: {size: [1, 1, 1]}}, position: [1, 0, 0]}
  - {name: ball, shape: {sphere: {radius: 0.2}}, position: [0.29, 0, 0]}
  - {name: piston, kind: scripted, shape: {box: {size: [0.2, 1, 1]}}, position: [-0.1, 0, 0]}
scripts:
  - {body: piston, path: {space: [[-0.1, 0, 0], [0.3, 0, 0]], speed: [[0, 0], [0.3, 0.3]]}}
"""
HEAP = """\
achilles: 1
name: a small heap
time: {step: 0.005, duration: 1}
materials:
  default: {friction: 0.5, restitution: 0.3}
bodies:
  - {name: ground, kind: fixed, shape: {plane: {normal: [0, 0, 1]}}}
  - name: ball
    repeat: {count: [2, 2, 2], spacing: [0.31, 0.33, 0.4]}
    shape: {sphere: {radius: 0.15}}
    position: [0, 0, 0.3]
  - name: box
    shape: {box: {size: [0.4, 0.3, 0.2]}}
    position: [0.2, 0.1, 1.5]
"""

# Every key that the format of the report fixes.
REPORT = {
    "scene": str, "method": str, "impact": str, "solver": str,
    "steps": int, "time": float, "wall_seconds": float, "real_time_factor": float,
    "energy": {"initial": float, "final": float, "kinetic": float, "potential": float, "max_gain": float},
    "momentum": {"linear": 3, "angular": 3},
    "penetration": {"max": float, "final": float},
    "joint_error": {"max": float},
    "contacts": {"max": int, "mean": float},
    "solver_stats": {"iterations_max": int, "iterations_mean": float, "residual_max": float},
    "impacts": {"count": int, "iterations_max": int, "lineality": int},
    "events": {"new_contact": int, "lost_contact": int, "trigger_in": int, "trigger_out": int},
    "warnings": list,
    "stopped": None,
}
BODY = {"position": 3, "orientation": 4, "velocity": 3, "spin": 3, "asleep": bool}
CSV_HEADER = "time,body,px,py,pz,qw,qx,qy,qz,vx,vy,vz,wx,wy,wz"


class ProgramTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.heap = self.write("heap.yaml", HEAP)

    def write(self, name, text):
        path = self.folder / name
        path.write_text(text, encoding="utf-8")
        return str(path)

    def path(self, name):
        return str(self.folder / name)

    def call(self, *arguments, status=0):
        done = subprocess.run([PROGRAM, *arguments], cwd=self.folder, capture_output=True, text=True, timeout=LONGEST)
        self.assertEqual(done.returncode, status, f"{arguments}\n{done.stdout}\n{done.stderr}")
        return done

    def start(self, *arguments):
        process = subprocess.Popen(
            [PROGRAM, *arguments], cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        self.addCleanup(self.end, process)
        return process

    @staticmethod
    def end(process):
        if process.poll() is None:
            process.kill()
        process.communicate()

    def interrupt_when_ready(self, process):
        """Only once the program catches the signal: a busy machine may take long to start it."""
        def catches():
            status = pathlib.Path(f"/proc/{process.pid}/status").read_text()
            return int(re.search(r"^SigCgt:\s*(\w+)", status, re.MULTILINE).group(1), 16) >> (signal.SIGINT - 1) & 1

        if pathlib.Path("/proc/self/status").exists():
            self.wait_for(lambda: process.poll() is not None or catches())
        self.assertIsNone(process.poll(), "it ended by itself")
        process.send_signal(signal.SIGINT)

    def wait_for(self, condition, seconds=LONGEST):
        deadline = time.monotonic() + seconds
        while not condition():
            self.assertLess(time.monotonic(), deadline, "waited in vain")
            time.sleep(0.02)

    def read_report(self, name):
        return json.loads((self.folder / name).read_text(encoding="utf-8"))


class Commands(ProgramTest):
    def test_lists_say_what_there_is(self):
        for command, word in [
            ("methods", "lcp-fixed"), ("shapes", "sphere"), ("joints", "hinge"), ("solvers", "gauss-seidel"),
            ("impacts", "newton"),
        ]:
            done = self.call(command)
            self.assertIn(word, done.stdout, command)
            self.assertEqual(done.stderr, "", command)

    def test_lists_say_more_about_one_and_refuse_what_there_is_not(self):
        self.assertIn("iterations", self.call("methods", "lcp-fixed").stdout)
        self.assertIn("radius", self.call("shapes", "sphere").stdout)
        self.assertIn("axis", self.call("joints", "hinge").stdout)
        for command in ("methods", "shapes", "joints"):
            self.assertIn("'nonsense'", self.call(command, "nonsense", status=2).stderr)

    def test_every_method_of_the_list_runs_a_scene(self):
        flight = self.write("flight.yaml", HEAP.replace("position: [0, 0, 0.3]", "position: [0, 0, 3]"))
        for line in self.call("methods").stdout.splitlines():
            method = line.split()[0]
            self.call("run", flight, "--method", method, "--duration", "0.1", "--report", "r.json")
            self.assertEqual(self.read_report("r.json")["method"], method)

    def test_schema_is_json_and_names_the_keys_of_a_scene(self):
        schema = json.loads(self.call("schema").stdout)
        for key in ("achilles", "bodies", "time", "method", "materials"):
            self.assertIn(key, schema["properties"])

    def test_check_refuses_what_run_refuses(self):
        gate = self.write("gate.yaml", """achilles: 1
bodies:
  - {name: post, kind: fixed, shape: {box: {size: [0.1, 0.1, 1]}}}
  - {name: leaf, shape: {box: {size: [1, 0.05, 1]}}, position: [0.6, 0, 0]}
joints:
  - {name: pin, kind: hinge, between: [post, leaf], at: [0.1, 0, 0], axis: [0, 0, 1]}
""")
        self.call("check", gate)
        for method in ("impulse-zeno-free", "penalty", "impulse-conservative"):
            said = [self.call(*command, gate, "--method", method, status=2).stderr for command in (("check",), ("run", "--quiet"))]
            self.assertIn(f"method {method} has no joints; needed by joint 'pin'", said[0])
            self.assertIn(said[0].strip().splitlines()[-1], said[1])

    def test_check_runs_nothing_and_says_what_it_found(self):
        done = self.call("check", self.heap)
        self.assertIn("no errors", done.stdout)
        self.assertIn("10 bodies", done.stdout)
        self.assertEqual(sorted(os.listdir(self.folder)), ["heap.yaml"])

    def test_graph_counts_nodes_and_edges_and_writes_them_for_graphviz(self):
        done = self.call("graph", self.heap, "--at", "0.1", "-o", "graph.dot")
        self.assertIn("islands", done.stdout)
        self.assertTrue((self.folder / "graph.dot").read_text(encoding="utf-8").startswith("graph contact_graph {"))

    def test_full_standard_output_is_a_failure(self):
        with open("/dev/full", "w", encoding="utf-8") as full:
            done = subprocess.run([PROGRAM, "methods"], stdout=full, stderr=subprocess.PIPE, text=True, timeout=LONGEST)
        self.assertEqual(done.returncode, 1)
        self.assertIn("standard output", done.stderr)

    def test_place_drags_a_body_and_writes_a_scene_that_runs(self):
        scene = self.write("two.yaml", """achilles: 1
bodies:
  - {name: ground, kind: fixed, shape: {plane: {normal: [0, 0, 1]}}}
  - {name: box, shape: {box: {size: [1, 1, 1]}}, position: [0, 0, 2], euler: {xyz: [0, 0, 0.3]}}
""")
        self.call("place", scene, "--pull", "box=[3,0,0.5]", "-o", "placed.yaml")
        self.call("run", "placed.yaml", "-d", "0.1", "--csv", "states.csv")
        first = (self.folder / "states.csv").read_text(encoding="utf-8").splitlines()[2].split(",")
        self.assertEqual(first[1], "box")
        for value, expected in zip(first[2:5], (3, 0, 0.5)):
            self.assertAlmostEqual(float(value), expected, delta=2e-4)
        done = self.call("place", scene, "--pull", "box=[0,0,-1]", "-o", "stuck.yaml", status=3)
        self.assertIn("in the way: ground", done.stderr)
        for pull in ("box", "box=[1,2]", "nobody=[0,0,0]", "ground=[0,0,1]", "box=[nan,0,0]", "box@[inf,0,0]=[0,0,0]"):
            self.assertIn("--pull", self.call("place", scene, "--pull", pull, "-o", "no.yaml", status=2).stderr)
        done = self.call("place", scene, "--pull", "bix=[0,0,0]", "-o", "no.yaml", status=2)
        self.assertIn("did you mean 'box'?", done.stderr)
        self.assertFalse((self.folder / "no.yaml").exists())

    def test_events_that_only_go_on_are_listed_where_the_scene_asks(self):
        for persistent in ("false", "true"):
            self.call("run", self.heap, "-d", "0.5", "--record", persistent + ".h5", "--set",
                      "events={proximity: 0.05, persistent: " + persistent + "}")
            listed = self.call("events", persistent + ".h5").stdout
            for words in ("touch lasts", "near lasts"):
                self.assertEqual(words in listed, persistent == "true", words)

    def test_events_lists_what_touched(self):
        self.call("run", self.heap, "-d", "0.5", "--record", "run.h5", "--set", "events={timers: [0.25]}")
        listed = self.call("events", "run.h5").stdout.splitlines()
        self.assertEqual(sum(" timer " in line for line in listed), 2)
        self.assertTrue(any(" touch " in line and "ground" in line for line in listed))

    def test_scenes_of_the_gallery_and_of_the_tutorial_have_no_errors(self):
        for folder in (SOURCE / "scenes" / "gallery", SOURCE / "docs" / "examples"):
            scenes = sorted(folder.glob("*.yaml"))
            self.assertNotEqual(scenes, [])
            for scene in scenes:
                self.call("check", str(scene))

    def test_version_and_help_are_no_errors(self):
        self.assertRegex(self.call("--version").stdout, r"\d+\.\d+\.\d+")
        overview = self.call("--help").stdout
        for command in ("run", "check", "export", "render", "certify", "view", "replay", "events", "place", "methods", "shapes", "schema"):
            self.assertIn(command, overview)
            self.call(command, "--help")


class BadInput(ProgramTest):
    """Exit status 2 and a message that says where."""

    def test_missing_or_unknown_command(self):
        self.assertNotEqual(self.call(status=2).stderr, "")
        self.assertNotEqual(self.call("fly", status=2).stderr, "")

    def test_unknown_option_and_impossible_number(self):
        self.assertIn("--speed", self.call("run", self.heap, "--speed", "3", status=2).stderr)
        for option, value in [("--threads", "0"), ("--threads", "many")]:
            self.assertIn(option, self.call("run", self.heap, option, value, status=2).stderr)
        for option, allowed, values in [("--duration", "a number from 0 [s]", ("-1", "nan", "inf", "long")),
                                        ("--every", "a number above 0 [s]", ("0", "-1", "nan"))]:
            for value in values:
                first = self.call("run", self.heap, option, value, status=2).stderr.splitlines()[0]
                self.assertEqual(first, f"{option}: found '{value}'; allowed: {allowed}")
        for arguments in (["graph", self.heap, "--at", "-1"], ["render", "run.h5", "--speed", "0"]):
            self.assertIn(f"found '{arguments[3]}'; allowed: a number", self.call(*arguments, status=2).stderr)

    def test_missing_scene(self):
        for command in ("run", "check"):
            self.assertIn("nowhere.yaml", self.call(command, "nowhere.yaml", status=2).stderr)
        self.assertIn("SCENE", self.call("run", status=2).stderr)

    def test_errors_of_a_scene_come_with_file_line_and_column_all_of_them(self):
        broken = HEAP.replace("step: 0.005", "step: -1").replace("radius", "radios").replace("size: [0.4,", "size: [a,")
        path = self.write("broken.yaml", broken)
        for command in ("run", "check"):
            stderr = self.call(command, path, status=2).stderr
            for line, word in [(3, "step"), (10, "radios"), (13, "size")]:
                self.assertRegex(stderr, rf"{path}:{line}:\d+: error: .*{word}", command)

    def test_sets_that_miss(self):
        for setting in ("time.stpe=1", "nothing", "=1", "bodies.bell.mass=1", "time.step=-1", "time.step=[1"):
            stderr = self.call("run", self.heap, "--set", setting, status=2).stderr
            self.assertIn("--set", stderr)
        self.assertIn("'step'", self.call("run", self.heap, "--set", "time.stpe=1", status=2).stderr)

    def test_method_that_there_is_not(self):
        stderr = self.call("run", self.heap, "--method", "magic", status=2).stderr
        self.assertIn("magic", stderr)
        self.assertIn("lcp-fixed", stderr)

    def test_recording_that_is_none(self):
        notes = self.write("notes.h5", "not a recording\n")
        for arguments in (["export", notes, "out.csv"], ["replay", notes], ["export", "nowhere.h5", "out.csv"]):
            self.assertIn(arguments[1], self.call(*arguments, status=2).stderr)
        self.assertEqual((self.folder / "notes.h5").read_text(), "not a recording\n")
        self.assertFalse((self.folder / "out.csv").exists())

    def test_export_to_a_format_that_there_is_not(self):
        self.call("run", self.heap, "--quiet", "--duration", "0.1", "--record", "run.h5")
        self.assertIn("out.xyz", self.call("export", "run.h5", "out.xyz", status=2).stderr)


class Run(ProgramTest):
    def test_report_has_every_key(self):
        self.call("run", self.heap, "--report", "r.json")
        report = self.read_report("r.json")

        def compare(expected, found, path):
            if isinstance(expected, dict):
                for key, value in expected.items():
                    self.assertIn(key, found, path)
                    compare(value, found[key], f"{path}.{key}")
            elif isinstance(expected, int):
                self.assertEqual([type(x) for x in found], [float] * expected, path)
            elif expected is None:
                self.assertIsNone(found, path)
            else:
                self.assertIsInstance(found, expected, path)

        compare(REPORT, report, "report")
        self.assertEqual(len(report["bodies"]), 10)
        for name, body in report["bodies"].items():
            compare(BODY, body, name)
        self.assertEqual(report["scene"], "a small heap")
        self.assertEqual(report["steps"], 200)
        self.assertAlmostEqual(report["time"], 1, delta=1e-12)
        self.assertEqual(report["bodies"]["ground"]["position"], [0, 0, 0])

    def test_csv_has_its_header_and_seventeen_digits(self):
        self.call("run", self.heap, "--csv", "s.csv", "--every", "0.1")
        lines = (self.folder / "s.csv").read_text().splitlines()
        self.assertEqual(lines[0], CSV_HEADER)
        self.assertEqual(len(lines), 1 + 11 * 10)  # instants 0, 0.1, ..., 1 of ten bodies
        for row in csv.reader(lines[1:]):
            self.assertEqual(len(row), 15)
            for number in row[:1] + row[2:]:
                self.assertEqual(float(number), float(f"{float(number):.17g}"))
                self.assertEqual(number, f"{float(number):.17g}")
        times = sorted({float(row[0]) for row in csv.reader(lines[1:])})
        for k, at in enumerate(times):
            self.assertAlmostEqual(at, 0.1 * k, delta=1e-12)

    def test_csv_ends_where_the_report_does(self):
        self.call("run", self.heap, "--csv", "s.csv", "--report", "r.json")
        report = self.read_report("r.json")
        last = {row[1]: row for row in csv.reader((self.folder / "s.csv").read_text().splitlines()[1:])}
        for name, body in report["bodies"].items():
            numbers = [float(x) for x in last[name][2:]]
            self.assertEqual(numbers, body["position"] + body["orientation"] + body["velocity"] + body["spin"])

    def test_quiet_prints_nothing_and_pipes_get_no_progress_bar(self):
        done = self.call("run", self.heap, "--quiet", "--csv", "s.csv")
        self.assertEqual(done.stdout + done.stderr, "")
        done = self.call("run", self.heap)
        self.assertNotIn("\r", done.stdout + done.stderr)
        self.assertNotIn("\x1b", done.stdout + done.stderr)
        self.assertIn("200 steps", done.stdout)

    def test_set_reaches_any_key(self):
        self.call(
            "run", self.heap, "--set", "time.step=0.01", "--set", "method.iterations=7",
            "--set", "bodies.box.velocity=[5,0,0]", "--set", "gravity=[0,0,0]", "--duration", "0.2",
            "--report", "r.json",
        )
        report = self.read_report("r.json")
        self.assertEqual(report["steps"], 20)
        self.assertEqual(report["bodies"]["box"]["velocity"], [5, 0, 0])
        self.assertLessEqual(report["solver_stats"]["iterations_max"], 7)

    def test_threads_do_not_change_the_result(self):
        self.call("run", self.heap, "--csv", "one.csv", "--threads", "1")
        self.call("run", self.heap, "--csv", "two.csv", "--threads", "2")
        self.assertEqual((self.folder / "one.csv").read_bytes(), (self.folder / "two.csv").read_bytes())

    def test_duration_of_nothing_is_the_start(self):
        self.call("run", self.heap, "--duration", "0", "--csv", "s.csv", "--report", "r.json")
        self.assertEqual(self.read_report("r.json")["steps"], 0)
        self.assertEqual(len((self.folder / "s.csv").read_text().splitlines()), 11)

    def test_scene_is_found_from_any_folder(self):
        done = subprocess.run([PROGRAM, "check", "heap.yaml"], cwd=self.folder, capture_output=True, timeout=LONGEST)
        self.assertEqual(done.returncode, 0)

    def test_warnings_go_to_stderr_and_into_the_report(self):
        overlapping = HEAP.replace("position: [0.2, 0.1, 1.5]", "position: [0, 0, 0.3]")
        path = self.write("overlap.yaml", overlapping)
        done = self.call("run", path, "--duration", "0.01", "--report", "r.json")
        self.assertIn("warning", done.stderr)
        self.assertNotEqual(self.read_report("r.json")["warnings"], [])

    def test_simulation_that_stops_itself_writes_what_it_has_and_says_why(self):
        done = self.call(
            "run", self.heap, "--set", "gravity=[0,0,-1e308]", "--report", "r.json", "--csv", "s.csv",
            "--record", "run.h5", status=3,
        )
        self.assertIn("not-finite", done.stderr)
        stopped = self.read_report("r.json")["stopped"]
        self.assertEqual(stopped["reason"], "not-finite")
        self.assertTrue(stopped["message"])
        self.assertGreaterEqual(stopped["time"], 0)
        self.assertGreaterEqual(len((self.folder / "s.csv").read_text().splitlines()), 11)
        self.call("export", "run.h5", "out.csv")

    def test_zeno_point_is_a_stop_and_not_a_hang(self):
        done = self.call("run", self.heap, "--method", "impulse-naive", "--report", "r.json", status=3)
        self.assertIn("zeno-point", done.stderr)
        self.assertEqual(self.read_report("r.json")["stopped"]["reason"], "zeno-point")

    def test_impact_that_does_not_end_is_a_stop_that_names_the_contacts(self):
        scene = str(SOURCE / "scenes/vouga/wedged_ball.yaml")
        reflections = ["--method", "reflections", "--duration", "0.1", "--report", "r.json"]
        for law in ("gauss-seidel", "generalized-reflections"):
            done = self.call("run", scene, *reflections, "--set", f"method.impact={law}",
                             "--set", "method.lineality=false", status=3)
            self.assertIn("'left' and 'ball', 'right' and 'ball'", done.stderr)
            self.assertEqual(self.read_report("r.json")["stopped"]["reason"], "impact-does-not-end")
            self.call("run", scene, *reflections, "--set", f"method.impact={law}")
            self.assertEqual(self.read_report("r.json")["impacts"]["lineality"], 1)

    def test_what_a_run_could_not_do_well_is_warned_of(self):
        # A ball of a tonne on one of a gram; another pair overlaps by half a radius.
        scene = self.write("hard.yaml", """achilles: 1
time: {step: 0.01, duration: 0.1}
bodies:
  - {name: ground, kind: fixed, shape: {plane: {normal: [0, 0, 1]}}}
  - {name: feather, shape: {sphere: {radius: 0.1}}, mass: 0.001, position: [0, 0, 0.1]}
  - {name: anvil, shape: {sphere: {radius: 0.1}}, mass: 1000, position: [0, 0, 0.3]}
  - {name: one, shape: {sphere: {radius: 0.1}}, position: [1, 0, 0.1]}
  - {name: other, shape: {sphere: {radius: 0.1}}, position: [1.15, 0, 0.1]}
""")
        done = self.call("run", scene, "--report", "r.json")
        warnings = " ".join(self.read_report("r.json")["warnings"])
        for words in ("1e+06 times as heavy", "'one' and 'other' overlap"):
            self.assertIn(words, warnings)
            self.assertIn(words, done.stderr)
        self.call("run", self.heap, "--report", "r.json")
        self.assertEqual(self.read_report("r.json")["warnings"], [])

    def test_meshes_that_are_inside_out_or_flat_are_warned_of(self):
        corners = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nv 0.5 0 0\n"
        self.write("good.obj", corners + "f 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n")
        self.write("turned.obj", corners + "f 1 2 3\nf 1 4 2\nf 2 4 3\nf 1 3 4\n")
        self.write("flat.obj", corners + "f 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\nf 1 5 2\n")
        for name, words in (("good", None), ("turned", "inside out"), ("flat", "1 of 5 triangles have no area")):
            scene = self.write("m.yaml", HEAP + f"  - {{name: rock, kind: fixed, shape: {{mesh: {{file: {name}.obj}}}}, position: [9, 0, 0]}}\n")
            said = self.call("check", scene).stderr
            self.assertIn(words, said) if words else self.assertEqual(said, "")

    def test_out_of_memory_is_an_error_and_not_a_crash(self):
        # A million bodies take some gigabytes.
        scene = self.write("many.yaml", """\
achilles: 1
bodies:
  - {name: ball, repeat: {count: [100, 100, 100], spacing: [3, 3, 3]}, shape: {sphere: {radius: 0.5}}}
""")

        def limited(limit, *arguments):
            return subprocess.run(
                [PROGRAM, *arguments], cwd=self.folder, capture_output=True, text=True,
                preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit)),
            )

        if limited(150_000_000, "--version").returncode != 0:
            self.skipTest("a sanitizer takes more than that for itself")
        for limit in (150_000_000, 400_000_000, 800_000_000):
            done = limited(limit, "run", scene, "--duration", "0.01", "--quiet", "--record", "many.h5")
            self.assertEqual(done.returncode, 1, done.stderr)
            self.assertIn("out of memory", done.stderr)

    def test_steps_without_end_are_refused(self):
        for step in ("1e-320", "1e-30"):
            self.assertIn("time.step", self.call("run", self.heap, "--set", f"time.step={step}", status=2).stderr)

    def test_place_that_cannot_be_written_is_a_failure_that_names_it(self):
        for option in ("--csv", "--record", "--report"):
            done = self.call("run", self.heap, "--duration", "0.01", option, "nowhere/file", status=1)
            self.assertIn("nowhere/file", done.stderr)


class Pictures(ProgramTest):
    def setUp(self):
        super().setUp()
        self.call("run", self.heap, "--quiet", "--record", "run.h5")

    def size_of(self, name):
        data = (self.folder / name).read_bytes()
        self.assertEqual(data[:8], b"\x89PNG\r\n\x1a\n")
        return struct.unpack(">II", data[16:24])

    def test_picture_has_the_size_asked_for_and_shows_the_time_asked_for(self):
        self.call("render", "run.h5", "--at", "0", "-o", "start.png", "--size", "160x90")
        self.call("render", "run.h5", "-o", "end.png", "--size", "160x90")
        self.call("render", "run.h5", "--at", "1", "-o", "end_too.png", "--size", "160x90")
        self.assertEqual(self.size_of("start.png"), (160, 90))
        end = (self.folder / "end.png").read_bytes()
        self.assertEqual(end, (self.folder / "end_too.png").read_bytes())
        self.assertNotEqual(end, (self.folder / "start.png").read_bytes())
        self.call("render", "run.h5", "-o", "near.png", "--size", "160x90", "--eye", "1,-1,0.5", "--target", "0,0,0.2")
        self.assertNotEqual(end, (self.folder / "near.png").read_bytes())

    def test_video_as_gif_and_animated_png(self):
        options = ["--size", "80x48", "--rate", "10", "--from", "0.2", "--to", "0.6"]
        self.call("render", "run.h5", "--video", "v.gif", *options)
        data = (self.folder / "v.gif").read_bytes()
        self.assertEqual(data[:6], b"GIF89a")
        self.assertEqual(data.count(b"\x21\xf9\x04\x05"), 5)  # frames at 0.2, 0.3, ... 0.6 s
        self.call("render", "run.h5", "--video", "v.png", *options)
        self.assertEqual(self.size_of("v.png"), (80, 48))

    def test_video_as_mp4_or_the_reason_why_not(self):
        arguments = ["render", "run.h5", "--video", "v.mp4", "--size", "81x47", "--rate", "10"]
        if shutil.which("ffmpeg"):
            self.call(*arguments)
            self.assertEqual((self.folder / "v.mp4").read_bytes()[4:8], b"ftyp")
        done = subprocess.run([PROGRAM, *arguments], cwd=self.folder, capture_output=True, text=True, env={"PATH": ""})
        self.assertEqual(done.returncode, 1)
        self.assertIn("ffmpeg", done.stderr)

    def test_what_cannot_be_drawn_is_said(self):
        for arguments, word in [
            ([], "--video"), (["-o", "a.jpg"], "a.jpg"), (["--video", "a.avi"], "a.avi"),
            (["-o", "a.png", "--size", "big"], "--size"), (["-o", "a.png", "--size", "0x5"], "--size"),
            (["-o", "a.png", "--at", "77"], "--at"), (["-o", "a.png", "--eye", "1,2"], "--eye"),
            (["-o", "a.png", "--target", "1,2,3"], "--eye"), (["--video", "a.gif", "--from", "3"], "--from"),
            (["--video", "a.gif", "--rate", "0"], "--rate"),
        ]:
            self.assertIn(word, self.call("render", "run.h5", *arguments, status=2).stderr)
        self.assertEqual(sorted(os.listdir(self.folder)), ["heap.yaml", "run.h5"])
        self.assertIn("nowhere.h5", self.call("render", "nowhere.h5", "-o", "a.png", status=2).stderr)
        self.assertIn("no/a.png", self.call("render", "run.h5", "-o", "no/a.png", status=1).stderr)


class Recordings(ProgramTest):
    FINE = ["--set", "time.step=0.0005", "--every", "0.01"]

    def record(self, *arguments):
        self.call("run", self.heap, "--quiet", "--record", "run.h5", *arguments)

    def test_export_gives_the_csv_of_the_run(self):
        self.record("--csv", "run.csv")
        self.call("export", "run.h5", "export.csv")
        self.assertEqual((self.folder / "export.csv").read_bytes(), (self.folder / "run.csv").read_bytes())

    def test_export_gives_the_report_of_the_run(self):
        self.record("--report", "run.json")
        self.call("export", "run.h5", "export.json")
        self.assertEqual((self.folder / "export.json").read_bytes(), (self.folder / "run.json").read_bytes())

    def test_export_gives_a_page_and_gltf(self):
        self.record()
        self.call("export", "run.h5", "run.html", "run.glb")
        page = (self.folder / "run.html").read_text(encoding="utf-8")
        self.assertIn("window.achilles_recording = ", page)
        self.assertNotIn("/*ACHILLES_DATA*/", page)
        data = (self.folder / "run.glb").read_bytes()
        magic, version, length = struct.unpack("<4sII", data[:12])
        self.assertEqual((magic, version, length), (b"glTF", 2, len(data)))
        size, kind = struct.unpack("<I4s", data[12:20])
        self.assertEqual(kind, b"JSON")
        names = {node.get("name") for node in json.loads(data[20 : 20 + size])["nodes"]}
        self.assertLessEqual({"ground", "box", "ball[1,1,1]"}, names)

    def test_export_keeps_to_the_size_asked_for(self):
        self.record()
        for name, small in (("run.html", "0.03"), ("run.glb", "0.01")):
            self.call("export", "run.h5", name)
            whole = (self.folder / name).stat().st_size
            self.call("export", "run.h5", name, "--size", small)
            # Besides its data a page holds the script, and glTF the shapes: those do not shrink.
            self.assertLess((self.folder / name).stat().st_size, whole)
        page = (self.folder / "run.html").read_text(encoding="utf-8")
        self.assertIn('"decimated":true', page)
        self.assertLess(len(page.split('"data": "')[1].split('"')[0]), 30_000)
        self.assertIn("--size", self.call("export", "run.h5", "run.html", "--size", "-1", status=2).stderr)

    def test_recordings_larger_than_memory_are_exported_drawn_and_certified(self):
        # 1,600 bodies take 168 kB per instant: 168 MB, or 1.3 GB in full size, within 120 MB of address space, of which
        # the program and its libraries take half.
        steps = 8000 if os.environ.get("ACHILLES_FULL") else 1000
        scene = self.write("many.yaml", f"""\
achilles: 1
time: {{step: 0.001, duration: {steps / 1000}}}
bodies:
  - name: ball
    repeat: {{count: [40, 40, 1], spacing: [3, 3, 0]}}
    shape: {{sphere: {{radius: 0.5}}}}
    spin: [1, 2, 3]
""")
        limit = 120_000_000

        def limited(*arguments):
            return subprocess.run(
                [PROGRAM, *arguments], cwd=self.folder, capture_output=True, text=True,
                preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit)),
            )

        if limited("--version").returncode != 0:
            self.skipTest("a sanitizer takes more than that for itself")
        self.call("run", scene, "--quiet", "--record", "many.h5", "--every", "0.001")
        for arguments in (
            ["export", "many.h5", "many.html", "--size", "5"], ["export", "many.h5", "many.glb", "--size", "5"],
            ["render", "many.h5", "--at", "0.9", "-o", "many.png", "--size", "320x200"], ["certify", "many.h5"],
        ):
            done = limited(*arguments)
            self.assertEqual(done.returncode, 0, f"{arguments}: {done.stdout[-2000:]} {done.stderr[-2000:]}")
        self.assertLess((self.folder / "many.html").stat().st_size, 7e6)
        self.assertLess((self.folder / "many.glb").stat().st_size, 7e6)

    def test_certify_holds_for_an_honest_run_and_says_what_another_breaks(self):
        self.record("--method", "impulse-zeno-free", "--every", "0.005", "--duration", "0.5")
        done = self.call("certify", "run.h5", "--report", "verdicts.json")
        self.assertIn("everything that the method promises holds", done.stdout)
        verdicts = {v["property"]: v for v in self.read_report("verdicts.json")["verdicts"]}
        self.assertEqual(verdicts["interpenetration"]["finding"], "holds")
        self.assertLessEqual(verdicts["interpenetration"]["worst"], 1e-7)
        # A ball between a wall and a piston that goes on breaks what the method promises, whatever it does about it.
        squeeze = self.write("squeeze.yaml", SQUEEZE)
        self.assertIn("stopped (crushed)", self.call("run", squeeze, "--quiet", "--record", "bad.h5", status=3).stderr)
        self.assertRegex(self.call("certify", "bad.h5", status=1).stdout, r"complementarity\s+FAILS")
        self.assertIn("nowhere.h5", self.call("certify", "nowhere.h5", status=2).stderr)

    def test_compare_writes_all_runs_on_one_page(self):
        done = self.call(
            "compare", self.heap, "--methods", "lcp-fixed,impulse-zeno-free,impulse-naive", "--report", "out",
            "--duration", "0.4",
        )
        for word in ("lcp-fixed", "impulse-zeno-free", "zeno-point", "certified: yes", "compare.html"):
            self.assertIn(word, done.stdout)
        page = (self.folder / "out" / "compare.html").read_text(encoding="utf-8")
        self.assertIn("window.achilles_comparison = [", page)
        for method in ("lcp-fixed", "impulse-zeno-free", "impulse-naive"):
            self.assertIn(f'{{"name": "{method}"', page)
            self.assertTrue((self.folder / "out" / f"{method}.json").exists())

    def test_replay_finds_the_same_bits_on_any_number_of_threads(self):
        self.record("--set", "time.step=0.004", "--method", "lcp-fixed")
        for threads in ("1", "2"):
            self.assertIn("the same bits", self.call("replay", "run.h5", "--threads", threads).stdout)

    def test_interrupted_run_goes_on_to_the_same_bytes(self):
        # So long that it cannot be over before the signal, however fast the machine.
        process = self.start("run", self.heap, *self.FINE, "--duration", "100000", "--record", "part.h5")
        self.wait_for(lambda: (self.folder / "part.h5").exists() or process.poll() is not None)
        time.sleep(0.3)
        process.send_signal(signal.SIGINT)
        _, stderr = process.communicate(timeout=LONGEST)
        self.assertEqual(process.returncode, 1, stderr)
        self.assertIn("interrupted", stderr)
        self.assertIn("--resume part.h5", stderr)
        self.call("export", "part.h5", "part.csv")
        part = (self.folder / "part.csv").read_bytes()
        reached = float(part.decode().strip().splitlines()[-1].split(",")[0])
        end = ["--duration", str(math.ceil(reached) + 1)]
        self.call("run", self.heap, *self.FINE, *end, "--quiet", "--csv", "whole.csv", "--record", "whole.h5")
        whole = (self.folder / "whole.csv").read_bytes()
        self.assertTrue(whole.startswith(part))
        self.call("run", "--resume", "part.h5", *end, "--csv", "resumed.csv", "--report", "r.json")
        self.assertEqual((self.folder / "resumed.csv").read_bytes(), whole)
        self.assertIsNone(self.read_report("r.json")["stopped"])
        self.assertIn("the same bits", self.call("replay", "part.h5").stdout)

    def test_killed_run_leaves_a_recording_that_can_be_read(self):
        process = self.start(
            "run", self.heap, "--set", "time.step=0.0005", "--duration", "100000", "--every", "0.01",
            "--record", "run.h5",
        )

        def has_instants():
            if process.poll() is not None or not (self.folder / "run.h5").exists():
                return False
            done = subprocess.run([PROGRAM, "export", "run.h5", "so_far.csv"], cwd=self.folder, capture_output=True)
            return done.returncode == 0 and len((self.folder / "so_far.csv").read_text().splitlines()) > 100

        self.wait_for(has_instants)
        process.kill()
        process.communicate()
        self.call("export", "run.h5", "run.csv")
        lines = (self.folder / "run.csv").read_text().splitlines()
        self.assertEqual(lines[0], CSV_HEADER)
        self.assertEqual((len(lines) - 1) % 10, 0, "whole instants only")
        last = float(lines[-1].split(",")[0])
        self.call("run", self.heap, "--set", "time.step=0.0005", "--every", "0.01", "--quiet",
                  "--duration", repr(last), "--csv", "again.csv")
        self.assertEqual((self.folder / "again.csv").read_text().splitlines()[: len(lines)], lines)

    def test_outputs_that_are_inputs_or_each_other_are_refused_and_nothing_is_lost(self):
        before = pathlib.Path(self.heap).read_bytes()
        for option in ("--record", "--csv", "--report", "--trace"):
            done = self.call("run", self.heap, option, self.heap, status=2)
            self.assertIn("would overwrite the scene", done.stderr)
        self.assertEqual(pathlib.Path(self.heap).read_bytes(), before)
        (self.folder / "link.yaml").symlink_to(self.heap)
        self.call("run", self.heap, "--report", "link.yaml", status=2)
        done = self.call("run", self.heap, "--record", "x.h5", "--report", "./x.h5", status=2)
        self.assertIn("would overwrite --record", done.stderr)
        self.record("--duration", "0.1")
        before = (self.folder / "run.h5").read_bytes()
        self.call("run", "--resume", "run.h5", "--duration", "1", "--report", "run.h5", status=2)
        self.assertEqual((self.folder / "run.h5").read_bytes(), before)
        self.call("run", self.heap, "--duration", "0.1", "--report", "/dev/null", "--trace", "/dev/null", "--quiet")

    def test_no_command_writes_over_what_it_reads(self):
        mesh = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n"
        scene = self.write("rock.yaml", HEAP + "  - {name: rock, kind: fixed, shape: {mesh: {file: m.obj}}, position: [3, 0, 0]}\n")
        self.write("m.obj", mesh)
        self.call("run", scene, "--duration", "0.02", "--record", "m.h5", "--quiet")
        (self.folder / "m.csv").symlink_to("m.h5")
        kept = {name: (self.folder / name).read_bytes() for name in ("rock.yaml", "m.obj", "m.h5")}
        for words in (
            ["run", scene, "--report", "m.obj"],
            ["run", scene, "--record", "m.obj"],
            ["run", "--resume", "m.h5", "--duration", "1", "--trace", "m.obj"],
            ["graph", scene, "--output", scene],
            ["graph", scene, "--output", "m.obj"],
            ["place", scene, "--pull", "rock=[1,0,0]", "--output", "m.obj"],
            ["convert", scene, "m.obj"],
            ["certify", "m.h5", "--report", "m.h5"],
            ["export", "m.h5", "m.csv"],
        ):
            done = self.call(*words, status=2)
            self.assertIn("would overwrite", done.stderr, words)
        for name, content in kept.items():
            self.assertEqual((self.folder / name).read_bytes(), content, name)

    def test_recording_that_is_being_written_cannot_be_resumed(self):
        process = self.start("run", self.heap, *self.FINE, "--duration", "100000", "--record", "busy.h5")
        self.wait_for(lambda: (self.folder / "busy.h5").exists() or process.poll() is not None)
        time.sleep(0.5)
        self.assertIn("still being recorded", self.call("run", "--resume", "busy.h5", status=1).stderr)
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=LONGEST)
        self.call("run", "--resume", "busy.h5", "--duration", "0.01", "--quiet")

    def test_killed_resume_loses_no_progress(self):
        self.record(*self.FINE, "--duration", "0.1")
        process = self.start("run", "--resume", "run.h5", "--duration", "100000", "--checkpoint", "0.2")
        part = self.folder / "run.h5.part"
        self.wait_for(lambda: part.exists() or process.poll() is not None)
        time.sleep(3)
        process.kill()
        process.communicate()
        self.call("export", "run.h5.part", "part.csv")
        reached = float((self.folder / "part.csv").read_text().splitlines()[-1].split(",")[0])
        self.assertGreater(reached, 0.1)
        # A second continuation that ends at once has what the first one had saved, not what the recording began with.
        self.call("run", "--resume", "run.h5", "--duration", "0.01", "--quiet")
        self.call("export", "run.h5", "run.csv")
        kept = float((self.folder / "run.csv").read_text().splitlines()[-1].split(",")[0])
        self.assertGreater(kept, 0.1)
        self.assertIn("the same bits", self.call("replay", "run.h5").stdout)

    def test_limit_of_file_size_is_an_error_and_keeps_what_was_written(self):
        # 8000 blocks of 1 kB hold far more than the first thousand frames of ten bodies, and what is written ahead.
        command = f"ulimit -f 8000; exec '{PROGRAM}' run '{self.heap}' --set time.step=0.0005 --duration 100000 --record l.h5"
        done = subprocess.run(["bash", "-c", command], cwd=self.folder, capture_output=True, text=True, timeout=LONGEST)
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("l.h5", done.stderr)
        self.call("export", "l.h5", "l.csv")
        last = (self.folder / "l.csv").read_text().splitlines()[-1]
        self.assertGreater(float(last.split(",")[0]), 1)
        self.call("run", "--resume", "l.h5", "--duration", "0.1", "--quiet")

    def test_recording_outlives_the_mesh_of_its_scene(self):
        mesh = self.write("m.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n")
        scene = self.write("mesh.yaml", HEAP + "  - {name: rock, kind: fixed, shape: {mesh: {file: m.obj}}, position: [3, 0, 0]}\n")
        self.call("run", scene, "--quiet", "--record", "mesh.h5", "--duration", "0.3")
        pathlib.Path(mesh).write_text("v 0 0 0\nv 2 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n")
        self.assertIn("m.obj' has changed", self.call("replay", "mesh.h5").stderr)
        pathlib.Path(mesh).unlink()
        pathlib.Path(scene).unlink()
        self.assertIn("the same bits", self.call("replay", "mesh.h5").stdout)
        self.call("events", "mesh.h5")
        self.call("certify", "mesh.h5")
        self.call("run", "--resume", "mesh.h5", "--duration", "0.5", "--quiet")

    def test_names_do_not_steer_the_terminal(self):
        evil = self.write("evil.yaml", HEAP.replace("name: a small heap", 'name: "\\e[31mred"').replace("name: box", 'name: "b\\e[2Jx\\ny"'))
        self.call("run", evil, "--quiet", "--record", "evil.h5")
        for command in (["events", "evil.h5"], ["certify", "evil.h5"], ["run", evil, "-d", "0.1"]):
            done = self.call(*command)
            self.assertNotIn("\x1b", done.stdout + done.stderr, command)
        self.assertIn("b\\x1b[2Jx\\x0ay", self.call("events", "evil.h5").stdout)

    # 1,728 boxes pressed into each other: a step takes seconds.
    LONG = """achilles: 1
time: {step: 0.01, duration: 1}
method: {name: lcp-fixed, solver: newton}
bodies:
  - {name: ground, kind: fixed, shape: {plane: {normal: [0, 0, 1]}}}
  - {name: b, repeat: {count: [12, 12, 12], spacing: [0.99, 0.99, 0.99]}, shape: {box: {size: [1, 1, 1]}}, position: [0, 0, 0.49]}
"""

    def interrupt(self, process, statuses=(1,)):
        """What the process has said on its two streams. The signal meets it at work where the machine is not busy."""
        time.sleep(1)
        self.interrupt_when_ready(process)
        stdout, stderr = process.communicate(timeout=LONGEST)
        self.assertIn(process.returncode, statuses, stderr)
        return stdout, stderr

    def test_interrupt_ends_a_long_step_within_seconds(self):
        # What was recorded before it stays.
        process = self.start("run", self.write("long.yaml", self.LONG), "--quiet", "--record", "long.h5")
        self.wait_for(lambda: (self.folder / "long.h5").exists() or process.poll() is not None)
        _, stderr = self.interrupt(process)
        self.assertIn("interrupted", stderr)
        self.call("export", "long.h5", "long.csv")

    def test_interrupt_ends_a_comparison_inside_a_long_step(self):
        process = self.start("compare", self.write("long.yaml", self.LONG), "--methods", "lcp-fixed", "--report", "out")
        self.wait_for(lambda: (self.folder / "out" / "lcp-fixed.h5").exists() or process.poll() is not None)
        self.interrupt(process)
        self.assertEqual([path.name for path in (self.folder / "out").iterdir()], ["lcp-fixed.h5"])

    def test_interrupt_ends_a_live_view_inside_a_long_step(self):
        process = self.start("view", self.write("long.yaml", self.LONG), "--run")
        self.assertIn("http://127.0.0.1:", process.stdout.readline())
        self.interrupt(process)

    def test_interrupt_ends_an_examination_and_a_replay(self):
        self.record("--set", "time.step=0.0002", "--every", "0.0002", "--duration", "8")
        for command in ("certify", "replay"):
            process = self.start(command, "run.h5")
            self.interrupt_when_ready(process)
            _, stderr = process.communicate(timeout=LONGEST)
            self.assertEqual(process.returncode, 1, stderr)
            self.assertIn("interrupted", stderr)

    def test_interrupt_ends_the_experiments_of_the_papers(self):
        self.interrupt(self.start("reproduce", "erleben"))

    def test_interrupt_ends_random_scenes_and_their_processes(self):
        process = subprocess.Popen(
            [PROGRAM, "soak", "--count", "100000", "--jobs", "2"], cwd=self.folder, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, text=True, start_new_session=True,
        )
        self.addCleanup(self.end, process)
        self.interrupt(process)
        with self.assertRaises(ProcessLookupError):
            os.killpg(process.pid, 0)  # nothing of its group is left

    def test_durable_recording_is_the_same_recording(self):
        for name, options in (("quick", []), ("durable", ["--durable"])):
            self.call("run", self.heap, "--quiet", "--record", f"{name}.h5", *options)
            self.call("export", f"{name}.h5", f"{name}.csv")
        self.assertEqual((self.folder / "quick.csv").read_bytes(), (self.folder / "durable.csv").read_bytes())

    def test_resume_and_a_scene_exclude_each_other(self):
        self.record()
        self.call("run", self.heap, "--resume", "run.h5", status=2)

    def test_complete_recording_can_be_made_longer(self):
        self.record("--duration", "0.5")
        self.call("run", "--resume", "run.h5", "--duration", "1", "--csv", "resumed.csv", "--quiet")
        self.call("run", self.heap, "--csv", "whole.csv", "--quiet")
        whole = (self.folder / "whole.csv").read_text().splitlines()
        resumed = (self.folder / "resumed.csv").read_text().splitlines()
        # The end of the first half is an instant of its own when it is no multiple of the interval.
        self.assertLessEqual(set(whole), set(resumed))


if __name__ == "__main__":
    PROGRAM = str(pathlib.Path(sys.argv[1]).resolve())
    unittest.main(argv=[sys.argv[0], *sys.argv[2:]])
