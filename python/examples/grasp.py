"""Two fingers squeeze a box and lift it, under several contact models.

20 N from either side carry up to 2 · 0.6 · 20 N = 24 N by friction; the box weighs 4.9 N, so that it should not slip. How
far it does is what the models differ in.
"""

import achilles

METHODS = ("lcp-fixed", "lcp-fixpoint", "anitescu", "soft-step")


def make_scene():
    scene = achilles.Scene("grasp", step=0.005)
    scene.add_material("default", friction=0.6)
    scene.add_plane("ground")
    scene.add_box("box", size=(0.1, 0.1, 0.1), mass=0.5, position=(0, 0, 0.05))
    scene.add_box("palm", size=(0.3, 0.1, 0.02), mass=1, position=(0, 0, 0.3))
    scene.add_slider("lift", ("world", "palm"), at=(0, 0, 0.3), axis=(0, 0, 1), motor={"speed": 0, "max_force": 200})
    for side, name in ((1, "right"), (-1, "left")):
        scene.add_box(name, size=(0.02, 0.08, 0.2), mass=0.2, position=(0.065 * side, 0, 0.13))
        scene.add_slider("squeeze " + name, ("palm", name), at=(0.065 * side, 0, 0.2), axis=(-side, 0, 0),
                         motor={"speed": 0.1, "max_force": 20})
    return scene


def lift(method):
    """(way of the hand, way that the box stayed behind) [m]."""
    sim = achilles.Simulation(make_scene(), method)
    sim.run(until=0.5)
    hand, box = sim.body("palm"), sim.body("box")
    start = hand.position[2], box.position[2]
    sim.joint("lift").set_motor(speed=0.1, max=200)
    sim.run(until=1.5)
    way = hand.position[2] - start[0]
    return way, way - (box.position[2] - start[1])


def main():
    results = {}
    for method in METHODS:
        way, slip = results[method] = lift(method)
        print(f"{method:14} hand {1e3 * way:6.2f} mm, slip {1e3 * slip:7.4f} mm")
    return results


if __name__ == "__main__":
    for way, slip in main().values():
        assert way > 0.09 and abs(slip) < 0.005
