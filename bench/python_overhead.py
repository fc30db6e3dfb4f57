"""What Python adds to the library: the import, a call of step(), and a run of a sweep. Other processes disturb wall time,
so that calls take the best of many in turn, and the import and the sweep are counted in processor time.

  python3 bench/python_overhead.py [RUNS]      RUNS of the sweep, 10,000 unless given
"""

import os
import pathlib
import resource
import subprocess
import sys
import tempfile
import threading
import time

import achilles

SCENE = """achilles: 1
time: {step: 0.01, duration: 0.1}
method: lcp-fixed
materials: {default: {friction: 0.3}}
bodies:
  - {name: ground, kind: fixed, shape: {plane: {normal: [0, 0, 1]}}}
  - {name: box, shape: {box: {size: [1, 1, 1]}}, mass: 1, position: [0, 0, 0.5], velocity: [2, 0, 0]}
"""
STUDY = """achilles_study: 1
scene: box.yaml
vary: {materials.default.friction: {range: [0.1, 0.9], count: COUNT}}
keep: {figures: [energy.final, penetration.max]}
"""


def measure_import():
    code = "import time; began = time.process_time(); import achilles; print(time.process_time() - began)"
    seconds = min(float(subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout)
                  for _ in range(7))
    print(f"import achilles: {1e3 * seconds:.1f} ms of processor time")


def measure_step(watch):
    sim = achilles.Simulation(achilles.Scene(gravity=(0, 0, 0)).add_sphere("ball", radius=0.1), watch=watch)
    step, calls, loops = sim.step, [], []
    for _ in range(200):
        began = time.perf_counter()
        sim.step(1000)  # a loop in C++
        loops.append(time.perf_counter() - began)
        began = time.perf_counter()
        for _ in range(1000):
            step()
        calls.append(time.perf_counter() - began)
    loop, call = min(loops), min(calls)
    kind = "watched" if watch else "not watched"
    print(f"one body, {kind}: {1e3 * loop:.3f} us per step in C++, {1e3 * call:.3f} us per call of step(): "
          f"{1e3 * (call - loop):.3f} us more")


def measure_read():
    scene = achilles.Scene(gravity=(0, 0, 0)).add_sphere(
        "ball", radius=0.1, repeat={"count": (10_000, 1, 1), "spacing": (1, 0, 0)})
    sim = achilles.Simulation(scene, watch=False)
    sim.position  # loads NumPy
    began = time.perf_counter()
    addresses = {sim.position.__array_interface__["data"][0] for _ in range(1000)}
    each = (time.perf_counter() - began) / 1000
    print(f"10,000 positions: {1e6 * each:.2f} us per read, {len(addresses)} address")


def processor_seconds():
    return sum(sum(resource.getrusage(who)[:2]) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))


class Memory(threading.Thread):
    """The resident memory of this process and its children, over time."""

    def __init__(self):
        super().__init__(daemon=True)
        self.samples, self.ended = [], threading.Event()

    @staticmethod
    def resident(process):
        text = pathlib.Path(f"/proc/{process}/status").read_text()
        return int(text.split("VmRSS:")[1].split()[0]) / 1024

    def run(self):
        while not self.ended.wait(0.25):
            try:
                children = pathlib.Path(f"/proc/self/task/{os.getpid()}/children").read_text().split()
                self.samples.append((self.resident("self"), max(map(self.resident, children))))
            except (OSError, ValueError, IndexError):
                continue  # a process ended meanwhile


def measure_sweep(runs):
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        (folder / "box.yaml").write_text(SCENE)
        (folder / "study.yaml").write_text(STUDY.replace("COUNT", str(runs)))
        alone = 500
        began = processor_seconds()
        for k in range(alone):
            achilles.run(achilles.load(folder / "box.yaml", {"materials.default.friction": 0.1 + 0.8 * k / alone}))
        itself = (processor_seconds() - began) / alone
        memory = Memory()
        memory.start()
        began, wall = processor_seconds(), time.perf_counter()
        results = achilles.sweep(folder / "study.yaml", folder / "out")
        used, wall = (processor_seconds() - began) / runs, time.perf_counter() - wall
        memory.ended.set()
        assert results.count_statuses() == {"done": runs}
        table = folder / "out" / "results.h5"
        size = f", {table.stat().st_size / 1e6:.1f} MB of results" if table.exists() else ""
    print(f"{runs} runs in {wall:.1f} s on {os.cpu_count()} cores{size}: {1e3 * itself:.2f} ms of processor time for a run "
          f"itself, {1e3 * used:.2f} ms for one of the sweep, {1e3 * (used - itself):.2f} ms more")
    for name, column in (("coordinator", 0), ("largest worker", 1)):
        taken = [sample[column] for sample in memory.samples]
        marks = [taken[min(len(taken) - 1, len(taken) * k // 10)] for k in (1, 3, 5, 7, 9)]
        print(f"  memory of the {name} after 10, 30, 50, 70, 90 % of the time: "
              + ", ".join(f"{mark:.1f}" for mark in marks) + " MB")


if __name__ == "__main__":
    measure_import()
    for watch in (True, False):
        measure_step(watch)
    measure_read()
    measure_sweep(int(sys.argv[1]) if len(sys.argv) > 1 else 10_000)
