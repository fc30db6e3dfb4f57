"""The race as its user meets it: what it refuses, and how; what it writes.

Usage: bench_test.py PROGRAM [unittest arguments]
"""

import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

PROGRAM = None
SHORT = ["--scenes", "pit-200", "--engines", "shock", "--steps", "20", "--untimed", "5"]


class Bench(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def call(self, *arguments, status=0):
        done = subprocess.run([PROGRAM, *arguments], cwd=self.folder, capture_output=True, text=True)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        return done

    def test_bad_input_is_refused_before_anything_runs(self):
        for arguments, words in [
            (["--scenes", "nope"], ("--scenes", "nope", "pit-200")),
            (["--engines", "nope"], ("--engines", "nope", "shock")),
            (["--steps", "5"], ("--steps", "20")),
            (["--option", "nope=3"], ("--option", "nope", "iterations")),
            (["--option", "iterations=abc"], ("--option", "iterations=abc", "allowed")),
            (["--option", "iterations=-1"], ("--option", "iterations=-1", "allowed")),
            (["--option", "iterations"], ("--option", "iterations", "allowed")),
            (["--page", "nowhere/page.html"], ("--page", "nowhere")),
            (["--json", "nowhere/figures.json"], ("--json", "nowhere")),
        ]:
            done = self.call(*SHORT, *arguments, status=2)
            for word in words:
                self.assertIn(word, done.stderr)
            self.assertEqual(done.stdout, "")

    def test_help_names_the_command_that_was_given(self):
        self.assertIn("achilles bench [OPTIONS]", self.call("--help").stdout)

    def test_figures_and_page_are_written_and_said(self):
        # `substeps` is soft-step's alone: shock-propagation runs as it is.
        done = self.call(*SHORT, "--option", "substeps=4", "--page", "page.html", "--json", "figures.json")
        self.assertIn("wrote page.html", done.stdout)
        (row,) = json.loads((self.folder / "figures.json").read_text())
        self.assertEqual((row["scene"], row["engine"]), ("pit-200", "shock"))
        page = (self.folder / "page.html").read_text()
        for word in ("pit-200", "20 steps", "substeps=4", "mean depth"):
            self.assertIn(word, page)


if __name__ == "__main__":
    PROGRAM = str(pathlib.Path(sys.argv.pop(1)).resolve())
    unittest.main(argv=sys.argv)
