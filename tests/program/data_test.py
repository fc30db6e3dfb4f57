"""The library and the program find their data in the prefix that they are installed in, wherever it is moved.

Each test lays out an installation of its own in a folder outside of the source tree.

Usage: data_test.py PROGRAM_WITH_SHARED_LIBRARY PROGRAM_WITHOUT LIBRARY LIBDIR CONFIGURED_FOLDER [unittest arguments]
"""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

SHARED = STATIC = LIBRARY = LIBDIR = CONFIGURED = None


class Data(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name).resolve()
        shutil.rmtree(CONFIGURED, ignore_errors=True)
        self.addCleanup(shutil.rmtree, CONFIGURED, ignore_errors=True)

    def lay(self, source, place):
        target = self.folder / place
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(source, target)
        return target

    def template(self, place):
        path = self.folder / place  # an absolute place stays as it is
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("<html></html>", encoding="utf-8")
        return str(path)

    def found_by(self, program, prefix="prefix", name=None):
        """What the program prints when libraries of this prefix are loaded; `name`: as it is called."""
        done = subprocess.run([name or program], executable=program, capture_output=True, text=True, cwd=self.folder,
                              env={**os.environ, "LD_LIBRARY_PATH": str(self.folder / prefix / LIBDIR)})
        self.assertEqual(done.stderr, "")
        self.assertEqual(done.returncode == 0, done.stdout != "")
        return done.stdout.strip()

    def test_a_program_elsewhere_gets_the_data_of_its_shared_library(self):
        self.lay(LIBRARY, f"prefix/{LIBDIR}/{LIBRARY.name}")
        program = self.lay(SHARED, "elsewhere/program")
        self.assertEqual(self.found_by(program), "")
        template = self.template("prefix/share/achilles/template.html")
        self.assertEqual(self.found_by(program), template)

    def test_a_prefix_moves_as_a_whole(self):
        self.lay(LIBRARY, f"prefix/{LIBDIR}/{LIBRARY.name}")
        self.template("prefix/share/achilles/template.html")
        program = self.lay(SHARED, "elsewhere/program")
        (self.folder / "prefix").rename(self.folder / "moved")
        self.assertEqual(self.found_by(program, "moved"), str(self.folder / "moved/share/achilles/template.html"))

    def test_a_link_to_the_library_leads_to_its_prefix(self):
        real = self.lay(LIBRARY, f"prefix/{LIBDIR}/{LIBRARY.name}")
        template = self.template("prefix/share/achilles/template.html")
        program = self.lay(SHARED, "elsewhere/program")
        link = self.folder / "other" / LIBDIR / LIBRARY.name
        link.parent.mkdir(parents=True)
        link.symlink_to(real)
        self.assertEqual(self.found_by(program, "other"), template)

    def test_the_prefix_of_the_program_comes_first(self):
        self.lay(LIBRARY, f"prefix/{LIBDIR}/{LIBRARY.name}")
        self.template("prefix/share/achilles/template.html")
        template = self.template("elsewhere/share/achilles/template.html")
        self.assertEqual(self.found_by(self.lay(SHARED, "elsewhere/bin/program")), template)

    def test_a_static_library_gives_the_data_of_the_configured_prefix(self):
        program = self.lay(STATIC, "elsewhere/bin/program")
        self.assertEqual(self.found_by(program), "")
        template = self.template(CONFIGURED / "template.html")
        self.assertEqual(self.found_by(program), template)
        nearer = self.template("elsewhere/share/achilles/template.html")
        self.assertEqual(self.found_by(program), nearer)

    def test_a_program_in_a_build_folder_gets_the_data_of_the_source_tree(self):
        for number, program in enumerate((SHARED, STATIC)):
            self.lay(LIBRARY, f"prefix/{LIBDIR}/{LIBRARY.name}")
            template = self.template(f"tree{number}/viewer/dist/template.html")
            self.assertEqual(self.found_by(self.lay(program, f"tree{number}/build/apps/program")), template)

    def test_a_program_called_without_its_folder_is_no_library(self):
        # The loader then gives the program the name that it was called by: no file of that name in the present folder counts.
        program = self.lay(STATIC, "elsewhere/bin/program")
        self.lay(STATIC, "program")
        self.template("viewer/dist/template.html")
        outside = self.folder / "elsewhere"
        outside.rename(self.folder.parent / f"{self.folder.name}-outside")
        program = self.folder.parent / f"{self.folder.name}-outside" / "bin" / "program"
        self.addCleanup(shutil.rmtree, program.parent.parent)
        self.assertEqual(self.found_by(program, name="program"), "")


if __name__ == "__main__":
    SHARED, STATIC, LIBRARY = (pathlib.Path(sys.argv.pop(1)).resolve() for _ in range(3))
    LIBDIR = sys.argv.pop(1)
    CONFIGURED = pathlib.Path(sys.argv.pop(1))
    unittest.main(verbosity=2)
