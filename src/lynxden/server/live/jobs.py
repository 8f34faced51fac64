"""One runner for all work that takes longer than a millisecond: imports, replays, loading, bots.

Work is done in worker processes (`worker.py`), so the event loop never waits for it, and a limit of time
really ends it: the worker is killed. The queue is bounded. The server's own work (owner "") and that of
guests take turns, guests take turns among each other, and so do the kinds of the server's own work: nobody
can crowd out anybody. Of several workers one is always kept for the server's own work, and one for whatever
is not a bot: bots think for long, and a table that is loaded shall not wait for them.
"""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import socket
import threading
import time
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from typing import Protocol, TypeVar, TypeVarTuple

from lynxden.server.errors import Code, Refusal, without_frames
from lynxden.server.live.worker import HEADER, NURSERY, WorkerLost, answer, packed, unpacked
from lynxden.server.metrics import Metrics

Args = TypeVarTuple("Args")
T = TypeVar("T")

MOST_OWN = 10_000
"""Jobs of the server itself that may wait."""
MOST_GUESTS = 200
"""Jobs of all guests together that may wait."""
MOST_PER_GUEST = 8
"""Jobs of one guest that may wait."""
BOT = "bot"
"""The kind of job that takes long as a rule."""
ATTEMPTS = 2
"""How often a job is tried whose worker was lost for no fault of its own."""


class JobsFull(Refusal):
    """Too many jobs wait already, or the server stops."""

    def __init__(self) -> None:
        super().__init__(Code.UNAVAILABLE, "the server has too much to do at the moment; try again")


class JobTimeout(Refusal):
    """A job took longer than it may."""

    def __init__(self, kind: str, limit: float) -> None:
        super().__init__(
            Code.UNAVAILABLE, f"this took longer than {limit:g} seconds and was stopped ({kind})"
        )


class Job:
    """A call that waits, or is carried out."""

    __slots__ = ("call", "done", "kind", "limit", "owner", "turn")

    def __init__(self, kind: str, call: bytes, owner: str, limit: float) -> None:
        self.kind = kind
        self.call = call
        self.owner = owner
        self.turn = owner or kind
        """With whom it takes turns: jobs of the same name wait for each other."""
        self.limit = limit
        self.done: asyncio.Future[bytes] = asyncio.get_running_loop().create_future()


class Queue:
    """Jobs that wait; owners take turns, and in the server's own work kinds do."""

    def __init__(self, most: int, most_each: int) -> None:
        self._most = most
        self._most_each = most_each
        self._owners: deque[str] = deque()
        """Whose turn it is, first the next one."""
        self._waiting: dict[str, deque[Job]] = {}
        self._count = 0

    def __len__(self) -> int:
        return self._count

    def add(self, job: Job) -> None:
        """Let a job wait its turn; `JobsFull` if there are too many."""
        mine = self._waiting.get(job.turn)
        if self._count >= self._most or (mine is not None and len(mine) >= self._most_each):
            raise JobsFull
        if mine is None:
            mine = self._waiting[job.turn] = deque()
            self._owners.append(job.turn)
        mine.append(job)
        self._count += 1

    def take(self, but: str = "") -> Job | None:
        """The next job, of anybody but one; its owner's next one comes after everybody else's."""
        while owner := next((each for each in self._owners if each != but), ""):
            self._owners.remove(owner)
            mine = self._waiting[owner]
            job = mine.popleft()
            self._count -= 1
            if mine:
                self._owners.append(owner)
            else:
                del self._waiting[owner]
            if not job.done.done():  # nobody waits for it any more
                return job
        return None


class Worker(Protocol):
    """Something that carries out calls, one after the other."""

    async def call(self, call: bytes) -> bytes:
        """The answer to a call; `WorkerLost` if the worker ends meanwhile."""

    def kill(self) -> None:
        """Stop it, whatever it does."""


