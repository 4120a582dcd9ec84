"""Several models in training at the same time: the bits of one after the other."""

import math
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
import torch

from regard import RegardError, RunSettings, StoppedError, load, train
from regard.training import Chosen, Progress
from regard.training.abreast import _threads
from regard.training.outlook import Outlook
from tests.training.test_training import DEV, PAIRS, StopAfter, json_lines, tensors, tiny

SEVERAL = {"training.seeds": 2}
MANY = {"training.seeds": 2, "training.epochs": 400}


@pytest.fixture
def cores(monkeypatch):
    """Two threads, and trainings of any length are worth a process."""
    before = torch.get_num_threads()
    torch.set_num_threads(2)
    monkeypatch.setattr("regard.training.abreast.WORTH_A_PROCESS", 1)
    yield
    torch.set_num_threads(before)


@pytest.fixture
def processes(monkeypatch):
    """The processes that were begun."""
    begun, usual = [], subprocess.Popen

    def begin(*given, **named):
        begun.append(usual(*given, **named))
        return begun[-1]

    monkeypatch.setattr("regard.training.abreast.subprocess.Popen", begin)
    return begun


def test_they_have_the_bits_of_one_after_the_other(tmp_path, monkeypatch, cores, processes):
    settings = tiny(**{"training.seeds": 4, "training.distill": True})
    news = []
    train(PAIRS, DEV, output=tmp_path / "abreast", settings=settings, listen=news.append)
    assert len(processes) == 4
    assert [process.returncode for process in processes] == [0, 0, 0, 0]
    torch.set_num_threads(1)
    train(PAIRS, DEV, output=tmp_path / "in-turn", settings=settings)
    assert len(processes) == 4
    assert tensors(tmp_path / "abreast") == tensors(tmp_path / "in-turn")
    lines = zip(json_lines(tmp_path / "abreast"), json_lines(tmp_path / "in-turn"), strict=True)
    for one, other in lines:
        assert {**one, "wall_seconds": 0, "cpu_seconds": 0} == {
            **other,
            "wall_seconds": 0,
            "cpu_seconds": 0,
        }
    (chosen,) = [one for one in news if isinstance(one, Chosen)]
    assert chosen.at_once == 2
    progress = [one for one in news if isinstance(one, Progress)]
    assert [one.done for one in progress] == sorted(one.done for one in progress)
    assert progress[-1].done == 1.0
    assert progress[-1].seconds_left == 0.0
    assert {one.member for one in progress} == {1, 2, 3, 4, 5}


@pytest.mark.parametrize("stop", [1, 16])
def test_stopped_and_resumed_they_have_the_bits_of_never_stopped(tmp_path, cores, processes, stop):
    settings = tiny(**SEVERAL)
    with pytest.raises(StoppedError, match=r"^stopped after .*model.*; saved in"):
        train(PAIRS, DEV, output=tmp_path / "broken", settings=settings, listen=StopAfter(stop))
    assert all(process.returncode == 0 for process in processes)
    load(tmp_path / "broken").predict("abc")
    train(PAIRS, DEV, output=tmp_path / "broken", resume=True)
    torch.set_num_threads(1)
    train(PAIRS, DEV, output=tmp_path / "whole", settings=settings)
    assert tensors(tmp_path / "broken") == tensors(tmp_path / "whole")


def test_what_one_of_them_cannot_go_on_with_is_said(cores, processes):
    settings = tiny(**SEVERAL, **{"training.learning_rate": 1e30, "training.clip": 1e30})
    with pytest.raises(RegardError, match="training has diverged"):
        train(PAIRS, DEV, settings=settings)
    assert all(process.poll() is not None for process in processes)


def test_a_process_that_is_gone_is_said_and_what_was_saved_goes_on(
    tmp_path, monkeypatch, cores, processes
):
    monkeypatch.setattr("regard.training.run.SAVE_EVERY", 0.0)
    seen = []

    def kill_one(news) -> None:
        if isinstance(news, Progress) and news.dev is not None:
            seen.append(news.member)
            if seen.count(seen[-1]) == 2:
                processes[0].kill()

    settings = tiny(**MANY)
    with pytest.raises(RegardError, match="process that trained model 1 ended with SIGKILL"):
        train(PAIRS, DEV, output=tmp_path / "m", settings=settings, listen=kill_one)
    assert all(process.poll() is not None for process in processes)
    load(tmp_path / "m").predict("abc")
    with pytest.raises(StoppedError):
        train(PAIRS, DEV, output=tmp_path / "m", resume=True, listen=StopAfter(1))


def test_whoever_listens_and_fails_leaves_no_process(cores, processes):
    def fail(news) -> None:
        if isinstance(news, Progress):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        train(PAIRS, DEV, settings=tiny(**MANY), listen=fail)
    assert len(processes) == 2
    assert all(process.poll() is not None for process in processes)


