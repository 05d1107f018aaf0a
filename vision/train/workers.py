"""Several single-threaded workers that average their gradients, and checkpoints that a hard stop cannot halve."""

from __future__ import annotations

import logging
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import cv2
import torch


def run_workers(work: Callable[[int, Any, str], None], config: Any, count: int) -> None:
    """Call `work(rank, config, meeting)` in `count` processes, or here when it is one.

    On a busy machine workers of one thread each waste far less than threads that wait for one another inside every
    single operation.
    """
    if count > 1:
        torch.multiprocessing.spawn(work, (config, tempfile.mkdtemp() + "/meeting"), nprocs=count)
    else:
        work(0, config, "")


def join(rank: int, count: int, meeting: str, threads: int, seed: int) -> None:
    """Set up one worker: threads, seed, log, and the group when there is one."""
    logging.basicConfig(level=logging.INFO if rank == 0 else logging.WARNING, format="%(asctime)s %(message)s")
    torch.set_num_threads(threads)
    cv2.setNumThreads(1)
    torch.manual_seed(seed)
    if meeting:
        torch.distributed.init_process_group("gloo", f"file://{meeting}", rank=rank, world_size=count)


def share_gradients(model: Any) -> None:
    """Average the gradients of all workers, in one message; nothing to do for a single one."""
    if not torch.distributed.is_initialized():
        return
    grads = [p.grad for p in model.parameters() if p.grad is not None]
    flat = torch.cat([grad.reshape(-1) for grad in grads])
    torch.distributed.all_reduce(flat)
    flat /= torch.distributed.get_world_size()
    place = 0
    for grad in grads:
        grad.copy_(flat[place : place + grad.numel()].view_as(grad))
        place += grad.numel()


def save(path: Path, **state: Any) -> None:
    """Write beside and rename: a hard stop never leaves half a checkpoint."""
    torch.save(state, path.with_suffix(".tmp"))
    path.with_suffix(".tmp").replace(path)
