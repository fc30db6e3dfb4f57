"""Arrays of any type, shape and layout, any index, any order of life and death."""

import copy
import gc

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

import achilles

NAMES = ["position", "velocity", "spin", "force", "torque"]


def make_scene(count):
    scene = achilles.Scene("many", step=0.01)
    for k in range(count):
        scene.add_sphere(f"ball {k}", radius=0.1, mass=1 + k, position=(k, 0, 1), velocity=(0, k, 0))
    return scene


# Numbers and what is none: real and complex, integers of all sizes, truth values, texts, dates, objects, records.
DTYPES = st.one_of(arrays.floating_dtypes(), arrays.integer_dtypes(), arrays.unsigned_integer_dtypes(),
                   arrays.boolean_dtypes(), arrays.complex_number_dtypes(), arrays.unicode_string_dtypes(max_len=3),
                   arrays.datetime64_dtypes(), st.just(np.dtype(object)), st.just(np.dtype([("x", "f8")])))
SHAPES = st.one_of(st.sampled_from([(), (1,), (3,), (4,), (2, 3), (3, 3), (1, 3), (2, 1), (2, 4), (1, 2, 3), (2, 0), (0,)]),
                   arrays.array_shapes(max_dims=3, max_side=4))


@st.composite
def any_array(draw):
    """An array, cut with steps of any sign or transposed, so that its layout in memory is any."""
    dtype, shape = draw(DTYPES), draw(SHAPES)
    if dtype == object:
        array = np.full(shape, None, dtype=object)
    elif dtype.kind in "fiu":
        # Numbers of a size that any method steps; those that are not finite have tests of their own.
        wide = np.arange(int(np.prod(shape)) * 4 + 1) % 7
        array = np.resize(wide.astype(dtype), shape)
    else:
        array = np.zeros(shape, dtype)
    layout = draw(st.sampled_from(["as it is", "reversed", "every other", "transposed", "read-only", "byte-swapped"]))
    if layout == "reversed" and array.ndim:
        return array[::-1]
    if layout == "every other" and array.ndim:
        return np.repeat(array, 2, axis=-1)[..., ::2]
    if layout == "transposed":
        return np.ascontiguousarray(array.T).T
    if layout == "read-only":
        array.setflags(write=False)
    if layout == "byte-swapped" and array.dtype.kind in "fiu":
        return array.astype(array.dtype.newbyteorder())
    return array


@settings(max_examples=150)
@given(name=st.sampled_from([*NAMES, "orientation_xyzw"]), array=any_array())
def test_assignment_does_what_numpy_does_or_is_refused(name, array):
    sim = achilles.Simulation(make_scene(2))
    before = getattr(sim, name).copy()
    expected = before.copy()
    try:
        if array.dtype.kind not in "fiu":
            raise TypeError
        expected[...] = array
    except (TypeError, ValueError):
        with pytest.raises((TypeError, ValueError)):
            setattr(sim, name, array)
        assert np.array_equal(getattr(sim, name), before)
        return
    setattr(sim, name, array)
    assert np.array_equal(getattr(sim, name), expected)


@settings(max_examples=100)
@given(name=st.sampled_from(NAMES), array=any_array(), count=st.integers(1, 3))
def test_batch_spreads_arrays_as_numpy_does_or_refuses_them(name, array, count):
    batch = achilles.Batch(make_scene(2), count)
    before = getattr(batch, name)
    try:
        if array.dtype.kind not in "fiu":
            raise TypeError
        expected = np.broadcast_to(array, (count, 2, 3))
    except (TypeError, ValueError):
        with pytest.raises((TypeError, ValueError)):
            setattr(batch, name, array)
        assert np.array_equal(getattr(batch, name), before)
        return
    setattr(batch, name, array)
    assert np.array_equal(getattr(batch, name), expected)


