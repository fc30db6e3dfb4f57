"""The scripts install what is missing, and never remove a package.

apt-get, dpkg-query, sudo and id are programs of this test: they note how they are called, and report what a test states.
No other program is on the PATH than these and the few that scripts/setup.bash needs.

Usage: packages_test.py [unittest arguments]
"""

import os
import pathlib
import pty
import re
import shutil
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
NEEDED = ["bash", "dirname", "env", "grep", "paste", "sed"]

# Each line of `calls` is one call. `installed` and `plan` are the state of the machine and the outcome of a simulation.
STUBS = {
    "dpkg-query": """
while read -r status name; do
  for asked in "$@"; do
    [ "$name" != "$asked" ] || echo "$status  $name"
  done
done <$STATE/installed""",
    "apt-get": """
echo "apt-get $*" >>"$STATE/calls"
case " $* " in
  *' update '*) exit "${UPDATE_STATUS:-0}" ;;
  *' -s '*) echo "$PLAN"; exit "${PLAN_STATUS:-0}" ;;
  *' install '*)
    [ "${INSTALL_STATUS:-0}" -eq 0 ] || exit "$INSTALL_STATUS"
    for word in "$@"; do
      [ "$word" = "${NEVER_INSTALLED:-}" ] || echo "ii  $word" >>"$STATE/installed"
    done ;;
esac""",
    "sudo": 'echo "sudo" >>"$STATE/calls"; exec "$@"',
    "id": 'echo "$USER_NUMBER"',
}


class Machine:
    """A system with these packages, each `name` or `(status, name)`, seen by a user with this number."""

    def __init__(self, folder, installed, user=0, without=()):
        self.state = pathlib.Path(folder)
        programs = self.state / "programs"
        programs.mkdir()
        for name in NEEDED:
            (programs / name).symlink_to(shutil.which(name))
        for name, text in STUBS.items():
            if name in without:
                continue
            path = programs / name
            path.write_text(f"#!{shutil.which('bash')}\n{text.lstrip()}\n", encoding="utf-8")
            path.chmod(0o755)
        lines = [("ii", entry) if isinstance(entry, str) else entry for entry in installed]
        (self.state / "installed").write_text("".join(f"{status}  {name}\n" for status, name in lines), encoding="utf-8")
        self.environment = {"PATH": str(programs), "STATE": str(self.state), "USER_NUMBER": str(user), "PLAN": ""}

    def command(self, stages):
        return ["bash", "-c", f"source {ROOT}/scripts/setup.bash; ensure_packages {' '.join(stages)}; echo continues"]

    def ensure(self, *stages, **variables):
        return subprocess.run(self.command(stages), env={**self.environment, **variables}, capture_output=True, text=True,
                              stdin=subprocess.DEVNULL)

    def ensure_on_terminal(self, answer, *stages, **variables):
        """The exit status and what the terminal shows when its user types this answer."""
        process, terminal = pty.fork()
        if process == 0:
            os.execve(shutil.which("bash"), self.command(stages), {**self.environment, **variables})
        os.write(terminal, answer.encode() + b"\n")
        shown = b""
        try:
            while piece := os.read(terminal, 4096):
                shown += piece
        except OSError:
            pass  # Linux reports the end of the other side as an error
        os.close(terminal)
        return os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]), shown.decode()

    def calls(self):
        path = self.state / "calls"
        return path.read_text(encoding="utf-8").splitlines() if path.exists() else []


def packages_of(stage):
    lines = (ROOT / "packages.txt").read_text(encoding="utf-8").splitlines()
    return [line.split()[0] for line in lines if not line.startswith("#") and line.split()[1:2] == [stage]]


