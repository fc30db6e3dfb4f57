"""The live view as browsers and intruders meet it: the page, the protocol, who may connect.

Usage: view_test.py PROGRAM [unittest arguments]
"""

import http.client
import json
import os
import pathlib
import re
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import time
import unittest

from web_socket import LONGEST, WebSocket

PROGRAM = None

SCENE = """\
achilles: 1
name: two boxes
time: {step: 0.005, duration: 1}
bodies:
  - {name: ground, kind: fixed, shape: {plane: {normal: [0, 0, 1]}}}
  - {name: box, shape: {box: {size: [1, 1, 1]}}, position: [0, 0, 0.5]}
  - {name: ball, shape: {sphere: {radius: 0.5}}, position: [3, 0, 5]}
"""
BODIES = 3


def is_state(message):
    return isinstance(message, dict) and message["kind"] == "state"


def is_refusal(message):
    return isinstance(message, dict) and message["kind"] == "refused"


def time_of(instant):
    return struct.unpack_from("<d", instant)[0]


def position_of(instant, body):
    return struct.unpack_from("<3f", instant, 8 + 12 * body)


class ViewTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        (self.folder / "boxes.yaml").write_text(SCENE)

    def serve(self, *arguments, environment=None):
        process = subprocess.Popen(
            [PROGRAM, "view", *arguments],
            cwd=self.folder,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=environment,
        )
        self.addCleanup(self.end, process)
        line = process.stdout.readline()
        found = re.search(r"http://127\.0\.0\.1:(\d+)/", line)
        self.assertIsNotNone(found, line + (process.stderr.read() if process.poll() is not None else ""))
        self.port = int(found.group(1))
        self.process = process
        return process

    @staticmethod
    def end(process):
        if process.poll() is None:
            process.kill()
        process.communicate()

    def open(self, **arguments):
        arguments.setdefault("origin", f"http://127.0.0.1:{self.port}")
        web = WebSocket(self.port, **arguments)
        self.addCleanup(web.close)
        return web

    def get(self, path="/", method="GET", headers=None):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=LONGEST)
        self.addCleanup(connection.close)
        connection.request(method, path, headers=headers or {})
        answer = connection.getresponse()
        return answer.status, answer.read(), answer


