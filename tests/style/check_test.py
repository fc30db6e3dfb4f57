"""The style check finds each fault it is there for, and only that."""

import pathlib
import tempfile
import unittest

import check

HEADER = "#pragma once\n"


class StyleCheck(unittest.TestCase):
    def findings(self, path, text, works=None):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            file = root / path
            file.parent.mkdir(parents=True)
            file.write_text(text, encoding="utf-8")
            return [message for _, message in check.check_file(file, root, works)]

    def test_a_module_may_include_those_to_its_left(self):
        self.assertEqual(self.findings("src/world/a.hpp", HEADER + '#include "math/b.hpp"\n'), [])

    def test_a_module_may_not_include_those_to_its_right(self):
        found = self.findings("src/geometry/a.hpp", HEADER + '#include "world/b.hpp"\n')
        self.assertEqual(len(found), 1)
        self.assertIn("world is to its right", found[0])

    def test_rows_are_plain_data_for_solver_and_impact_alone(self):
        include = HEADER + '#include "constraint/row.hpp"\n'
        self.assertEqual(self.findings("src/impact/a.hpp", include), [])
        self.assertEqual(len(self.findings("src/graph/a.hpp", include)), 1)

    def test_a_header_needs_its_guard(self):
        self.assertEqual(self.findings("include/achilles/a.hpp", "int a;\n"), ["header without #pragma once"])

    def test_a_file_is_at_most_450_lines(self):
        self.assertEqual(self.findings("src/math/a.cpp", "\n" * 449), [])
        self.assertEqual(len(self.findings("src/math/a.cpp", "\n" * 450)), 1)

    def test_paths_of_a_machine_and_unfinished_work_are_found(self):
        for line in ["// see /" + "home/someone/file", "// TO" + "DO: later", "#if" + " 0"]:
            self.assertEqual(len(self.findings("src/math/a.cpp", line + "\n")), 1, line)

    def test_a_cited_work_is_in_the_references(self):
        for line in ["// [Nobody99]", "// as in [Nobody99, eq. 3]"]:
            self.assertEqual(len(self.findings("src/math/a.cpp", line + "\n", {"Erleben04"})), 1, line)
        self.assertEqual(self.findings("src/math/a.cpp", "// [Erleben04, fig. 2]\n", {"Erleben04"}), [])


if __name__ == "__main__":
    unittest.main()
