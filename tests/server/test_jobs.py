"""The job runner: long work is done in other processes, in turn, and really ends when its time is up."""

from __future__ import annotations

import asyncio
import logging
import os
import random
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

import pytest

from lynxden.games.core import View
from lynxden.server.errors import Code
from lynxden.server.live import jobs as module
from lynxden.server.live.jobs import Job, Jobs, JobsFull, JobTimeout, Queue
from lynxden.server.live.worker import NURSERY, PID, WorkerLost, packed
from lynxden.server.metrics import Metrics
from lynxden.server.table.plans import USUAL_BOT
from tests.server.kit import free_data, play_out, run, serving

LOG = logging.getLogger("test")

# --- Work for other processes: functions of this module ---------------------------------------------------


def add(one: int, two: int) -> int:
    return one + two


def nap(seconds: float) -> int:
    time.sleep(seconds)
    return os.getpid()


def fail() -> None:
    raise KeyError("nothing of that kind")


def die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def die_once(marker: str) -> str:
    """Dies at the first attempt."""
    if not Path(marker).exists():
        Path(marker).touch()
        die()
    return "done"


def hang(bot: str, view: View) -> str:
    while True:
        time.sleep(1)


def nonsense(bot: str, view: View) -> str:
    raise ValueError(f"bot {bot} is out of its mind")


# --- The runner -------------------------------------------------------------------------------------------


def made(workers: int = 2) -> tuple[Jobs, Metrics]:
    metrics = Metrics()
    return Jobs(workers, metrics, LOG), metrics


def is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def failed(metrics: Metrics, kind: str, why: str) -> float:
    value: float = metrics.jobs_failed.labels(kind, why)._value.get()
    return value


def test_work_is_done_elsewhere_and_its_result_comes_back() -> None:
    async def story() -> None:
        jobs, _ = made()
        assert await jobs.run("sum", add, 2, 3) == 5
        assert await jobs.run("pid", nap, 0.0) != os.getpid()
        big = await asyncio.gather(*(jobs.run("sum", add, n, n) for n in range(300)))
        assert big == [2 * n for n in range(300)]
        await jobs.close()
        with pytest.raises(JobsFull):
            await jobs.run("sum", add, 1, 1)

    run(story())


def test_the_event_loop_goes_on_meanwhile() -> None:
    async def story() -> None:
        jobs, _ = made()
        await jobs.start()
        work = asyncio.create_task(jobs.run("nap", nap, 0.5))
        ticks = 0
        while not work.done():
            await asyncio.sleep(0.01)
            ticks += 1
        assert ticks > 20
        await jobs.close()

    run(story())


def test_work_that_overruns_is_stopped_and_others_go_on() -> None:
    async def story() -> None:
        jobs, metrics = made(workers=1)
        pid = await jobs.run("nap", nap, 0.0)
        with pytest.raises(JobTimeout, match=r"longer than 0\.2 seconds") as caught:
            await jobs.run("nap", nap, 1000.0, limit=0.2)
        assert caught.value.code is Code.UNAVAILABLE
        while is_alive(pid):  # it takes the system a moment
            await asyncio.sleep(0.01)
        assert await jobs.run("nap", nap, 0.0) != pid
        assert failed(metrics, "nap", "timeout") == 1
        await jobs.close()

    run(story())


def test_renewed_workers_replace_those_that_rest_and_those_that_work() -> None:
    async def story() -> None:
        jobs, _ = made(workers=2)
        old = set(await asyncio.gather(*(jobs.run("nap", nap, 0.2) for _ in range(2))))
        working = asyncio.create_task(jobs.run("nap", nap, 0.3))
        while len(jobs._idle) > 1:  # until one of them has begun
            await asyncio.sleep(0)
        jobs.renew()
        assert await working in old
        assert len(old) == 2
        assert not old & {await jobs.run("nap", nap, 0.0) for _ in range(3)}
        while any(map(is_alive, old)):
            await asyncio.sleep(0.01)
        await jobs.close()

    run(story())


def test_more_work_hangs_than_there_are_workers() -> None:
    async def story() -> None:
        jobs, _ = made(workers=2)
        hung = [jobs.run("nap", nap, 1000.0, limit=0.2) for _ in range(6)]
        found = await asyncio.gather(*hung, jobs.run("sum", add, 1, 1), return_exceptions=True)
        assert [type(each) for each in found[:-1]] == [JobTimeout] * 6
        assert found[-1] == 2
        await jobs.close()

    run(story())


def test_failures_come_back_as_errors(tmp_path: Path) -> None:
    async def story() -> None:
        jobs, metrics = made(workers=1)
        with pytest.raises(RuntimeError, match="nothing of that kind"):
            await jobs.run("fail", fail)
        with pytest.raises(WorkerLost):
            await jobs.run("die", die)
        assert failed(metrics, "die", "lost") == 1
        assert await jobs.run("once", die_once, str(tmp_path / "marker")) == "done"
        assert await jobs.run("sum", add, 1, 1) == 2
        await jobs.close()

    run(story())


