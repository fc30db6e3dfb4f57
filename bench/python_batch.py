"""Steps per second of a Batch of 1,024 carts with poles on one and two threads, in turn, and of MuJoCo's rollout on the
same model and step where the package `mujoco` is installed. Run it on idle cores: all numbers are the best of several.
"""

import time

import numpy as np

import achilles

COUNT, STEPS, STEP, REPEATS = 1024, 20, 0.01, 7

MODEL = f"""
<mujoco>
  <option timestep="{STEP}" gravity="0 0 -9.81"/>
  <worldbody>
    <body name="cart">
      <joint name="rail" type="slide" axis="1 0 0"/>
      <geom type="box" size="0.25 0.15 0.1" mass="1" contype="0" conaffinity="0"/>
      <body name="pole">
        <joint name="pivot" type="hinge" axis="0 1 0"/>
        <geom type="box" size="0.025 0.025 0.5" pos="0 0 0.5" mass="0.1" contype="0" conaffinity="0"/>
      </body>
    </body>
  </worldbody>
</mujoco>
"""


def make_scene():
    scene = achilles.Scene("cart and pole", step=STEP)
    scene.add_box("cart", size=(0.5, 0.3, 0.2), mass=1.0)
    scene.add_box("pole", size=(0.05, 0.05, 1.0), mass=0.1, position=(0, 0, 0.5), spin=(0, 0.1, 0))
    scene.add_slider("rail", ("world", "cart"), at=(0, 0, 0), axis=(1, 0, 0))
    scene.add_hinge("pivot", ("cart", "pole"), at=(0, 0, 0), axis=(0, 1, 0))
    return scene


def measure(run):
    run()
    seconds = []
    for _ in range(REPEATS):
        began = time.perf_counter()
        run()
        seconds.append(time.perf_counter() - began)
    return COUNT * STEPS / min(seconds)


def measure_mujoco(threads):
    import mujoco
    from mujoco import rollout
    model = mujoco.MjModel.from_xml_string(MODEL)
    data = [mujoco.MjData(model) for _ in range(threads)]
    size = mujoco.mj_stateSize(model, mujoco.mjtState.mjSTATE_FULLPHYSICS)
    start = np.zeros((COUNT, size))
    with rollout.Rollout(nthread=threads) as pool:
        return measure(lambda: pool.rollout(model, data, start, nstep=STEPS))


def main():
    rates = {}
    for threads in (1, 2):
        batch = achilles.Batch(make_scene(), COUNT, threads)
        rates[threads] = measure(lambda: batch.step(STEPS))
        print(f"achilles, {threads} threads: {rates[threads]:12,.0f} steps per second")
    print(f"two threads are {rates[2] / rates[1]:.2f} times one")
    try:
        for threads in (1, 2):
            rate = measure_mujoco(threads)
            print(f"mujoco,   {threads} threads: {rate:12,.0f} steps per second: {rates[threads] / rate:.2f} of it")
    except ImportError:
        print("the package mujoco is not installed: nothing to compare with")


if __name__ == "__main__":
    main()
