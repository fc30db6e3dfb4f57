"""The documentation holds: links lead somewhere, commands and code blocks work, generated parts are up to date.

Usage: docs_test.py PROGRAM COMPILER [unittest arguments]

ACHILLES_BENCH_ENGINES names a built `bench_engines`; without it the race's commands are checked for their options alone.

A block that cannot run here is preceded by `<!-- not run: reason -->`. Of other blocks
  - shell blocks run line by line in a copy of the tree's scenes, `./achilles` being PROGRAM; a line of another program
    needs `not run`, too. Blocks of one page share one folder, so that later ones find the files of earlier ones.
  - yaml blocks are whole scenes without errors; they may use what their method does not take into account;
  - cpp blocks that are whole programs stand in a file of the repository, which other tests build; others are compiled;
  - python blocks after `<!-- test: needs run.h5 -->` run beside such a recording;
  - blocks without a language that hold no command are output and are not looked at.
"""

import os
import pathlib
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest
import urllib.request

PROGRAM = COMPILER = None
ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/*.md"), *ROOT.glob("examples/*.md")])
LONGEST = 900  # [s] of one command
OFFER = re.compile(r"^(?:\./)?achilles (\S+)")
# What a link to another site may look like.
SITE = re.compile(r"https://(?:[a-z0-9-]+\.)+[a-z]{2,}(?::\d+)?(?:/[\w.~%+@=&,;:!$*'()#?/-]*)?")
DOI = re.compile(r"10\.\d{4,9}/[\w.()/:;<>-]+")
# Commands that take minutes, or that no answer ends, run for real with less work: command -> (pattern, what it becomes).
SMALL = {
    "reproduce": (r"(?<=reproduce) .*?(?= --|$)", " V6"),
    "soak": (r"$", " --count 1 --seconds 20 --no-reduce"),
    "render": (r"$", " --size 240x135"),
    "bench": (r"--scenes \S+", "--scenes pit-200 --engines shock --steps 20 --untimed 5"),
}


class Block:
    def __init__(self, language, text, line, note):
        self.language, self.text, self.line, self.note = language, text, line, note


def read_blocks(page):
    blocks, lines, note = [], page.read_text(encoding="utf-8").splitlines(), ""
    number = 0
    while number < len(lines):
        line = lines[number]
        if line.startswith("```"):
            end = next(k for k in range(number + 1, len(lines)) if lines[k].startswith("```"))
            blocks.append(Block(line[3:].strip(), "\n".join(lines[number + 1:end]) + "\n", number + 1, note))
            number, note = end, ""
        elif line.startswith("<!--"):
            note = line
        elif line.strip():
            note = ""
        number += 1
    return blocks


def name_of(page):
    return str(page.relative_to(ROOT))


def anchors_of(page):
    """As GitHub and mkdocs make them of headings."""
    text = re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
    found = set()
    for heading in re.findall(r"^#+ (.*)$", text, re.MULTILINE):
        plain = re.sub(r"[`*]|\[([^\]]*)\]\([^)]*\)", r"\1", heading).strip().lower()
        found.add(re.sub(r"[^\w\- ]", "", plain).replace(" ", "-"))
    return found


class Links(unittest.TestCase):
    def test_every_link_leads_to_a_file_and_every_anchor_to_a_heading(self):
        wrong = []
        for page in PAGES:
            text = re.sub(r"```.*?```|`[^`\n]*`", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
            for link in re.findall(r"\]\(([^)\s]+)\)", text):
                if "://" in link or link.startswith("mailto:"):
                    continue
                path, _, anchor = link.partition("#")
                target = (page.parent / path).resolve() if path else page
                if not target.exists():
                    wrong.append(f"{name_of(page)}: {link}")
                elif anchor and anchor not in anchors_of(target):
                    wrong.append(f"{name_of(page)}: no heading for {link}")
        self.assertEqual(wrong, [])

    def test_links_to_other_sites_are_whole_addresses(self):
        wrong = []
        for page in PAGES:
            text = re.sub(r"```.*?```|`[^`\n]*`", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
            addresses = re.findall(r"\]\(([a-z]+:[^)\s]*)[^)]*\)", text) + re.findall(r"<([a-z]+://[^>]*)>", text)
            wrong += [f"{name_of(page)}: {address}" for address in addresses
                      if not SITE.fullmatch(address) and not re.fullmatch(r"mailto:[\w.+-]+@[\w-]+\.[\w.-]+", address)]
            # A link whose bracket never closes, or that a space cuts, is shown as text.
            wrong += [f"{name_of(page)}: {link}" for link in re.findall(r"\]\([^)\n]*$|\]\([^)\n\"]* [^)\n\"]*\)", text, re.MULTILINE)]
        works = (ROOT / "docs" / "references.bib").read_text(encoding="utf-8")
        wrong += [f"references.bib: {doi}" for doi in re.findall(r"\bdoi\s*=\s*\{([^}]*)\}", works) if not DOI.fullmatch(doi)]
        wrong += [f"references.bib: {url}" for url in re.findall(r"(?:\\url|\burl\s*=\s*)\{([^}]*)\}", works) if not SITE.fullmatch(url)]
        self.assertEqual(wrong, [])

    def test_every_page_is_linked_from_another(self):
        # The navigation of the site counts.
        named = re.findall(r'"([\w/-]+\.md)"', (ROOT / "scripts" / "docs").read_text(encoding="utf-8").split("def ")[0])
        linked = {ROOT / name for name in named}
        for page in PAGES:
            for link in re.findall(r"\]\(([^)#\s]+)", page.read_text(encoding="utf-8")):
                if "://" not in link:
                    linked.add((page.parent / link).resolve())
        self.assertEqual([name_of(page) for page in PAGES if page not in linked and page.name != "README.md"], [])
        self.assertEqual([name for name in named if named.count(name) > 1], [], "twice in the navigation")


class Changelog(unittest.TestCase):
    def test_no_entry_of_a_version_occurs_twice(self):
        # A merge of two branches keeps the entries of both, so that one that moved stays in its old place as well.
        for version in re.split(r"^## ", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]:
            entries = [" ".join(entry.split()) for entry in re.findall(r"^- (.*(?:\n  .*)*)", version, re.MULTILINE)]
            begins = [entry[:60] for entry in entries]
            self.assertEqual([begin for begin in set(begins) if begins.count(begin) > 1], [], version.partition("\n")[0])


class Generated(unittest.TestCase):
    def test_generated_parts_are_up_to_date(self):
        done = subprocess.run([sys.executable, ROOT / "scripts" / "docs", "check"], capture_output=True, text=True,
                              env={**os.environ, "ACHILLES_PROGRAM": PROGRAM})
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)


class Blocks(unittest.TestCase):
    def folder_like_the_tree(self, folder):
        for part in ("scenes", "examples", "docs"):
            (folder / part).symlink_to(ROOT / part)
        for scene in (ROOT / "docs" / "examples").glob("*.yaml"):
            shutil.copyfile(scene, folder / scene.name)
        (folder / "achilles").symlink_to(PROGRAM)
        for name in ("my_scene.yaml", "scene.yaml", "SCENE"):  # what the pages call a scene of the reader's own
            (folder / name).symlink_to(ROOT / "scenes" / "gallery" / "first.yaml")
        return folder

    def open_page(self, command, folder, where):
        """`view` until its page has come, then what Ctrl-C does."""
        process = subprocess.Popen(shlex.split(command), cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        try:
            address = re.search(r"http://127\.0\.0\.1:\d+/", process.stdout.readline())
            self.assertIsNotNone(address, f"{where}: {command} prints no address")
            with urllib.request.urlopen(address.group(), timeout=60) as answer:
                self.assertEqual(answer.status, 200, where)
                self.assertIn("html", answer.headers["Content-Type"], where)
            process.send_signal(signal.SIGINT)
            said = process.communicate(timeout=60)[1]
            self.assertEqual(process.returncode, 0, f"{where}: {command}\n{said}")
        finally:
            process.kill()
            process.communicate()

    def check_options(self, command, where):
        """Of the race of engines, which is a program of its own: whether its source knows the options of a command."""
        source = (ROOT / "bench" / "engines" / "main.cpp").read_text(encoding="utf-8")
        for option in re.findall(r" (--[\w-]+)", command):
            self.assertRegex(source, rf'"[^"]*{option}\b', f"{where}: bench has no {option}")

    def run_command(self, line, folder, where):
        # Comments at the end of a line are for the reader.
        command = re.sub(r"\s+#.*$", "", line)
        command = re.sub(r"^achilles ", "./achilles ", command)
        word = command.split()[1]
        if word == "view":
            self.open_page(command, folder, where)
            return
        if word in SMALL:
            command = re.sub(*SMALL[word], command, count=1)
        environment = {**os.environ, "PATH": f"{folder}:{os.environ['PATH']}"}
        if word == "bench":
            self.check_options(command, where)
            if "ACHILLES_BENCH_ENGINES" not in environment:
                return
            command = command.replace("./achilles bench", "$ACHILLES_BENCH_ENGINES")
        began = time.monotonic()
        done = subprocess.run(["bash", "-c", command], cwd=folder, capture_output=True, text=True, timeout=LONGEST,
                              env=environment, stdin=subprocess.DEVNULL)
        print(f"{time.monotonic() - began:5.1f} s  {where}: {command}", file=sys.stderr)
        self.assertEqual(done.returncode, 0, f"{where}: {line}\n{done.stdout[-2000:]}{done.stderr[-2000:]}")

    def test_commands_work(self):
        commands = 0
        for page in PAGES:
            blocks = [block for block in read_blocks(page) if block.language in ("", "sh", "bash")]
            blocks = [block for block in blocks if OFFER.search(block.text) or block.language]
            if not blocks or page.name == "CHANGELOG.md":
                continue
            with tempfile.TemporaryDirectory() as name:
                folder = self.folder_like_the_tree(pathlib.Path(name))
                for block in blocks:
                    if "not run:" in block.note:
                        continue
                    for line in block.text.splitlines():
                        where = f"{name_of(page)}:{block.line}"
                        if not line.strip() or line.startswith((" ", "#")):
                            continue
                        script = ROOT / line.split()[0]
                        if script.name != "achilles" and script.is_file():
                            continue  # a script of the repository: whole builds and test runs of their own
                        self.assertRegex(line, OFFER, f"{where}: mark what is not a command of achilles as not run")
                        if "[OPTIONS]" not in line:
                            self.run_command(line, folder, where)
                            commands += 1
        self.assertGreater(commands, 30)

    def test_commands_in_sentences_and_tables_exist_with_their_options(self):
        helps, checked = {}, 0
        with tempfile.TemporaryDirectory() as name:
            folder = self.folder_like_the_tree(pathlib.Path(name))
            for page in PAGES:
                if page.name == "CHANGELOG.md":
                    continue  # history: what was there when it was written
                text = re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
                for command in re.findall(r"`(?:\./)?(achilles [a-z][^`\n]*)`", text):
                    where, word = f"{name_of(page)}: {command}", command.split()[1]
                    checked += 1
                    if word == "bench":
                        self.check_options(command, where)
                        continue
                    if word not in helps:
                        helps[word] = subprocess.run([PROGRAM, word, "--help"], capture_output=True, text=True)
                    self.assertEqual(helps[word].returncode, 0, f"{where}: there is no such command")
                    known = set(re.findall(r"(?<![\w-])--?[a-z][\w-]*", helps[word].stdout))
                    used = re.findall(r" (--?[a-z][\w-]*)", command)
                    self.assertEqual([option for option in used if option not in known], [], where)
            # Shown in no block of their own.
            for command in ("./achilles reproduce all --markdown results.md", "./achilles soak examples/scenes/pendulum.yaml"):
                self.run_command(command, folder, "small")
            self.assertIn("V6", (folder / "results.md").read_text(encoding="utf-8"))
        self.assertGreater(checked, 20)

    def test_names_of_the_library_exist(self):
        headers = "\n".join(path.read_text(encoding="utf-8") for path in ROOT.glob("include/achilles/*.hpp"))
        words = set(re.findall(r"\b[a-z]\w*\b|\b[A-Z]\w*\b", headers))
        table = [line for line in (ROOT / "docs" / "api.md").read_text(encoding="utf-8").splitlines() if line.startswith("| ")]
        self.assertGreater(len(table), 15)
        for line in table:
            for code in re.findall(r"`([^`]*)`", line):
                code = re.sub(r'"[^"]*"|<[^>]*>|\.h5', "", code)
                unknown = [word for word in re.findall(r"[A-Za-z_]\w{3,}", code)
                           if word not in words and word not in ("copy", "view", "recorder", "name")]
                self.assertEqual(unknown, [], line)

    def test_scenes_have_no_errors(self):
        with tempfile.TemporaryDirectory() as folder:
            scenes = 0
            for page in PAGES:
                for block in read_blocks(page):
                    if block.language != "yaml" or "not run:" in block.note:
                        continue
                    where = f"{name_of(page)}:{block.line}"
                    self.assertTrue(block.text.startswith("achilles:"), f"{where}: not a whole scene; mark it as not run")
                    path = pathlib.Path(folder, "scene.yaml")
                    path.write_text(block.text, encoding="utf-8")
                    done = subprocess.run([PROGRAM, "check", str(path)], capture_output=True, text=True)
                    errors = [line for line in done.stderr.splitlines() if ": error: " in line]
                    wrong = [line for line in errors if not re.search(r": error: method: method \S+ has no ", line)]
                    self.assertEqual(wrong, [], where)
                    self.assertIn(done.returncode, (0, 2), f"{where}\n{done.stderr}")
                    scenes += 1
            self.assertGreater(scenes, 5)

    def test_code_is_that_of_a_tested_file_or_compiles(self):
        sources = {path.read_text(encoding="utf-8") for path in ROOT.glob("docs/examples/*/*.cpp")}
        sources |= {path.read_text(encoding="utf-8") for path in ROOT.glob("examples/programs/*.cpp")}
        units = []
        for page in PAGES:
            for block in read_blocks(page):
                if block.language != "cpp" or "not run:" in block.note or block.text in sources:
                    continue
                text = block.text.replace("{ ... }", "{}")
                where = f'#line {block.line + 1} "{page}"\n'
                if "\nnamespace" not in text and "#include" not in text.partition("\n")[2]:
                    includes, body = re.match(r"((?:#include[^\n]*\n)*)(.*)", text, re.DOTALL).groups()
                    head = "void block(achilles::Simulation& simulation) {\n" if "Simulation simulation" not in body else "void block() {\n"
                    text = f"{includes}#include <achilles/achilles.hpp>\n{head}{where}{body}}}\n"
                units.append(text)
        with tempfile.TemporaryDirectory() as folder:
            for number, text in enumerate(units):
                path = pathlib.Path(folder, f"block{number}.cpp")
                path.write_text(text, encoding="utf-8")
                done = subprocess.run([COMPILER, "-std=c++20", "-fsyntax-only", "-I", ROOT / "include", "-I", ROOT / "src", "-isystem",
                                       "/usr/include/eigen3", path], capture_output=True, text=True)
                self.assertEqual(done.returncode, 0, f"{text}\n{done.stderr[:3000]}")

    def test_python_runs(self):
        try:
            import h5py  # noqa: F401
        except ImportError:
            self.skipTest("h5py is not installed (Debian: python3-h5py)")
        with tempfile.TemporaryDirectory() as name:
            folder = self.folder_like_the_tree(pathlib.Path(name))
            self.run_command("./achilles run scenes/gallery/first.yaml --record run.h5 -d 1", folder, "recording")
            for page in PAGES:
                for block in read_blocks(page):
                    if block.language != "python" or "needs run.h5" not in block.note:
                        continue
                    done = subprocess.run([sys.executable, "-c", block.text], cwd=folder, capture_output=True, text=True)
                    self.assertEqual(done.returncode, 0, f"{name_of(page)}:{block.line}\n{done.stderr}")