def test_a_nursery_that_is_gone_is_replaced() -> None:
    async def story() -> None:
        jobs, _ = made(workers=1)
        assert await jobs.run("sum", add, 1, 1) == 2
        assert NURSERY._process is not None
        NURSERY._process.kill()
        NURSERY._process.wait()
        again, _ = made(workers=1)
        assert await again.run("sum", add, 2, 2) == 4
        await jobs.close()
        await again.close()

    run(story())


def test_a_nursery_that_is_killed_while_it_loads_keeps_no_server_from_starting() -> None:
    async def story() -> None:
        NURSERY._drop()
        jobs, _ = made(workers=1)
        starting = jobs.start()
        while NURSERY._process is None:
            await asyncio.sleep(0.01)
        NURSERY._process.kill()
        await starting
        assert await jobs.run("sum", add, 1, 1) == 2
        await jobs.close()

    run(story())


@pytest.mark.skipif(not hasattr(os, "fork"), reason="workers are processes where the system can fork")
def test_a_worker_that_is_ready_too_late_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    """The runner was closed while it was being forked."""
    forks: list[tuple[int, socket.socket]] = []
    asked, go_on = threading.Event(), threading.Event()
    fork = NURSERY.fork

    def slow() -> tuple[int, socket.socket]:
        asked.set()
        assert go_on.wait(20)
        forks.append(fork())
        return forks[0]

    async def story() -> None:
        monkeypatch.setattr(NURSERY, "fork", slow)
        jobs, _ = made(workers=1)
        jobs.start()
        await asyncio.to_thread(asked.wait, 20)
        await jobs.close()
        go_on.set()
        while not forks or forks[0][1].fileno() >= 0:
            await asyncio.sleep(0.01)
        while Path(f"/proc/{forks[0][0]}").exists():
            await asyncio.sleep(0.01)

    run(story())


def test_workers_end_with_a_server_that_is_killed(tmp_path: Path) -> None:
    """Also one that is asked for at that very moment, and one that is busy; and nobody complains."""
    control, theirs = socket.socketpair()
    with theirs, (tmp_path / "said").open("w") as said:
        nursery = subprocess.Popen(
            [sys.executable, "-m", "lynxden.server.live.worker", str(theirs.fileno())],
            pass_fds=[theirs.fileno()],
            stderr=said,
        )
    busy, other = socket.socketpair()
    with other:
        socket.send_fds(control, [b"f"], [other.fileno()])
    assert PID.unpack(control.recv(PID.size, socket.MSG_WAITALL))[0] > 0
    busy.sendall(packed(nap, (1000.0,)))
    one, another = socket.socketpair()
    with one, another:
        socket.send_fds(control, [b"f"], [another.fileno()])
    control.close()  # before it is answered
    nursery.wait(20)
    busy.settimeout(10)
    with suppress(ConnectionError):
        assert busy.recv(1) == b"", "the busy one is gone"
    busy.close()
    assert (tmp_path / "said").read_text() == ""


def test_who_no_longer_waits_is_passed_over() -> None:
    async def story() -> None:
        jobs, _ = made(workers=1)
        first = asyncio.create_task(jobs.run("nap", nap, 0.3))
        gone = asyncio.create_task(jobs.run("nap", nap, 1000.0, owner="ann"))
        await asyncio.sleep(0.05)
        gone.cancel()
        last = asyncio.create_task(jobs.run("sum", add, 1, 1, owner="ann"))
        assert await asyncio.wait_for(last, 5) == 2
        await first
        await jobs.close()

    run(story())


def test_closing_ends_what_runs_and_what_waits() -> None:
    async def story() -> None:
        jobs, _ = made(workers=1)
        work = [asyncio.create_task(jobs.run("nap", nap, 1000.0)) for _ in range(3)]
        await asyncio.sleep(0.3)
        await jobs.close()
        found = await asyncio.wait_for(asyncio.gather(*work, return_exceptions=True), 5)
        assert [type(each) for each in found] == [JobsFull] * 3

    run(story())


def test_without_fork_threads_do_the_work(monkeypatch: pytest.MonkeyPatch) -> None:
    async def story() -> None:
        jobs, _ = made()
        assert await jobs.run("sum", add, 2, 3) == 5
        assert await jobs.run("pid", nap, 0.0) == os.getpid()
        with pytest.raises(JobTimeout):
            await jobs.run("nap", nap, 0.5, limit=0.1)
        await jobs.close()

    monkeypatch.delattr(os, "fork")
    run(story())


# --- Whose turn it is -------------------------------------------------------------------------------------


