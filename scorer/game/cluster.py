"""A simulation on a Dask cluster (extra `cluster`): chunks out, results back, in whatever order they are done.

Only so many chunks are out at a time that every worker has the next one waiting. Dask itself plays a chunk again whose
worker is lost; so that one bad chunk cannot eat a cluster, it is given up after `RETRIES` lost workers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from importlib.util import find_spec
from typing import Any, Final

from scorer.errors import BurracoError, MissingExtraError
from scorer.game.chunks import Chunk, work
from scorer.game.simulate import Unit
from scorer.messages import text

#: Seconds to wait for the scheduler and for its first worker.
PATIENCE: Final = 10
#: Workers that may be lost under one chunk.
RETRIES: Final = 5
#: Chunks that are out for each thread of the cluster: the one that is played, and the next.
AHEAD: Final = 2


def on_cluster(address: str, cut: Callable[[int], Sequence[Chunk]]) -> Iterator[list[Unit]]:
    """Play chunks on the cluster at `address`; `cut` makes them, told how many threads there are.

    BurracoError in one line when no scheduler answers, when it has no workers, or when they lack this package.
    """
    if find_spec("distributed") is None:
        params = {"feature": "simulate --cluster", "extra": "cluster"}
        raise MissingExtraError(text("missing_extra", "en", **params), **params)
    from distributed import as_completed

    client = _client(address)
    try:
        chunks = cut(_threads(client, address))
        coming = iter(chunks)
        out = as_completed(loop=client.loop, with_results=True)
        for _ in range(AHEAD * _threads(client, address)):
            _send(client, out, coming)
        for _, done in out:
            _send(client, out, coming)
            yield done
    except (ModuleNotFoundError, AttributeError) as error:
        raise _refuse("cluster_workers_differ", address, detail=str(error).splitlines()[0][:120]) from None
    finally:
        client.close(timeout=2)


def _send(client: Any, out: Any, coming: Iterator[Chunk]) -> None:
    chunk = next(coming, None)
    if chunk is not None:
        out.add(client.submit(work, chunk, pure=False, retries=RETRIES))


def _client(address: str) -> Any:
    import logging

    from distributed import Client

    logging.getLogger("distributed").setLevel(logging.ERROR)
    try:
        return Client(address, timeout=PATIENCE, set_as_default=False)
    except (OSError, ValueError, TypeError) as error:  # TimeoutError is an OSError
        detail = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise _refuse("cluster_silent", address, detail=detail[:120]) from None


def _threads(client: Any, address: str) -> int:
    try:
        client.wait_for_workers(1, timeout=PATIENCE)
    except TimeoutError:
        raise _refuse("cluster_empty", address) from None
    return sum(client.nthreads().values()) or 1


def _refuse(code: str, address: str, **params: object) -> BurracoError:
    shown = "".join(c for c in address if c.isprintable())[:80]
    return BurracoError(text(code, "en", address=shown, **params), code=code, address=shown, **params)
