"""Photo processes behind a bounded queue.

`PhotoPool.place()` is taken before a photo's bytes are read from the network, so that memory is bounded by the number
of places; with none left the caller gets a 503 at once. A process that dies, hangs or answers nonsense is replaced;
only the photo that it was reading is lost.
"""

from __future__ import annotations

import asyncio
import importlib.util
import logging
import sys
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Any, Final, NamedTuple

import orjson

from api.figures import Figures
from api.photo_worker import HEAD, SIZE
from api.problems import Problem
from api.settings import Settings

LOGGER: Final = logging.getLogger("burraco.api")
_START_SECONDS: Final = 60.0
#: What the reader needs; all come with `pip install 'burraco[vision]'`.
_NEEDS: Final = ("numpy", "cv2", "onnxruntime", "PIL", "vision.photo")


class PhotoAnswer(NamedTuple):
    """What a photo process answered: the contract's photo result, or an error object, and the drawn picture.

    `failed` is empty, or `memory` or the name of an error that the reader should not have raised.
    """

    result: dict[str, Any] | None
    error: dict[str, Any] | None
    picture: bytes
    failed: str = ""


class WorkerLost(Exception):
    """The process ended, or answered nonsense, while it had a photo."""


class Worker:
    """One photo process; used by one request at a time."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.process: asyncio.subprocess.Process | None = None

    async def start(self) -> None:
        """Start the process and wait until its models are loaded."""
        s = self.settings
        command = ("-m", "api.photo_worker", s.photo_module, str(s.photo_threads), str(s.photo_memory_mb))
        self.process = await asyncio.create_subprocess_exec(
            sys.executable, *command, str(s.photo_nice),
            stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, limit=2**20,
        )  # fmt: skip
        async with asyncio.timeout(_START_SECONDS):
            await self._answer()

    async def read(self, data: bytes, options: dict[str, Any]) -> PhotoAnswer:
        """Read one photo; WorkerLost when the process ends on it."""
        process = await self.alive()
        assert process.stdin is not None
        head = orjson.dumps(options)
        try:
            process.stdin.write(HEAD.pack(len(head)) + head + SIZE.pack(len(data)))
            process.stdin.write(data)
            await process.stdin.drain()
            answer, picture = await self._answer()
        except (OSError, EOFError, ValueError) as error:
            raise WorkerLost(str(error)) from error
        return PhotoAnswer(answer.get("result"), answer.get("error"), picture, answer.get("failed", ""))

    async def alive(self) -> asyncio.subprocess.Process:
        """The running process, started when there is none; WorkerLost when it cannot be."""
        if self.process is None or self.process.returncode is not None:
            try:
                await self.start()
            except (OSError, EOFError, ValueError) as error:
                raise WorkerLost(str(error)) from error
        assert self.process is not None
        return self.process

    async def _answer(self) -> tuple[dict[str, Any], bytes]:
        assert self.process is not None and self.process.stdout is not None
        stream = self.process.stdout
        head = await stream.readexactly(HEAD.unpack(await stream.readexactly(HEAD.size))[0])
        picture = await stream.readexactly(SIZE.unpack(await stream.readexactly(SIZE.size))[0])
        answer: dict[str, Any] = orjson.loads(head)
        return answer, picture

    async def stop(self) -> None:
        """End the process, whatever it is doing, and wait for it."""
        process, self.process = self.process, None
        if process is None:
            return
        if process.returncode is None:
            with suppress(ProcessLookupError):
                process.kill()
        await process.wait()


class PhotoPool:
    """Workers and the places of those who wait for one."""

    def __init__(self, settings: Settings, figures: Figures) -> None:
        self.settings = settings
        self.figures = figures
        self.workers = [Worker(settings) for _ in range(settings.photo_workers)]
        self.free: asyncio.Queue[Worker] = asyncio.Queue()
        self.places = settings.photo_workers + settings.photo_queue
        self.taken = 0
        self.last_seconds = 2.0
        self.missing = _missing(settings.photo_module)
        self._started = False
        self._tasks: set[asyncio.Task[None]] = set()

    def open(self) -> None:
        """Begin to start the processes (in the background: scoring need not wait for models to load)."""
        for worker in self.workers:
            if self.missing:
                self.free.put_nowait(worker)
            else:
                self._start(worker)

    def _start(self, worker: Worker) -> None:
        """Start a process in the background; it is free once it is ready, or to be tried again by the next photo."""
        task = asyncio.create_task(self._started_then_free(worker))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _started_then_free(self, worker: Worker) -> None:
        try:
            await worker.alive()
            self._started = True
        except (WorkerLost, TimeoutError) as error:
            LOGGER.error("photo process did not start", extra={"fields": {"reason": str(error)}})
            self._started = False
            await worker.stop()
        self.free.put_nowait(worker)

    async def close(self) -> None:
        """Stop every process."""
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, *(worker.stop() for worker in self.workers), return_exceptions=True)

    @property
    def ready(self) -> bool:
        """Whether a photo can be read here, or never will be (then nothing is awaited)."""
        return self.missing or not self.workers or self._started

    @asynccontextmanager
    async def place(self) -> AsyncIterator[None]:
        """A place in the queue, for the whole of a photo's stay; 503 with Retry-After when there is none."""
        if self.missing:
            raise Problem(501, "vision_missing")
        if not self.workers:
            raise Problem(501, "photo_off")
        if self.taken >= self.places:
            self.figures.photos.labels("refused").inc()
            wait = max(1, round(self.last_seconds * self.taken / len(self.workers)))
            raise Problem(503, "photo_queue_full", headers={"Retry-After": str(wait)}, seconds=wait)
        self.taken += 1
        self.figures.photos_waiting.set(self.taken)
        try:
            yield
        finally:
            self.taken -= 1
            self.figures.photos_waiting.set(self.taken)

    async def read(self, data: bytes, options: dict[str, Any]) -> PhotoAnswer:
        """Wait for a free process and let it read; the time limit counts from when it begins."""
        worker = await self.free.get()
        began = time.perf_counter()
        whole = False
        try:
            async with asyncio.timeout(self.settings.photo_seconds):
                answer = await worker.read(data, options)
            # After it ran out of memory a process may be left in any state: it is replaced.
            whole = answer.failed != "memory"
            outcome = "failed" if answer.failed else "refused_image" if answer.error else "read"
            self.figures.photos.labels(outcome).inc()
            return answer
        except TimeoutError:
            self.figures.photos.labels("timeout").inc()
            raise Problem(504, "photo_timeout", seconds=f"{self.settings.photo_seconds:g}") from None
        except WorkerLost as error:
            self.figures.photos.labels("lost").inc()
            LOGGER.error("photo process lost", extra={"fields": {"reason": str(error)}})
            raise Problem(503, "photo_worker_lost", headers={"Retry-After": "1"}) from None
        finally:
            took = time.perf_counter() - began
            self.figures.photo_seconds.observe(took)
            if whole:
                self.last_seconds = 0.7 * self.last_seconds + 0.3 * took
            await self._give_back(worker, whole)

    async def _give_back(self, worker: Worker, whole: bool) -> None:
        """A worker whose answer was not read to its end (a death, a time-out, a client gone) cannot be used again."""
        if whole:
            self.free.put_nowait(worker)
            return
        try:
            await asyncio.shield(worker.stop())
        finally:
            self._start(worker)


def _missing(module: str) -> bool:
    """Whether the reader cannot run here; only the shipped one is looked at."""
    if module != "api.photo_reader":
        return False
    try:
        return any(importlib.util.find_spec(name) is None for name in _NEEDS)
    except ModuleNotFoundError:
        return True
