"""docs/RESULTS.md claims what the project claims: the verdicts and the clauses that reproduce_test.py finds on a run.

Usage: results_test.py RESULTS.md
"""

import pathlib
import sys
import unittest

import reproduce_test

RESULTS = None


class Results(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.table = RESULTS.read_text()

    def test_every_experiment_is_there_once(self):
        reproduce_test.check_names(self, self.table)

    def test_verdicts_are_those_of_a_run(self):
        reproduce_test.check_verdicts(self, self.table)

    def test_clauses_that_differ_are_those_of_a_run(self):
        reproduce_test.check_clauses(self, self.table)


if __name__ == "__main__":
    RESULTS = pathlib.Path(sys.argv.pop(1))
    unittest.main(verbosity=1)
