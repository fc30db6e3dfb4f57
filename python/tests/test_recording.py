"""Recordings, tables and what they show."""

import json

import numpy as np
import pytest

import achilles


@pytest.fixture
def recording(tmp_path, resting):
    achilles.run(resting, until=0.5, record=tmp_path / "run.h5", every=0.05)
    return achilles.Recording(tmp_path / "run.h5")


def test_arrays_hold_what_the_simulation_had(recording, resting):
    sim = achilles.Simulation(resting)
    assert len(recording) == 11 and recording.names == ["ground", "crate"]
    assert recording.time == pytest.approx(np.arange(11) * 0.05)
    sim.step(25)
    assert np.array_equal(recording.position[5], sim.frame_position)
    assert np.array_equal(recording.orientation[5], sim.orientation)
    assert np.array_equal(recording.velocity[5], sim.velocity)
    assert recording["energy_kinetic"][5] == pytest.approx(sim.kinetic_energy())
    assert recording["momentum"].shape == (11, 3)


@pytest.mark.parametrize("key", [3, -1, slice(None), slice(2, 9, 3), slice(9, 1, -2), slice(5, 5), (slice(1, 4), 1),
                                 (2, 1, 2), (slice(None), slice(None), 0), ..., [1, 5, 2], np.array([True] * 5 + [False] * 6)])
def test_rows_read_one_by_one_are_those_of_the_whole(recording, key):
    assert np.array_equal(recording.position[key], np.asarray(recording.position)[key])


def test_rows_and_arrays_that_there_are_not_are_refused(recording):
    for wrong in (11, -12):
        with pytest.raises(IndexError):
            recording.position[wrong]
        with pytest.raises(IndexError):
            recording.contacts(wrong)
    with pytest.raises(KeyError):
        recording["colour"]
    with pytest.raises(AttributeError):
        recording.colour


def test_contacts_carry_the_weight(recording):
    # m g h of the last step: 10 kg, 0.01 s.
    contacts = recording.contacts(-1)
    assert (contacts["impulse"] * contacts["normal"]).sum() == pytest.approx(0.981, rel=1e-3)


def test_events_say_what_touched(recording):
    events = recording.events()
    assert ("new-touch", 0, 1) in [(event["kind"], event["first"], event["second"]) for event in events]


def test_report_scene_and_verdicts_are_kept(recording, resting):
    assert recording.is_complete and recording.report["steps"] == 50
    assert recording.scene.body_names == resting.body_names
    assert all(verdict["finding"] != "fails" for verdict in recording.certify()["verdicts"])
    assert "11 instants" in repr(recording)


def test_exports_are_written(recording, tmp_path):
    for name in ("run.csv", "run.glb", "run.html", "run.json"):
        recording.export(tmp_path / name)
        assert (tmp_path / name).stat().st_size > 100
    assert json.loads((tmp_path / "run.json").read_text())["steps"] == 50
    with pytest.raises(ValueError, match="html"):
        recording.export(tmp_path / "run.doc")


def test_picture_shows_more_than_one_colour(recording):
    picture = recording.render(0.2, width=64, height=48)
    assert picture.shape == (48, 64, 3) and picture.dtype == np.uint8
    assert len(np.unique(picture.reshape(-1, 3), axis=0)) > 3
    with pytest.raises(ValueError):
        recording.render(np.nan)
    with pytest.raises(ValueError):
        recording.render(width=0)


def test_jupyter_shows_the_player_in_a_frame_of_its_own(recording, resting):
    for shown in (recording, achilles.Simulation(resting)):
        page = shown._repr_html_()
        assert page.startswith("<iframe srcdoc=") and "achilles_recording" in page
        assert "<script" not in page  # escaped: it runs inside the frame only


def test_file_that_is_no_recording_is_refused(tmp_path):
    (tmp_path / "no.h5").write_text("no")
    for name in ("no.h5", "nowhere.h5"):
        with pytest.raises(RuntimeError, match=name):
            achilles.Recording(tmp_path / name)


def test_data_frames_have_the_numbers_of_instants(recording):
    pytest.importorskip("pandas")
    frame = recording.to_pandas()
    assert len(frame) == 11 and "momentum_z" in frame
    assert frame["penetration"].max() == np.asarray(recording["penetration"]).max()


def test_dataset_has_the_states_of_bodies_by_name(recording):
    pytest.importorskip("xarray")
    data = recording.to_xarray()
    assert np.array_equal(data.position.sel(body="crate", axis="z"), recording.position[:, 1, 2])


def test_plot_has_four_axes(recording):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    axes = recording.plot()
    assert [len(axis.lines) for axis in axes] == [3, 1, 1, 1]


def test_comparison_has_a_row_per_method_and_says_who_refused(pendulum):
    table = achilles.compare(pendulum, ["lcp-fixed", "penalty"], until=0.1)
    assert [row["method"] for row in table] == ["lcp-fixed", "penalty"]
    assert table[0]["report"]["steps"] == 20 and table[0]["note"] == ""
    assert table[1]["report"] is None and "refused" in table[1]["note"]
    assert "refused" in repr(table) and "<td>penalty</td>" in table._repr_html_()
    with pytest.raises(ValueError, match="no-such"):
        achilles.compare(pendulum, ["no-such"])
