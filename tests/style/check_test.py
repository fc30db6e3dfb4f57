"""The style check finds each fault it is there for, and only that."""

import pathlib
import tempfile
import unittest

import check
import internal_names
import measure

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

    def test_the_operating_system_is_known_to_one_module(self):
        for line in ("#include <sys/file.h>", "#include <unistd.h>", "#include <immintrin.h>", 'read("/proc/self/exe");'):
            self.assertEqual(len(self.findings("src/world/a.cpp", line + "\n")), 1, line)
            self.assertEqual(self.findings("src/platform/a.cpp", line + "\n"), [], line)
            self.assertEqual(self.findings("tests/world/a.cpp", line + "\n"), [], line)

    def test_rows_are_plain_data_for_solver_and_impact_alone(self):
        include = HEADER + '#include "constraint/row.hpp"\n'
        self.assertEqual(self.findings("src/impact/a.hpp", include), [])
        self.assertEqual(len(self.findings("src/graph/a.hpp", include)), 1)

    def test_public_headers_are_in_the_order_too(self):
        self.assertEqual(self.findings("src/world/a.cpp", "#include <achilles/scene.hpp>\n"), [])
        found = self.findings("src/collision/a.cpp", "#include <achilles/world.hpp>\n")
        self.assertEqual(len(found), 1)
        self.assertIn("world is to its right", found[0])

    def test_two_types_of_one_name_are_found_but_not_in_unnamed_namespaces(self):
        definition = "namespace achilles {\nstruct Patch {\n};\n}  // namespace achilles\n"
        hidden = "namespace achilles {\nnamespace {\nstruct Patch {\n};\n}  // namespace\n}  // namespace achilles\n"
        announced = "namespace achilles {\nstruct Patch;\n}  // namespace achilles\n"
        other = definition.replace("namespace achilles", "namespace achilles::other")
        found = list(check.check_types({"a.hpp": definition, "b.hpp": definition}))
        self.assertEqual(found, [("b.hpp", 2, "achilles::Patch is also defined in a.hpp:2")])
        for text in (hidden, announced, other):
            self.assertEqual(list(check.check_types({"a.hpp": definition, "b.hpp": text})), [], text)

    def test_methods_are_known_by_name_in_their_folder_alone(self):
        texts = {"src/methods/euler/spec.cpp": 'MethodSpec spec{.name = "explicit-euler"};'}
        methods = check.list_methods(texts)
        self.assertEqual(methods, {"explicit-euler"})
        line = 'if (name == "explicit-euler") return;'
        self.assertEqual(len(list(check.check_method_names("src/api/a.cpp", line, methods))), 1)
        self.assertEqual(list(check.check_method_names("src/methods/euler/a.cpp", line, methods)), [])
        self.assertEqual(list(check.check_method_names("src/api/a.cpp", "// " + line, methods)), [])

    def test_a_function_is_at_most_80_lines(self):
        def function(lines):
            return "void f(int x) {\n" + "  x = 1;\n" * (lines - 2) + "}\n"

        self.assertEqual(list(check.check_functions(function(80))), [])
        self.assertEqual(len(list(check.check_functions(function(81)))), 1)

    def test_a_folder_has_at_most_45_files(self):
        def files(count):
            return [f"src/math/{k}.hpp" for k in range(count)]

        self.assertEqual(list(check.check_folders(files(45))), [])
        self.assertEqual(len(list(check.check_folders(files(46)))), 1)

    def test_words_of_people_are_found_in_sources_and_pages(self):
        for line in ("// the caller is told nothing", "std::string say_hello();", "ask_page();", "hub->tell(x);"):
            for path in ("src/world/a.cpp", "src/world/a.hpp", "include/achilles/a.hpp", "apps/achilles/a.cpp", "docs/a.md"):
                self.assertEqual(len(list(check.check_words(path, line))), 1, path + ": " + line)
        for line in ("// the caller receives nothing", "mask_ask = task;", "stream.tellg();", "// whose body"):
            found = list(check.check_words("src/world/a.cpp", line))
            self.assertEqual(len(found), 1 if "_ask" in line else 0, line)
        self.assertEqual(list(check.check_words("docs/RESULTS.md", "the thesis says")), [])

    def test_a_page_names_code_and_files_that_exist(self):
        page = "`solve_groups` and `World::add_body`, `f(1)`, `src/a/b.cpp`, `a/b.cpp`, `soft-step`\n```\n`not_looked_at`\n```\n"
        words, files = {"add_body", "f"}, {"src/a/b.cpp"}
        self.assertEqual(list(check.check_named_code(page, words, files)), [(1, "`solve_groups` is in no source")])
        self.assertEqual(list(check.check_named_code("`a/c.cpp`", words, files)), [(1, "there is no file a/c.cpp")])

    def test_identifiers_with_a_standard_term_are_found_everywhere(self):
        self.assertEqual(len(list(check.check_words("apps/a.cpp", "see_families(x);"))), 1)
        self.assertEqual(list(check.check_words("apps/a.cpp", "see_families_of(x);")), [])

    def test_public_headers_include_no_internal_ones(self):
        self.assertEqual(len(list(check.check_public_header("include/achilles/a.hpp", '#include "world/b.hpp"'))), 1)
        self.assertEqual(list(check.check_public_header("include/achilles/a.hpp", "#include <achilles/b.hpp>")), [])
        self.assertEqual(list(check.check_public_header("src/world/a.hpp", '#include "world/b.hpp"')), [])

    def test_members_of_a_struct_are_its_own_variables(self):
        text = ("struct Outer {\n  int a = 0;\n  double b = 0, c = 0;\n  struct Inner {\n    int hidden = 0;\n  };\n"
                "  std::vector<int> list;\n  void f();\n  static constexpr int kMost = 3;\n};\n")
        self.assertEqual(dict((name, count) for count, name in measure.count_members(text)), {"Outer": 4, "Inner": 1})

    def test_lengths_of_functions_count_their_lines(self):
        text = "void f(int x) {\n  x = 1;\n}\n\nvoid g(int x) {\n  x = 1;\n  x = 2;\n}\n"
        self.assertEqual(list(measure.list_function_lengths(text)), [3, 4])

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

    def repeated(self, *texts):
        files = [(pathlib.Path(f"{k}.cpp"), f"namespace {{\n{text}\n}}\n") for k, text in enumerate(texts)]
        return [message for _, _, message in internal_names.repeated(files)]

    def test_a_name_is_internal_to_one_source_of_a_folder(self):
        for text in ["constexpr double kTop = 8;", "struct Side { int a; };", "int f(double x) { return x; }",
                     "template <class T>\nvoid f(const T& x) { if (x) { x(); } }", "constexpr int k = f(2);",
                     "constexpr auto kMost = std::size_t{1} << 20;"]:
            self.assertEqual(len(self.repeated(text, text)), 1, text)
            self.assertEqual(self.repeated(text), [], text)

    def test_overloads_and_equal_aliases_may_share_a_name(self):
        self.assertEqual(self.repeated("int f(double x) { return 0; }", "int f(const Vec3& x) { return 0; }"), [])
        self.assertEqual(self.repeated("using Json = a::b;", "using Json = a::b;"), [])
        self.assertEqual(len(self.repeated("using Json = a::b;", "using Json = a::c;")), 1)

    def test_values_do_not_count_as_names(self):
        self.assertEqual(self.repeated("constexpr auto a = int{1} << 20;", "constexpr auto b = int{1} << 20;"), [])

    def test_names_inside_bodies_are_nobody_elses(self):
        self.assertEqual(self.repeated("void f() { int a; }", "void g() { int a; }"), [])


if __name__ == "__main__":
    unittest.main()