class Protocol(ViewTest):
    def setUp(self):
        super().setUp()
        self.serve("boxes.yaml")
        self.web = self.open()
        self.state = self.web.hear_until(is_state)

    def test_page_begins_with_the_present_instant_and_says_that_it_is_live(self):
        status, body, answer = self.get()
        self.assertEqual(status, 200)
        self.assertIn(b'"live":true', body)
        self.assertIn(b'"instants":1', body)
        self.assertIn("no-store", answer.getheader("Cache-Control"))
        status, body, answer = self.get(method="HEAD")
        self.assertEqual((status, body), (200, b""))

    def test_single_steps_take_the_time_on_by_steps(self):
        self.assertFalse(self.state["running"])
        self.web.say(do="step", count=1)
        self.assertAlmostEqual(time_of(self.web.hear_until(lambda m: isinstance(m, bytes))), 0.005)
        self.web.say(do="step", count=9)
        self.assertAlmostEqual(time_of(self.web.hear_until(lambda m: isinstance(m, bytes))), 0.05)

    def test_run_keeps_the_pace_of_the_clock_and_pause_ends_it(self):
        self.web.say(do="run")
        self.assertTrue(self.web.hear_until(is_state)["running"])
        began = time.monotonic()
        instant = self.web.hear_until(lambda m: isinstance(m, bytes) and time_of(m) > 0.5)
        self.assertGreater(time.monotonic() - began, 0.35)
        self.web.say(do="pause")
        state = self.web.hear_until(is_state)
        self.assertFalse(state["running"])
        self.assertGreaterEqual(state["time"], time_of(instant))
        time.sleep(0.2)
        self.web.say(do="step", count=1)
        self.assertAlmostEqual(self.web.hear_until(is_state)["time"], state["time"] + 0.005)

    def test_reset_goes_back_to_the_start(self):
        self.web.say(do="step", count=100)
        self.web.hear_until(is_state)
        self.web.say(do="reset")
        self.web.hear_until(lambda m: isinstance(m, dict) and m["kind"] == "reset")
        instant = self.web.hear_until(lambda m: isinstance(m, bytes))
        self.assertEqual(time_of(instant), 0)
        self.assertEqual(position_of(instant, 2), (3, 0, 5))

    def test_speed_stretches_time(self):
        self.web.say(do="speed", value=0.1)
        self.assertEqual(self.web.hear_until(is_state)["speed"], 0.1)
        self.web.say(do="run")
        began = time.monotonic()
        self.web.hear_until(lambda m: isinstance(m, bytes) and time_of(m) > 0.05)
        self.assertGreater(time.monotonic() - began, 0.4)

    def drag(self, how):
        self.web.say(do="grab", body=1, point=[0, 0, 0], how=how)
        self.web.say(do="drag", target=[0.5, 1, 2])
        self.web.say(do="step", count=400)  # two seconds
        held = position_of(self.web.hear_until(lambda m: isinstance(m, bytes)), 1)
        self.web.say(do="release")
        self.web.say(do="step", count=400)
        fallen = position_of(self.web.hear_until(lambda m: isinstance(m, bytes)), 1)
        return held, fallen

    def test_spring_and_first_order_drags_take_a_body_to_the_mouse_and_let_it_fall(self):
        for how in ("spring", "first-order"):
            held, fallen = self.drag(how)
            # The spring also carries the weight; positioning moves by the same share each step and gravity adds a
            # step's worth: g h / rate.
            for found, wanted in zip(held, (0.5, 1, 2)):
                self.assertAlmostEqual(found, wanted, delta=0.01, msg=how)
            self.assertAlmostEqual(fallen[2], 0.5, delta=0.01, msg=how)
            self.web.say(do="reset")
            self.web.hear_until(lambda m: isinstance(m, dict) and m["kind"] == "reset")
            self.web.hear_until(lambda m: isinstance(m, bytes))

    def test_method_changes_while_paused_and_only_then(self):
        self.web.say(do="step", count=10)
        self.web.hear_until(is_state)
        self.web.say(do="method", name="impulse-zeno-free")
        state = self.web.hear_until(is_state)
        self.assertEqual(state["method"], "impulse-zeno-free")
        self.assertAlmostEqual(state["time"], 0.05)
        self.web.say(do="step", count=10)
        self.assertAlmostEqual(self.web.hear_until(is_state)["time"], 0.1)
        self.web.say(do="method", name="magic")
        self.assertIn("magic", self.web.hear_until(is_refusal)["reason"])
        self.web.say(do="run")
        self.web.hear_until(is_state)
        self.web.say(do="method", name="lcp-fixed")
        self.assertIn("pause", self.web.hear_until(is_refusal)["reason"])

    def test_save_writes_a_recording_of_what_was_done_and_can_be_repeated(self):
        for steps in (100, 50):
            self.web.say(do="step", count=steps)
            self.web.hear_until(is_state)
            self.web.say(do="save")
            self.assertIn("boxes-live.h5", self.web.hear_until(is_state)["notice"])
        done = subprocess.run(
            [PROGRAM, "export", "boxes-live.h5", "out.csv"], cwd=self.folder, capture_output=True, text=True
        )
        self.assertEqual(done.returncode, 0, done.stderr)
        last = (self.folder / "out.csv").read_text().splitlines()[-1].split(",")
        self.assertAlmostEqual(float(last[0]), 0.75)
        subprocess.run([PROGRAM, "replay", "boxes-live.h5"], cwd=self.folder, check=True, capture_output=True)

    def test_report_of_what_was_saved_balances_momentum_whoever_drags(self):
        for how in ("spring", "first-order"):
            self.drag(how)
        self.web.hear_until(is_state)
        self.web.say(do="save")
        self.web.hear_until(lambda m: is_state(m) and "boxes-live.h5" in m["notice"])
        subprocess.run([PROGRAM, "export", "boxes-live.h5", "live.json"], cwd=self.folder, check=True, capture_output=True)
        momentum = json.loads((self.folder / "live.json").read_text())["momentum"]
        # Rounding, in linear momentum; in angular momentum also how bodies move on within a step.
        self.assertLess(momentum["linear_error"], 1e-9)
        self.assertLess(momentum["angular_error"], 0.01)

    def test_malformed_messages_are_refused_and_the_run_goes_on(self):
        self.web.say(do="run")
        self.web.hear_until(is_state)
        for text in (
            "", "{", "[]", "7", '"run"', '{"do": 1}', '{"do": "fly"}', '{"do": "run", "fast": true}',
            '{"do": "step"}', '{"do": "step", "count": 0}', '{"do": "step", "count": 1e99}',
            '{"do": "step", "count": "many"}', '{"do": "speed", "value": null}', '{"do": "speed", "value": -1}',
            '{"do": "grab", "body": 1.5, "point": [0, 0, 0], "how": "spring"}',
            '{"do": "grab", "body": 0, "point": [0, 0, 0], "how": "spring"}',
            '{"do": "grab", "body": 99, "point": [0, 0, 0], "how": "spring"}',
            '{"do": "grab", "body": 1, "point": [0, 0], "how": "spring"}',
            '{"do": "grab", "body": 1, "point": [0, 0, 0], "how": "teeth"}',
            '{"do": "drag", "target": [1, 2, 3]}', '{"do": "drag", "target": [1, 2, 1e308]}',
            '{"do": "method", "name": 3}', '{"do": "' + "x" * 10000 + '"}', "[" * 5000,
        ):
            self.web.send_frame(1, text.encode())
            self.assertTrue(self.web.hear_until(is_refusal)["reason"], text[:80])
        self.web.send_frame(1, b"\xff\xfe")  # not UTF-8: the protocol itself breaks off
        with self.assertRaises(ConnectionError):
            while True:
                self.web.hear()
        other = self.open()
        other.send_frame(2, b"\x00\x01")
        self.assertIn("text", other.hear_until(is_refusal)["reason"])
        now = time_of(other.hear_until(lambda m: isinstance(m, bytes)))
        self.assertGreater(time_of(other.hear_until(lambda m: isinstance(m, bytes) and time_of(m) > now)), now)
        large = self.open()
        large.send_frame(1, b" " * 100000)
        with self.assertRaises(ConnectionError):
            while True:
                large.hear()
        other.say(do="pause")
        self.assertFalse(other.hear_until(is_state)["running"])


