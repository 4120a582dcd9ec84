import os
import subprocess
import sys
import threading

import pytest

from regard.errors import DataError
from regard.files import aside_of, clear_stale, write_file
from regard.text import open_output


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


def write_lines(path, content: bytes) -> None:
    with open_output(path) as file:
        file.write(content)


@pytest.mark.parametrize("write", [write_file, write_lines])
class TestWhatIsNoPlainFile:
    """A link still leads where it led; a pipe is written to, and stays one."""

    def test_a_link(self, tmp_path, write):
        (tmp_path / "there").mkdir()
        link, target = tmp_path / "link", tmp_path / "there" / "file"
        for name in ("with nothing behind it", "with a file behind it"):
            if not link.is_symlink():
                link.symlink_to(target)
            write(link, name.encode())
            assert link.is_symlink()
            assert target.read_bytes() == name.encode()
        assert [each.name for each in target.parent.iterdir()] == ["file"]

    def test_a_pipe(self, tmp_path, write):
        path, found = tmp_path / "pipe", []
        os.mkfifo(path)
        reader = threading.Thread(target=lambda: found.append(path.read_bytes()))
        reader.start()
        write(path, b"whole")
        reader.join()
        assert found == [b"whole"]
        assert path.is_fifo()

    def test_a_device(self, tmp_path, write):
        device = tmp_path / "null"
        device.symlink_to(os.devnull)
        write(device, b"whole")
        assert not os.path.isfile(os.devnull)

    def test_a_folder_stays(self, tmp_path, write):
        (tmp_path / "folder").mkdir()
        with pytest.raises((OSError, DataError)):
            write(tmp_path / "folder", b"whole")
        assert [each.name for each in tmp_path.iterdir()] == ["folder"]