_SCRIPT = """
import os, subprocess, sys, torch
from regard.training import abreast, Progress, train
from tests.training.test_training import DEV, PAIRS, tiny
torch.set_num_threads(2)
begin, begun = subprocess.Popen, []
abreast.subprocess.Popen = lambda *given, **named: begun.append(begin(*given, **named)) or begun[-1]
def tell(news):
    if isinstance(news, Progress) and len(begun) == 2:
        print(*(process.pid for process in begun), flush=True)
train(PAIRS, DEV, settings=tiny(**{"training.seeds": 2, "training.epochs": 100_000}), listen=tell)
"""


def test_where_this_process_is_killed_they_end_too():
    root = str(Path(__file__).parents[2])
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([root, *filter(None, sys.path)])}
    process = subprocess.Popen(
        [sys.executable, "-c", _SCRIPT], stdout=subprocess.PIPE, env=environment, text=True
    )
    assert process.stdout is not None
    numbers = [int(number) for number in process.stdout.readline().split()]
    process.send_signal(signal.SIGKILL)
    process.communicate()
    assert len(numbers) == 2
    ends = time.monotonic() + 60
    while any(is_running(number) for number in numbers) and time.monotonic() < ends:
        time.sleep(0.05)
    assert not any(is_running(number) for number in numbers)


def is_running(number: int) -> bool:
    try:
        return Path(f"/proc/{number}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


@pytest.mark.parametrize(
    ("options", "threads", "expected"),
    [
        ({"training.seeds": 5}, 2, 2),
        ({"training.seeds": 3}, 8, 3),
        ({"training.seeds": 5}, 1, 1),
        ({"training.seeds": 1}, 8, 1),
        ({"training.seeds": 5, "training.epochs": 3}, 8, 1),
    ],
)
def test_as_many_as_there_are_cores_where_that_pays(monkeypatch, options, threads, expected):
    monkeypatch.setattr(torch, "get_num_threads", lambda: threads)
    chosen = []

    def stop(news) -> None:
        chosen.append(news)
        raise KeyboardInterrupt

    settings = RunSettings().with_values(options)
    with pytest.raises(KeyboardInterrupt):
        train(PAIRS, DEV, settings=settings, listen=stop)
    assert chosen[0].at_once == expected


def test_the_last_ones_share_all_cores(monkeypatch):
    monkeypatch.setattr(torch, "get_num_threads", lambda: 8)
    assert [_threads(place, 5, 3) for place in range(5)] == [2, 2, 2, 4, 4]
    assert [_threads(place, 2, 2) for place in range(2)] == [4, 4]
    monkeypatch.setattr(torch, "get_num_threads", lambda: 1)
    assert _threads(0, 5, 1) == 1


def test_minutes_are_shared_by_those_that_train_in_turn(monkeypatch, cores):
    told = []

    def begun(tasks, count, wish):
        told.extend((task.training.minutes, count) for task in tasks)
        raise KeyboardInterrupt
        yield

    monkeypatch.setattr("regard.training.run.abreast", begun)
    options = {"training.seeds": 3, "training.distill": True, "training.minutes": 6}
    with pytest.raises(KeyboardInterrupt):
        train(PAIRS, DEV, settings=tiny(**options))
    assert told == [(2.0, 2)] * 3


class TestOutlook:
    def test_one_model_is_the_whole(self):
        outlook = Outlook(1, 1)
        whole = outlook.whole(0, Progress(1, 1, 0.25, 1.0, 30.0))
        assert (whole.done, whole.seconds_left) == (0.25, 30.0)

    def test_of_two_abreast_and_one_after_them(self):
        outlook = Outlook(3, 2)
        outlook.whole(0, Progress(1, 1, 0.5, 1.0, 30.0))
        whole = outlook.whole(1, Progress(1, 1, 0.5, 1.0, 30.0))
        assert whole.done == pytest.approx(1 / 3)
        assert whole.seconds_left == pytest.approx(60.0)
        assert (whole.member, whole.members) == (2, 3)

    def test_what_was_done_before_counts(self):
        outlook = Outlook(2, 1)
        outlook.finished([0])
        whole = outlook.whole(1, Progress(1, 1, 0.5, 1.0, 30.0))
        assert (whole.done, whole.seconds_left) == (0.75, 30.0)

    def test_nothing_is_known_at_first_and_nothing_is_left_at_last(self):
        outlook = Outlook(1, 1)
        assert outlook.whole(0, Progress(1, 1, 0.0, 1.0, math.inf)).seconds_left == math.inf
        assert outlook.whole(0, Progress(2, 1, 1.0, 1.0, 0.0)).seconds_left == 0.0
