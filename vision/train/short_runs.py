"""What the small networks (sieve, look at jokers, look at names) share: the loop of a run, light, and shipping."""

from __future__ import annotations

import hashlib
import json
import logging
import math
from collections.abc import Callable
from pathlib import Path

import cv2
import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

log = logging.getLogger(__name__)
_OPSET = 17
_LAST_SHARE = 0.02
"""Share of the learning rate that is left at the end of a run."""


def fit(
    net: nn.Module, loss_at: Callable[[int], Tensor], steps: int, lr: float, *, decay: float = 0.02, warmup: int = 100
) -> None:
    """Lower the loss of `loss_at(step)` for that many steps with AdamW: a warm-up, then a cosine down to nearly 0."""
    optimizer = torch.optim.AdamW(net.parameters(), lr=lr, weight_decay=decay)
    total = 0.0
    for step in range(steps):
        wave = _LAST_SHARE + (1 - _LAST_SHARE) * (1 + math.cos(math.pi * step / steps)) / 2
        for group in optimizer.param_groups:
            group["lr"] = lr * min(1.0, (step + 1) / warmup) * wave
        loss = loss_at(step)
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        optimizer.step()
        total += float(loss.detach())
        if (step + 1) % 100 == 0:
            log.info("step %d: loss %.4f", step + 1, total / 100)
            total = 0.0


def relit(image: NDArray[np.uint8], rng: np.random.Generator) -> NDArray[np.uint8]:
    """Return the picture (h, w, 3) in other light and colours, blurred or noisy, as another camera might see it."""
    kind = rng.random()
    if kind < 0.2:
        image = np.asarray(cv2.GaussianBlur(image, (0, 0), rng.uniform(0.3, 1.2)), np.uint8)
    elif kind < 0.3:
        share, size = rng.uniform(0.4, 0.8), (image.shape[1], image.shape[0])
        small = cv2.resize(image, None, fx=share, fy=share, interpolation=cv2.INTER_AREA)
        image = np.asarray(cv2.resize(small, size, interpolation=cv2.INTER_LINEAR), np.uint8)
    if rng.random() < 0.1:
        image = image[..., rng.permutation(3)]
    values = (image.astype(np.float32) - 128) * np.float32(rng.uniform(0.75, 1.25)) + 128
    values *= (rng.uniform(0.6, 1.3) * rng.uniform(0.9, 1.1, 3)).astype(np.float32)
    if rng.random() < 0.4:
        values += rng.standard_normal(image.shape, np.float32) * np.float32(rng.uniform(1, 8))
    return np.asarray(np.clip(values, 0, 255), np.uint8)


def planes_of(images: NDArray[np.uint8]) -> Tensor:
    """Pictures (n, h, w, 3) as a network takes them: (n, 3, h, w), 0..1."""
    return torch.from_numpy(np.ascontiguousarray(images.transpose(0, 3, 1, 2))).float() / 255


def ship(
    net: nn.Module, models: Path, name: str, ports: tuple[str, str], size: tuple[int, int], **entry: object
) -> None:
    """Write `NAME.onnx` with a dynamic batch of (n, 3, *size) and its entry of `classes.json`; ports: input, output."""
    path = models / f"{name}.onnx"
    torch.onnx.export(
        net.eval(),
        (torch.zeros(2, 3, *size),),
        str(path),
        opset_version=_OPSET,
        dynamo=False,
        input_names=[ports[0]],
        output_names=[ports[1]],
        dynamic_axes={port: {0: "batch"} for port in ports},
    )
    card = json.loads((models / "classes.json").read_text())
    card[name] = {"file": path.name, "sha256": hashlib.sha256(path.read_bytes()).hexdigest(), **entry}
    (models / "classes.json").write_text(json.dumps(card, indent=1) + "\n")
