import os
import subprocess
import sys

from regard.files import aside_of, clear_stale, write_file


def gone() -> int:
    """The number of a process that has ended."""
    process = subprocess.Popen([sys.executable, "-c", ""])
    process.wait()
    return process.pid


def test_what_a_killed_process_left_is_swept_away_and_a_living_one_is_left_alone(tmp_path):
    path = tmp_path / "state"
    dead, living = (
        path.with_name(f".state.writing-{process}") for process in (gone(), os.getppid())
    )
    other = tmp_path / ".state.writing-somebody"
    for left in (dead, living, other):
        left.write_text("half")
    write_file(path, b"whole")
    assert path.read_bytes() == b"whole"
    assert sorted(each.name for each in tmp_path.iterdir()) == sorted(
        [path.name, living.name, other.name]
    )


def test_folders_are_swept_too(tmp_path):
    left = tmp_path / f".model.writing-{gone()}"
    left.mkdir()
    (left / "model.toml").write_text("half")
    clear_stale(tmp_path / "model")
    assert not left.exists()


def test_a_place_aside_belongs_to_this_process(tmp_path):
    assert aside_of(tmp_path / "m").name == f".m.writing-{os.getpid()}"