class Manual(unittest.TestCase):
    def call(self, *arguments):
        return subprocess.run([PROGRAM, "manual", *arguments], capture_output=True, text=True, check=True).stdout

    def test_completions_are_read_by_their_shells(self):
        for shell, arguments in (("bash", ["bash", "-n"]), ("zsh", ["zsh", "-n"]), ("fish", ["fish", "-n"])):
            with tempfile.NamedTemporaryFile("w", suffix=f".{shell}") as file:
                file.write(self.call(shell))
                file.flush()
                if shutil.which(shell):
                    done = subprocess.run([*arguments, file.name], capture_output=True, text=True)
                    self.assertEqual((done.returncode, done.stderr), (0, ""), shell)

    def test_bash_completes_commands_options_and_names(self):
        script = self.call("bash") + """
ask() { COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _achilles; printf '%s\\n' "${COMPREPLY[*]}"; }
ask achilles cert
ask achilles run --rep
ask achilles run x.yaml --method soft
ask achilles joints hinge
"""
        said = subprocess.run(["bash", "-c", script], capture_output=True, text=True, check=True).stdout.split("\n")
        self.assertEqual(said[:4], ["certify", "--report", "soft-step", "hinge hinge2"])

    def test_every_command_has_a_manual_page(self):
        with tempfile.TemporaryDirectory() as folder:
            self.call("man", "--output", folder)
            help_text = subprocess.run([PROGRAM, "--help"], capture_output=True, text=True).stdout
            commands = re.findall(r"^  (\w+)  ", help_text.partition("Subcommands:")[2], re.MULTILINE)
            self.assertGreater(len(commands), 15)
            for command in commands:
                page = pathlib.Path(folder, f"achilles-{command}.1").read_text(encoding="utf-8")
                self.assertTrue(page.startswith(".TH ACHILLES\\-" + command.upper()), page[:80])
                self.assertIn("\\fB\\-\\-help\\fR", page)


if __name__ == "__main__":
    PROGRAM, COMPILER = os.path.abspath(sys.argv.pop(1)), sys.argv.pop(1)
    unittest.main(verbosity=2)