def order(queue: Queue, jobs: Iterable[Job]) -> str:
    for job in jobs:
        queue.add(job)
    found = ""
    while (taken := queue.take()) is not None:
        found += taken.owner
    return found


def test_owners_take_turns() -> None:
    async def story() -> None:
        def job(owner: str) -> Job:
            return Job("x", b"", owner, 1.0)

        assert order(Queue(100, 100), map(job, "aaaabbc")) == "abcabaa"
        queue = Queue(5, 3)
        for owner in "aaa":
            queue.add(job(owner))
        with pytest.raises(JobsFull):
            queue.add(job("a"))
        queue.add(job("b"))
        queue.add(job("c"))
        with pytest.raises(JobsFull):
            queue.add(job("d"))
        assert len(queue) == 5
        assert order(queue, ()) == "abcaa"
        assert len(queue) == 0

    run(story())


def test_loading_does_not_wait_for_bots() -> None:
    """Four bots think for two seconds in all, and meanwhile a table is loaded."""

    async def story() -> None:
        jobs, _ = made(workers=2)
        await asyncio.gather(*(jobs.run("load", nap, 0.1) for _ in range(2)))  # both workers run
        bots = [asyncio.create_task(jobs.run("bot", nap, 0.5)) for _ in range(4)]
        await asyncio.wait(bots, return_when=asyncio.FIRST_COMPLETED)
        assert await jobs.run("load", add, 1, 2) == 3
        assert await jobs.run("load", add, 2, 2) == 4
        assert sum(bot.done() for bot in bots) < 3
        assert len({*await asyncio.gather(*bots)}) == 1, "bots use one of two workers"
        await jobs.close()

    run(story())


def test_one_guest_cannot_crowd_out_others() -> None:
    async def story() -> None:
        jobs, metrics = made(workers=2)
        await jobs.start()
        await asyncio.gather(*(jobs.run("nap", nap, 0.05, owner="") for _ in range(2)))  # both workers run
        done: list[str] = []

        async def ask(owner: str, seconds: float) -> None:
            try:
                await jobs.run("nap", nap, seconds, owner=owner)
                done.append(owner)
            except JobsFull:
                done.append("refused")

        greedy = [asyncio.create_task(ask("mallory", 0.1)) for _ in range(50)]
        await asyncio.sleep(0)
        polite = asyncio.create_task(ask("ann", 0.0))
        own = asyncio.create_task(ask("", 0.0))
        await asyncio.gather(*greedy, polite, own)
        assert done.count("refused") == 50 - module.MOST_PER_GUEST - 1  # one of them ran at once
        assert failed(metrics, "nap", "full") == done.count("refused")
        answered = [owner for owner in done if owner != "refused"]
        assert answered.index("ann") <= 3, "she waits for those that ran already, not for the whole queue"
        assert answered.index("") <= 1, "a worker is kept for the server itself"
        await jobs.close()

    run(story())


# --- Bots -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("choice", [hang, nonsense])
def test_bots_that_hang_or_fail_are_replaced(
    choice: object, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """Four tables whose bots all hang: every table goes on, and more bots than workers were stopped."""

    async def story() -> None:
        async with serving(free_data(tmp_path), bot_limit=0.1) as server:
            server.live.thinkers.choose = choice  # type: ignore[assignment]
            people = [await server.arrive(name) for name in ("Ann", "Ben", "Cleo", "Dora")]

            async def play(person: int) -> None:
                ann = people[person]
                await ann.connect()
                body = {"game": "linko", "edition": "basic", "players": 3, "speed": "instant"}
                table = (await ann.post("/api/play", body))["id"]
                shown = await ann.watch(table)
                rng = random.Random(person)
                by_bots = 0
                while by_bots < 2:
                    legal = (shown["game"].get("own") or {}).get("legal", [])
                    if legal:
                        await ann.act(table, rng.choice(legal), shown["number"])
                    shown = await ann.next("happened", lambda message: "game" in message)
                    shown["number"] = shown["what"]["number"]
                    by_bots += shown["what"].get("by") == "bot"

            await asyncio.gather(*map(play, range(4)))
            replaced = server.live.context.metrics.bots_replaced.labels(USUAL_BOT)._value.get()
            assert replaced >= 4
            for person in people:
                await person.close()

    with caplog.at_level(logging.CRITICAL, "lynxden.server"):
        run(story())


def test_a_game_against_bots_is_played_to_its_end(tmp_path: Path) -> None:
    async def story() -> None:
        async with serving(free_data(tmp_path)) as server, await server.arrive("Ann") as ann:
            await ann.connect()
            body = {"game": "blocco", "bots": ["lynx", "hunter"], "speed": "instant"}
            table = (await ann.post("/api/play", body))["id"]
            await play_out(ann, await ann.watch(table), random.Random(3))
            jobs = server.live.context.metrics.job_seconds.labels("bot")
            assert jobs._sum.get() > 0

    run(story())
