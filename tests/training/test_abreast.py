"""Several models in training at the same time: the bits of one after the other."""

import math
import os
import pickle
import signal
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace

import pytest
import torch

from regard import RegardError, RunSettings, StoppedError, load, train
from regard.text import Pair
from regard.training import Chosen, Progress
from regard.training.outlook import Outlook
from regard.training.run import _Run
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


LONGER = {"training.seeds": 2, "training.epochs": 12, "training.distill": True}


@pytest.mark.parametrize("stop", ["at once", "on the way", "when one is done"])
def test_stopped_and_resumed_they_have_the_bits_of_never_stopped(tmp_path, cores, processes, stop):
    updates = 12 * math.ceil(len(PAIRS) / 16)

    def listen(news) -> None:
        is_due = (
            isinstance(news, Progress)
            and {
                "at once": True,
                "on the way": news.update == 9,
                "when one is done": news.update == updates,
            }[stop]
        )
        if is_due and not stopped:
            stopped.append(news.member)
            os.kill(os.getpid(), signal.SIGTERM)

    settings, stopped = tiny(**LONGER), []
    with pytest.raises(StoppedError, match=r"^stopped after .*; saved in"):
        train(PAIRS, DEV, output=tmp_path / "broken", settings=settings, listen=listen)
    assert [process.returncode for process in processes] == [0, 0]
    load(tmp_path / "broken").predict("abc")
    train(PAIRS, DEV, output=tmp_path / "broken", resume=True)
    torch.set_num_threads(1)
    train(PAIRS, DEV, output=tmp_path / "whole", settings=settings)
    assert tensors(tmp_path / "broken") == tensors(tmp_path / "whole")


@pytest.mark.parametrize("count", [1, 2, 3])
def test_what_is_left_has_the_threads_it_would_have_had_beside_the_others(
    tmp_path, monkeypatch, cores, count
):
    """Bits may depend on them, so those of a training that goes on must be the same."""
    given = []

    class Noted:
        def __init__(self, task, threads, reports) -> None:
            given.append((task.index, threads))
            raise KeyboardInterrupt

    def stop(index):
        return SimpleNamespace(position=SimpleNamespace(is_finished=index < 3 - count))

    monkeypatch.setattr("regard.training.abreast._Worker", Noted)
    monkeypatch.setattr(torch, "get_num_threads", lambda: 6)
    monkeypatch.setattr(_Run, "_is_finished", lambda _, index: stop(index).position.is_finished)
    with pytest.raises(KeyboardInterrupt):
        train(PAIRS, DEV, settings=tiny(**{"training.seeds": 3}))
    assert given == [(3 - count, 2)]


def test_a_signal_to_all_processes_saves_all_the_same(tmp_path, cores, processes):
    def stop(news) -> None:
        if isinstance(news, Progress) and news.update == 9:
            for process in processes:
                process.terminate()
            os.kill(os.getpid(), signal.SIGTERM)

    settings = tiny(**MANY)
    with pytest.raises(StoppedError, match="saved in"):
        train(PAIRS, DEV, output=tmp_path / "m", settings=settings, listen=stop)
    assert [process.returncode for process in processes] == [0, 0]
    load(tmp_path / "m").predict("abc")


def test_a_signal_before_anything_is_learnt_ends_it(tmp_path, monkeypatch, cores):
    def nothing(tasks, count, wish):
        os.kill(os.getpid(), signal.SIGTERM)
        yield from ()

    monkeypatch.setattr("regard.training.run.abreast", nothing)
    with pytest.raises(KeyboardInterrupt):
        train(PAIRS, DEV, output=tmp_path / "m", settings=tiny(**SEVERAL))
    assert not (tmp_path / "m").exists()


def test_whoever_stops_early_is_done(tmp_path, cores):
    news = []
    options = {"training.patience": 1, "training.epochs": 60, "training.learning_rate": 1e-7}
    train(PAIRS, DEV, settings=tiny(**SEVERAL, **options), listen=news.append)
    last = [one for one in news if isinstance(one, Progress)][-1]
    assert last.epoch < 60
    assert (last.done, last.seconds_left) == (1.0, 0.0)


def test_a_file_that_lies_here_is_no_module_of_theirs(tmp_path, monkeypatch, cores):
    (tmp_path / "random.py").write_text("raise SystemExit(3)")
    (tmp_path / "pickle.py").write_text("raise SystemExit(3)")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*(path for path in sys.path if path), Path("/nothing")])
    train(PAIRS, DEV, settings=tiny(**SEVERAL))