@settings(max_examples=100)
@given(array=any_array())
def test_vector_of_a_handle_is_three_real_numbers_or_refused(array):
    body = achilles.Simulation(make_scene(1)).body(0)
    before = body.velocity
    if array.shape == (3,) and array.dtype.kind in "fiu":
        body.velocity = array
        assert np.array_equal(body.velocity, array)
    else:
        with pytest.raises((TypeError, ValueError)):
            body.velocity = array
        assert np.array_equal(body.velocity, before)


ANY_INDEX = st.one_of(st.integers(-6, 6), st.integers(), st.floats(), st.none(), st.booleans(), st.text(max_size=3),
                      st.sampled_from([np.int64(1), np.uint8(2), np.float64(0.0)]))


@settings(max_examples=150)
@given(count=st.integers(0, 4), index=ANY_INDEX)
def test_body_of_an_index_is_that_of_a_list_or_an_error(count, index):
    sim = achilles.Simulation(make_scene(count))
    try:
        if isinstance(index, str):
            raise KeyError
        expected = sim.names[index]
    except (IndexError, KeyError, TypeError):
        with pytest.raises((IndexError, KeyError, TypeError)):
            sim.body(index)
        return
    assert sim.body(index).name == expected


@settings(max_examples=60)
@given(count=st.integers(1, 4), worlds=st.lists(st.one_of(st.integers(-5, 5), st.booleans()), max_size=4))
def test_chosen_worlds_are_those_that_numpy_would_choose(count, worlds):
    batch = achilles.Batch(make_scene(1), count)
    batch.step()
    moved, chosen = batch.state_hash, np.asarray(worlds if worlds else [], dtype=None if worlds else int)
    try:
        which = np.zeros(count, bool)
        which[chosen] = True
    except IndexError:
        with pytest.raises((IndexError, ValueError)):
            batch.reset(chosen)
        assert batch.state_hash == moved
        return
    batch.reset(chosen)
    assert [now != then for now, then in zip(batch.state_hash, moved)] == list(which)


LIFE = st.lists(st.sampled_from(["view", "slice", "handle", "joint", "copy", "snapshot", "batch", "query", "forget", "collect"]),
                min_size=1, max_size=20)


@settings(max_examples=60)
@given(acts=LIFE, order=st.randoms(use_true_random=False))
def test_what_came_from_a_simulation_outlives_it_in_any_order(acts, order):
    """Views, slices, handles, snapshots and batches keep what they need, whatever is dropped first."""
    sim, kept = achilles.Simulation(make_scene(3)), []
    for act in acts:
        if sim is None:
            break
        if act == "view":
            kept.append((sim.position, sim.position.copy()))
        elif act == "slice":
            kept.append((sim.velocity[1:, ::2], sim.velocity[1:, ::2].copy()))
        elif act == "handle":
            body = sim.body("ball 1")
            kept.append((lambda body=body: body.center, body.center))
        elif act == "joint":
            kept.append((sim.joint_position, sim.joint_position))
        elif act == "copy":
            kept.append((copy.deepcopy(sim).orientation_xyzw, sim.orientation_xyzw.copy()))
        elif act == "snapshot":
            snapshot, time = sim.snapshot(), sim.time
            kept.append((lambda snapshot=snapshot: snapshot.time, time))
        elif act == "batch":
            batch = achilles.Batch(sim, 2)
            kept.append((batch[1].position, batch.position[1]))
        elif act == "query":
            hit = sim.cast_ray((0, 0, 5), (0, 0, -1))
            kept.append((lambda hit=hit: hit.point, hit.point))
        elif act == "forget":
            sim = None
        else:
            gc.collect()
    sim = batch = body = snapshot = hit = None
    order.shuffle(kept)
    while kept:
        gc.collect(0)
        seen, expected = kept.pop()
        assert np.array_equal(seen() if callable(seen) else seen, expected)
        if isinstance(seen, np.ndarray) and seen.flags.writeable:
            seen[...] = expected  # memory that is still there