class Packages(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.names = packages_of("build")
        self.assertGreater(len(self.names), 10)

    def machine(self, missing, **options):
        return Machine(self.folder, [name for name in self.names if name not in missing], **options)

    def test_calls_nothing_when_nothing_is_missing(self):
        for user, without in ((0, ()), (1000, ("sudo", "apt-get"))):
            with self.subTest(user=user), tempfile.TemporaryDirectory() as self.folder:
                machine = self.machine([], user=user, without=without)
                done = machine.ensure("build")
                self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "continues\n", ""))
                self.assertEqual(machine.calls(), [])

    def test_a_package_held_at_its_version_is_installed(self):
        machine = Machine(self.folder, [("hi", name) for name in self.names])
        self.assertEqual(machine.ensure("build").returncode, 0)
        self.assertEqual(machine.calls(), [])

    def test_a_removed_package_whose_settings_stay_is_missing(self):
        machine = Machine(self.folder, [("rc", "cmake"), *(name for name in self.names if name != "cmake")])
        self.assertEqual(machine.ensure("build", PLAN="Inst cmake (3.25)").returncode, 0)
        self.assertTrue(machine.calls()[-1].endswith(" cmake"), machine.calls())

    def test_simulates_and_then_installs_what_is_missing_alone(self):
        machine = self.machine(["cmake", "libfmt-dev"])
        done = machine.ensure("build", PLAN="Inst cmake-data (3.25)\nInst cmake (3.25)\nInst libfmt-dev (9.1)\nConf cmake (3.25)")
        self.assertEqual((done.returncode, done.stdout), (0, "continues\n"), done.stderr)
        update, simulation, installation = machine.calls()
        self.assertTrue(update.endswith(" update"), update)
        self.assertIn(" -s install ", simulation)
        self.assertTrue(simulation.endswith(" cmake libfmt-dev"), simulation)
        self.assertNotIn(" -s ", installation)
        self.assertIn(" --no-remove ", installation)
        self.assertTrue(installation.endswith(" cmake libfmt-dev"), installation)
        self.assertIn("2 Debian packages are missing: cmake libfmt-dev", done.stderr)
        self.assertIn("installing 3 packages (with dependencies); none is removed", done.stderr)

    def test_refuses_an_installation_that_would_remove_a_package(self):
        machine = self.machine(["libboost-dev"])
        done = machine.ensure("build", PLAN="Remv siconos [4.4]\nRemv python3-scipy [1.10]\nInst libboost-dev (1.81)")
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertIn("installing libboost-dev would remove: siconos python3-scipy. Nothing was changed.", done.stderr)
        self.assertIn("ACHILLES_SKIP_PACKAGES=1", done.stderr)
        self.assertEqual([call for call in machine.calls() if " install " in call and " -s " not in call], [])

    def test_a_simulation_that_fails_changes_nothing(self):
        machine = self.machine(["cmake"])
        done = machine.ensure("build", PLAN="E: Unable to locate package cmake", PLAN_STATUS="100")
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertIn("E: Unable to locate package cmake", done.stderr)
        self.assertIn("nothing was changed", done.stderr)
        self.assertEqual([call for call in machine.calls() if " install " in call and " -s " not in call], [])

    def test_names_the_command_where_there_is_neither_root_nor_sudo(self):
        machine = self.machine(["cmake", "ninja-build"], user=1000, without=("sudo",))
        done = machine.ensure("build")
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertIn("neither root nor sudo here; as root: apt-get install --no-install-recommends --no-remove cmake ninja-build",
                      done.stderr)
        self.assertEqual(machine.calls(), [])

    def test_failing_lists_of_packages_only_warn(self):
        machine = self.machine(["cmake"])
        done = machine.ensure("build", UPDATE_STATUS="100", PLAN="Inst cmake (3.25)")
        self.assertEqual((done.returncode, done.stdout), (0, "continues\n"), done.stderr)
        self.assertIn("warning: 'apt-get update' failed", done.stderr)

    def test_a_failing_installation_is_an_error(self):
        machine = self.machine(["cmake"])
        done = machine.ensure("build", INSTALL_STATUS="100", PLAN="Inst cmake (3.25)")
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertIn("'apt-get install cmake' failed", done.stderr)

    def test_an_installation_that_leaves_a_package_out_is_an_error(self):
        machine = self.machine(["cmake", "libfmt-dev"])
        done = machine.ensure("build", NEVER_INSTALLED="libfmt-dev", PLAN="Inst cmake (3.25)")
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertIn("these packages are missing: libfmt-dev", done.stderr)

    def test_asks_on_a_terminal_before_it_uses_sudo(self):
        for answer, installs in (("n", False), ("", True)):
            with self.subTest(answer=answer), tempfile.TemporaryDirectory() as self.folder:
                machine = self.machine(["cmake"], user=1000)
                status, shown = machine.ensure_on_terminal(answer, "build", PLAN="Inst cmake (3.25)")
                self.assertIn("install them with sudo apt-get? [Y/n]", shown)
                self.assertEqual((status, "nothing was installed" in shown), (0, False) if installs else (1, True), shown)
                simulated = [call for call in machine.calls() if " -s " in call]
                self.assertEqual([call for call in machine.calls() if call == "sudo"], ["sudo", "sudo"] if installs else [])
                self.assertEqual(len(simulated), 1 if installs else 0)

    def test_names_the_packages_where_there_is_no_dpkg(self):
        done = self.machine(["cmake"], without=("dpkg-query",)).ensure("build")
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertIn("this system has no dpkg", done.stderr)
        for name in self.names:
            self.assertIn(f" {name} ", done.stderr)

    def test_leaves_packages_alone_when_the_user_wants_that(self):
        machine = self.machine(["cmake"])
        self.assertEqual(machine.ensure("build", ACHILLES_SKIP_PACKAGES="1").returncode, 0)
        self.assertEqual(machine.calls(), [])


class Names(unittest.TestCase):
    def test_no_name_has_a_version_of_one_release(self):
        # Such names (libboost1.81-dev, libstdc++-12-dev) are missing elsewhere or push out the default.
        names = [name for stage in ("build", "test", "check", "bench", "docs", "package") for name in packages_of(stage)]
        cross = (ROOT / "scripts" / "cross").read_text(encoding="utf-8")
        names += cross.partition("needed=(")[2].partition("; do")[0].split()
        self.assertIn("qemu-user", names)
        self.assertEqual([name for name in names if re.search(r"\d\.\d|-\d+(-|$)", name)], [])


if __name__ == "__main__":
    unittest.main(verbosity=2)