class Fork:
    """A worker that another thread has made: perhaps only after nobody wants it any more."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._made: tuple[int, socket.socket] | None = None
        self._wanted = True

    def make(self) -> tuple[int, socket.socket]:
        """Make it. Waits until it is ready."""
        made = NURSERY.fork()
        with self._lock:
            self._made = made
            wanted = self._wanted
        if not wanted:
            self._end(made)
        return made

    def give_up(self) -> None:
        """Want it no longer."""
        with self._lock:
            self._wanted = False
            made = self._made
        if made is not None:
            self._end(made)

    def _end(self, made: tuple[int, socket.socket]) -> None:
        pid, connection = made
        connection.close()
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


class ProcessWorker:
    """A worker process, from the server's side."""

    def __init__(self, pid: int, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._pid = pid
        self._reader = reader
        self._writer = writer

    @classmethod
    async def start(cls) -> ProcessWorker:
        fork = Fork()
        try:
            pid, connection = await asyncio.to_thread(fork.make)
        except asyncio.CancelledError:
            fork.give_up()
            raise
        reader, writer = await asyncio.open_connection(sock=connection)
        return cls(pid, reader, writer)

    async def call(self, call: bytes) -> bytes:
        try:
            self._writer.write(call)
            (size,) = HEADER.unpack(await self._reader.readexactly(HEADER.size))
            return await self._reader.readexactly(size)
        except (OSError, asyncio.IncompleteReadError) as error:
            raise WorkerLost("the worker ended") from error

    def kill(self) -> None:
        self._writer.close()
        with suppress(ProcessLookupError):
            os.kill(self._pid, signal.SIGKILL)


class ThreadWorker:
    """Where the system cannot fork. A thread cannot be stopped: one that overruns goes on unheard."""

    async def call(self, call: bytes) -> bytes:
        return await asyncio.to_thread(answer, call[HEADER.size :])

    def kill(self) -> None:
        pass


async def start_worker() -> Worker:
    return await ProcessWorker.start() if hasattr(os, "fork") else ThreadWorker()


class Jobs:
    """The runner of one server."""

    def __init__(self, workers: int, metrics: Metrics, log: logging.Logger) -> None:
        self._workers = workers
        self._metrics = metrics
        self._log = log
        self._own = Queue(MOST_OWN, MOST_OWN)
        self._guests = Queue(MOST_GUESTS, MOST_PER_GUEST)
        self._guest_turn = False
        self._guests_running = 0
        self._bots_running = 0
        self._idle: list[Worker] = []
        self._generation = 0
        """Workers of an earlier one are not used again."""
        self._running: set[asyncio.Task[None]] = set()
        self._starting: asyncio.Task[None] | None = None
        self._closed = False

    def start(self) -> asyncio.Task[None]:
        """Have a worker ready before anybody needs one. Nobody has to wait for it but the first job."""
        self._starting = asyncio.create_task(self._start_first())
        return self._starting

    async def _start_first(self) -> None:
        try:
            self._idle.append(await start_worker())
        except WorkerLost as error:
            self._log.warning("no worker is ready yet: %s", error.text)

    def renew(self) -> None:
        """Use new workers from now on: the nursery has loaded more than the present ones have."""
        self._generation += 1
        for worker in self._idle:
            worker.kill()
        self._idle.clear()

    async def run(
        self, kind: str, work: Callable[[*Args], T], *args: *Args, owner: str = "", limit: float = 10.0
    ) -> T:
        """What a function of a module returns, carried out in a worker process.

        `kind` is for the metrics; `owner` is the guest or address who asked, empty for the server itself;
        `limit` are the seconds that it may take once it has begun.
        """
        if self._closed:
            raise JobsFull
        job = Job(kind, packed(work, args), owner, limit)
        queue = self._guests if owner else self._own
        try:
            queue.add(job)
        except JobsFull:
            self._metrics.jobs_failed.labels(kind, "full").inc()
            raise
        self._dispatch()
        try:
            found: T = unpacked(await job.done)
        finally:
            del job  # it refers to the error, if there was one, and the error to this frame
        return found

    def _dispatch(self) -> None:
        """Give waiting jobs to workers, as long as there are any of both."""
        while len(self._running) < self._workers and not self._closed:
            job = self._next()
            if job is None:
                break
            task = asyncio.create_task(self._carry_out(job))
            self._running.add(task)
            self._guests_running += job.owner != ""
            self._bots_running += job.turn == BOT
            task.add_done_callback(lambda task, job=job: self._ended(task, job))  # type: ignore[misc]
        self._metrics.jobs_waiting.set(len(self._own) + len(self._guests))

    def _next(self) -> Job | None:
        most = max(1, self._workers - 1)
        guests_may = self._guests_running < most
        queues = (self._guests, self._own) if self._guest_turn else (self._own, self._guests)
        but = BOT if self._bots_running >= most else ""
        for queue in queues:
            job = queue.take(but) if queue is self._own or guests_may else None
            if job is not None:
                self._guest_turn = queue is self._own
                return job
        return None

    def _ended(self, task: asyncio.Task[None], job: Job) -> None:
        self._running.discard(task)
        self._guests_running -= job.owner != ""
        self._bots_running -= job.turn == BOT
        if not task.cancelled() and task.exception() is not None:
            self._log.error("the job runner failed", exc_info=task.exception())
        if not job.done.done():
            job.done.set_exception(JobsFull())
        self._dispatch()

    async def _carry_out(self, job: Job) -> None:
        began = time.perf_counter()
        try:
            answer = await self._attempt(job)
        except TimeoutError:
            self._fail(job, "timeout", JobTimeout(job.kind, job.limit))
        except WorkerLost as error:
            self._fail(job, "lost", without_frames(error))  # they refer to the job
        else:
            if not job.done.done():
                job.done.set_result(answer)
        finally:
            self._metrics.job_seconds.labels(job.kind).observe(time.perf_counter() - began)

    def _fail(self, job: Job, why: str, error: Exception) -> None:
        self._metrics.jobs_failed.labels(job.kind, why).inc()
        if not job.done.done():
            job.done.set_exception(error)

    async def _attempt(self, job: Job) -> bytes:
        """The answer to a call. A worker that overruns or is lost is not used again."""
        for attempt in range(1, ATTEMPTS + 1):
            generation = self._generation
            worker = self._idle.pop() if self._idle else await start_worker()
            try:
                async with asyncio.timeout(job.limit):
                    answer = await worker.call(job.call)
            except WorkerLost:
                worker.kill()
                if attempt == ATTEMPTS:
                    raise
            except BaseException:
                worker.kill()
                raise
            else:
                if generation == self._generation:
                    self._idle.append(worker)
                else:
                    worker.kill()
                return answer
        raise AssertionError("the last attempt returns or raises")

    async def close(self) -> None:
        """End everything, whether it is done or not."""
        self._closed = True
        work = [*self._running, *([self._starting] if self._starting is not None else [])]
        for task in work:
            task.cancel()
        await asyncio.gather(*work, return_exceptions=True)
        for queue in (self._own, self._guests):
            while (job := queue.take()) is not None:
                job.done.set_exception(JobsFull())
        for worker in self._idle:
            worker.kill()
        self._idle.clear()
