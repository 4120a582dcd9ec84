"""Threads give way where others use the machine, and only there."""

import os
import subprocess
import sys

import pytest

from regard.cli import neighbours
from regard.cli.neighbours import give_way, taken

TICKS = os.sysconf("SC_CLK_TCK")


def reading(busy, idle, steal=0):
    return f"cpu  {busy} 0 0 {idle} 7 0 0 {steal} 0 0\ncpu0 1 2 3 4\n"


class TestTaken:
    @pytest.mark.parametrize("cores", [0, 0.5, 1, 12])
    def test_counts_cores(self, cores):
        before, after = reading(100, 50), reading(100 + round(2 * TICKS * cores), 70)
        assert taken(before, after, 2.0) == cores

    def test_counts_what_a_host_gave_to_others(self):
        assert taken(reading(5, 5), reading(5, 5, steal=TICKS), 1.0) == 1

    def test_guests_are_counted_once(self):
        # A guest's time is part of user time already.
        after = "cpu  10 0 0 0 0 0 0 0 10 0"
        assert taken("cpu  0 0 0 0 0 0 0 0 0 0", after, 10 / TICKS) == 1


class TestGiveWay:
    @pytest.fixture
    def counters(self, monkeypatch, tmp_path):
        path = tmp_path / "stat"
        path.write_text(reading(0, 0))
        monkeypatch.setattr(neighbours, "_COUNTERS", path)
        return path

    @pytest.mark.parametrize(
        "cores, said", [(0.0, {}), (0.2, {}), (1.0, {"OMP_WAIT_POLICY": "passive"})]
    )
    def test_only_where_cores_are_taken(self, counters, monkeypatch, cores, said):
        def slept(seconds):
            counters.write_text(reading(round(1000 * TICKS * cores), 0))

        monkeypatch.setattr(neighbours.time, "sleep", slept)
        moments = iter([0.0, 1000.0])
        monkeypatch.setattr(neighbours.time, "monotonic", lambda: next(moments))
        environment = {}
        give_way(environment)
        assert environment == said

    @pytest.mark.parametrize("name", ["OMP_WAIT_POLICY", "GOMP_SPINCOUNT"])
    def test_what_was_said_stays(self, counters, name):
        environment = {name: "active"}
        give_way(environment)
        assert environment == {name: "active"}

    def test_nothing_is_done_on_other_systems(self, monkeypatch, tmp_path):
        monkeypatch.setattr(neighbours, "_COUNTERS", tmp_path / "none")
        environment = {}
        give_way(environment)
        assert environment == {}

    def test_the_program_does_it_before_torch_is_loaded(self):
        code = (
            "import sys, regard.cli\n"
            "program = sys.modules['regard.cli.main']\n"
            "program.give_way = lambda environment: print('torch' in sys.modules)\n"
            "sys.argv = ['regard', 'info', 'no-such-folder']\n"
            "program.run()"
        )
        done = subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, check=False
        )
        assert done.stdout.strip() == "False"