def test_what_cannot_be_sent_is_said(cores, processes):
    class Word(str):
        pass

    rows = [(Word(pair.source), Word(pair.target)) for pair in DEV]
    train(PAIRS, rows, settings=tiny(**SEVERAL))
    assert len(processes) == 2
    pairs = [Pair(Word(pair.source), Word(pair.target)) for pair in DEV]
    with pytest.raises((AttributeError, pickle.PicklingError), match="pickle"):
        train(PAIRS, pairs, settings=tiny(**SEVERAL))
    assert len(processes) == 2


def test_a_slow_listener_holds_training_up(cores, processes):
    heard = []

    def listen(news) -> None:
        if isinstance(news, Progress):
            heard.append(news)
            if len(heard) == 1:
                time.sleep(3)
                os.kill(os.getpid(), signal.SIGINT)

    with pytest.raises(KeyboardInterrupt):
        train(PAIRS, DEV, settings=tiny(**MANY), listen=listen)
    # What a pipe holds is heard of; a process alone makes 1,600 updates in that time.
    assert len(heard) < 700
    assert [process.returncode for process in processes] == [0, 0]


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


@pytest.mark.parametrize(
    ("says", "status"),
    [
        ("", "status 0"),
        ("sys.exit(3)", "status 3"),
        ("sys.stdout.buffer.write(pickle.dumps([0] * 1000)[:50])", "status 0"),
        (
            "sys.stdout.buffer.write(pickle.dumps(sys.maxsize)); sys.stdout.flush()",
            "has no|no attr",
        ),
        ("os.kill(os.getpid(), signal.SIGKILL)", "SIGKILL; if memory is short"),
    ],
)
def test_a_process_that_ends_before_its_model_is_done_is_said(
    monkeypatch, cores, processes, says, status
):
    begin = f"import os, pickle, signal, sys\nsys.stdin.buffer.read(1)\n{says}"
    monkeypatch.setattr("regard.training.abreast._BEGIN", begin)
    with pytest.raises(RegardError, match=rf"model \d.*({status})"):
        train(PAIRS, DEV, settings=tiny(**SEVERAL))
    assert all(process.poll() is not None for process in processes)


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


@pytest.mark.skipif(sys.platform != "linux", reason="processes are looked up in /proc")
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


def halfway(seconds_left: float) -> Progress:
    return Progress(1, 1, 0.5, 1.0, seconds_left)


class TestOutlook:
    def test_one_model_is_the_whole(self):
        outlook = Outlook(1, 1)
        whole = outlook.whole(0, Progress(1, 1, 0.25, 1.0, 30.0), is_finished=False)
        assert (whole.done, whole.seconds_left) == (0.25, 30.0)

    def test_two_abreast_and_one_after_them(self):
        outlook = Outlook(3, 2)
        outlook.whole(0, halfway(20.0), is_finished=False)
        whole = outlook.whole(1, halfway(30.0), is_finished=False)
        assert whole.done == pytest.approx(1 / 3)
        assert whole.seconds_left == pytest.approx(30.0 + 60.0)
        assert (whole.member, whole.members) == (2, 3)

    def test_one_that_learns_from_them_comes_last(self):
        outlook = Outlook(2, 2, distills=True)
        outlook.whole(0, halfway(30.0), is_finished=False)
        whole = outlook.whole(1, halfway(30.0), is_finished=False)
        assert whole.seconds_left == pytest.approx(30.0 + 60.0)
        outlook.finished([0, 1])
        whole = outlook.whole(2, halfway(40.0), is_finished=False)
        assert (whole.done, whole.seconds_left) == (pytest.approx(2.5 / 3), 40.0)

    def test_what_was_done_before_counts(self):
        outlook = Outlook(2, 1)
        outlook.finished([0])
        whole = outlook.whole(1, halfway(30.0), is_finished=False)
        assert (whole.done, whole.seconds_left) == (0.75, 30.0)

    def test_whoever_stops_early_is_done(self):
        outlook = Outlook(2, 1)
        whole = outlook.whole(0, Progress(9, 1, 0.25, 1.0, 30.0), is_finished=True)
        assert (whole.done, whole.seconds_left) == (0.5, 40.0)

    def test_nothing_is_known_at_first_and_nothing_is_left_at_last(self):
        outlook = Outlook(1, 1)
        first = outlook.whole(0, Progress(1, 1, 0.0, 1.0, math.inf), is_finished=False)
        last = outlook.whole(0, Progress(2, 1, 1.0, 1.0, 0.0), is_finished=True)
        assert (first.seconds_left, last.seconds_left) == (math.inf, 0.0)