class Clients(ViewTest):
    def test_two_pages_see_the_same_run_and_it_survives_one_that_goes(self):
        self.serve("boxes.yaml")
        first, second = self.open(), self.open()
        for web in (first, second):
            web.hear_until(is_state)
        first.say(do="run")
        for web in (first, second):
            self.assertTrue(web.hear_until(is_state)["running"])
            web.hear_until(lambda m: isinstance(m, bytes))
        first.say(do="grab", body=1, point=[0, 0, 0], how="spring")
        first.say(do="drag", target=[0, 0, 3])
        second.hear_until(lambda m: isinstance(m, bytes) and position_of(m, 1)[2] > 1)
        first.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        first.close()  # without a word, in the middle of the run: what it held falls
        second.hear_until(lambda m: isinstance(m, bytes) and position_of(m, 1)[2] < 0.6)
        second.say(do="pause")
        self.assertFalse(second.hear_until(lambda m: is_state(m) and not m["running"])["running"])
        self.assertIsNone(self.process.poll())

    def test_only_the_loopback_address_is_listened_on(self):
        self.serve("boxes.yaml")
        lines = pathlib.Path("/proc/net/tcp").read_text().splitlines()[1:]
        wanted = f":{self.port:04X}"
        listening = [line.split()[1] for line in lines if line.split()[1].endswith(wanted) and line.split()[3] == "0A"]
        self.assertEqual(listening, ["0100007F" + wanted])
        six = pathlib.Path("/proc/net/tcp6")
        if six.exists():
            self.assertFalse([x for x in six.read_text().splitlines()[1:] if x.split()[1].endswith(wanted)])

    def test_pages_of_other_origins_and_rebound_names_are_refused(self):
        self.serve("boxes.yaml")
        for origin in (
            None, "null", "https://example.org", "http://127.0.0.1", f"https://127.0.0.1:{self.port}",
            f"http://127.0.0.1:{self.port + 1}", f"http://127.0.0.1:{self.port}.example.org",
        ):
            self.assertEqual(self.open(origin=origin).status, 403, origin)
        self.assertEqual(self.open(host="example.org").status, 403)
        self.assertEqual(self.open(path="/other").status, 404)
        self.assertEqual(self.open(origin=f"http://localhost:{self.port}").status, 101)
        self.assertEqual(self.get(headers={"Host": "example.org"})[0], 403)
        self.assertEqual(self.get("/../etc/passwd")[0], 404)
        self.assertEqual(self.get(method="POST")[0], 405)
        self.assertEqual(self.get()[0], 200)

    def test_bytes_that_are_no_request_harm_nothing(self):
        self.serve("boxes.yaml")
        for junk in (b"\x00" * 100, b"GET / HTTP/1.1\r\n" + b"A: b\r\n" * 5000, b"hello\r\n\r\n"):
            with socket.create_connection(("127.0.0.1", self.port), timeout=LONGEST) as raw:
                try:
                    raw.sendall(junk)
                    raw.shutdown(socket.SHUT_WR)
                    while raw.recv(4096):
                        pass
                except OSError:
                    pass  # the server may break off at any point
        self.assertEqual(self.get()[0], 200)

    def in_own_temporary_folder(self):
        """The environment, and the folder, of a program whose temporary files nobody else sees."""
        temporary = self.folder / "temporary"
        temporary.mkdir()
        return {**os.environ, "TMPDIR": str(temporary)}, temporary

    def test_what_a_run_keeps_is_bounded_and_goes_with_a_reset(self):
        bodies = "".join(f"  - {{name: b{k}, shape: {{sphere: {{radius: 0.1}}}}, position: [{k}, 0, 9]}}\n" for k in range(500))
        (self.folder / "many.yaml").write_text(SCENE + bodies)
        environment, temporary = self.in_own_temporary_folder()
        self.serve("many.yaml", "--history", "4", environment=environment)
        web = self.open()
        web.hear_until(is_state)
        written = {}  # largest size seen of each file
        for _ in range(200):
            web.say(do="step", count=60)
            web.hear_until(is_state)
            sizes = {file: file.stat().st_size for file in temporary.rglob("*.h5")}
            written |= {file: max(size, written.get(file, 0)) for file, size in sizes.items()}
            # The limit, and what comes in the second between two commits of the open segment.
            self.assertLess(sum(sizes.values()), 12 * 2**20)
            if sum(written.values()) > 24 * 2**20:
                break
        self.assertGreater(sum(written.values()), 24 * 2**20, "the run was too short to reach the limit")
        web.say(do="reset")
        web.hear_until(is_state)
        self.assertEqual(len(list(temporary.rglob("live*.h5"))), 1, list(temporary.rglob("*.h5")))

    def test_what_a_killed_server_left_behind_goes_at_the_next_start(self):
        environment, temporary = self.in_own_temporary_folder()
        first = self.serve("boxes.yaml", environment=environment)
        second = self.serve("boxes.yaml", environment=environment)
        self.assertEqual(len(list(temporary.iterdir())), 2, "a running server's folder stays")
        first.kill()
        first.wait()
        self.serve("boxes.yaml", environment=environment)
        self.assertEqual(len(list(temporary.iterdir())), 2)
        second.send_signal(signal.SIGINT)
        second.wait()
        self.assertEqual(len(list(temporary.iterdir())), 1)

    def test_idle_connections_make_room_for_others(self):
        self.serve("boxes.yaml")
        idle = [socket.create_connection(("127.0.0.1", self.port)) for _ in range(64)]
        self.addCleanup(lambda: [one.close() for one in idle])
        answer = None
        for _ in range(100):  # connections beyond the limit are closed at once
            try:
                page = http.client.HTTPConnection("127.0.0.1", self.port, timeout=LONGEST)
                page.request("GET", "/")
                answer = page.getresponse().status
                break
            except (ConnectionError, http.client.HTTPException):
                time.sleep(0.2)
        self.assertEqual(answer, 200)

    def test_recording_is_served_as_a_page_that_plays(self):
        subprocess.run([PROGRAM, "run", "boxes.yaml", "-q", "--record", "run.h5"], cwd=self.folder, check=True)
        self.serve("run.h5")
        status, body, _ = self.get()
        self.assertEqual(status, 200)
        self.assertIn(b'"live":false', body)
        self.assertEqual(self.open().status, 404)

    def test_interrupt_ends_the_server_in_good_order(self):
        process = self.serve("boxes.yaml", "--run")
        web = self.open()
        web.hear_until(lambda m: isinstance(m, bytes))
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=LONGEST)
        self.assertEqual(process.returncode, 0)
        self.assertEqual(sorted(os.listdir(self.folder)), ["boxes.yaml"])

    def test_bad_input_is_said_before_anything_is_served(self):
        for arguments, status, word in (
            (["nowhere.yaml"], 2, "nowhere.yaml"), (["boxes.yaml", "--method", "magic"], 2, "magic"),
            (["boxes.yaml", "--port", "70000"], 2, "--port"),
        ):
            done = subprocess.run([PROGRAM, "view", *arguments], cwd=self.folder, capture_output=True, text=True)
            self.assertEqual(done.returncode, status)
            self.assertIn(word, done.stderr)
        self.serve("boxes.yaml")
        done = subprocess.run(
            [PROGRAM, "view", "boxes.yaml", "--port", str(self.port)], cwd=self.folder, capture_output=True, text=True
        )
        self.assertEqual(done.returncode, 1)
        self.assertIn(str(self.port), done.stderr)


if __name__ == "__main__":
    PROGRAM = str(pathlib.Path(sys.argv[1]).resolve())
    unittest.main(argv=[sys.argv[0], *sys.argv[2:]])
