"""The classifier: a small convolutional network on rectified crops, 54 classes and the index's side on the card."""

from __future__ import annotations

import logging
import math
import time
from concurrent.futures import ThreadPoolExecutor
from copy import deepcopy
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import cv2
import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from vision.train.crops import SPEC, jittered
from vision.train.table_crops import WIDE
from vision.train.workers import join, run_workers, save, share_gradients
from vision.truth import CLASSES

log = logging.getLogger(__name__)
NONE_CLASS = CLASSES.index("none")
JOKER_CLASS = CLASSES.index("JK")
MOST_ERROR = 0.8
"""Corners farther off than this, in sizes of the box, are not learnt."""


@dataclass(frozen=True)
class ClassifierConfig:
    """One run; `epochs` over all crops of `data`. `smooth` is label smoothing, `joker_gain` a joker's weight."""

    data: tuple[str, ...]
    out: str
    epochs: int = 6
    start: str = ""
    batch: int = 128
    lr: float = 2e-3
    final: float = 0.01
    weight_decay: float = 0.02
    smooth: float = 0.02
    side_gain: float = 0.15
    joker_gain: float = 1.0
    seed: int = 1
    threads: int = 2
    workers: int = 1
    every: int = 100
    corner_gain: float = 1.0


class Block(nn.Module):
    """Two 3 x 3 convolutions with a short cut; the first one may halve the picture."""

    def __init__(self, narrow: int, wide: int, stride: int) -> None:
        super().__init__()
        self.one = nn.Conv2d(narrow, wide, 3, stride, 1, bias=False)
        self.norm_one = nn.BatchNorm2d(wide)
        self.two = nn.Conv2d(wide, wide, 3, 1, 1, bias=False)
        self.norm_two = nn.BatchNorm2d(wide)
        self.cut = nn.Identity() if narrow == wide and stride == 1 else nn.Conv2d(narrow, wide, 1, stride, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        """Shape (n, narrow, h, w) to (n, wide, h / stride, w / stride)."""
        inner = functional.relu(self.norm_one(self.one(x)))
        return functional.relu(self.norm_two(self.two(inner)) + self.cut(x))


class CropNet(nn.Module):
    """(n, 3, 96, 48) crops, RGB 0..1, to logits (n, 54), the logit of a right-hand corner (n, 1), and how far the
    corners of the box are off (n, 8), in widths and heights of the box.
    """

    def __init__(self) -> None:
        super().__init__()
        self.stem = nn.Sequential(nn.Conv2d(3, 24, 3, 2, 1, bias=False), nn.BatchNorm2d(24), nn.ReLU())
        self.body = nn.Sequential(Block(24, 32, 1), Block(32, 64, 2), Block(64, 96, 2), Block(96, 144, 2))
        self.squeeze = nn.Sequential(nn.Conv2d(144, 48, 1, bias=False), nn.BatchNorm2d(48), nn.ReLU())
        self.mix = nn.Sequential(nn.Flatten(), nn.Dropout(0.2), nn.Linear(48 * 6 * 3, 192), nn.ReLU(), nn.Dropout(0.2))
        self.card = nn.Linear(192, len(CLASSES))
        self.side = nn.Linear(192, 1)
        self.corners = nn.Linear(192, 8)

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Logits of the 54 classes and of the right-hand side, and the corners' errors."""
        inner = self.mix(self.squeeze(self.body(self.stem((x - 0.5) * 3))))
        return self.card(inner), self.side(inner), self.corners(inner)


class Sample(NamedTuple):
    """A batch: images (n, 3, 96, 48), classes, sides, and corner errors (n, 8), nan where nobody knows them."""

    images: Tensor
    classes: Tensor
    sides: Tensor
    corners: Tensor


class Crops:
    """All wide crops of some folders in memory; the box is moved and the light is changed anew for every batch."""

    def __init__(self, folders: tuple[str, ...]) -> None:
        files = [path for folder in folders for path in sorted(Path(folder).glob("*.npz")) if ".part" not in path.name]
        parts = [np.load(path) for path in files]
        self.images: NDArray[np.uint8] = np.concatenate([part["images"] for part in parts])
        self.classes: NDArray[np.int64] = np.concatenate([part["classes"] for part in parts])
        self.sides: NDArray[np.int64] = np.concatenate([part["sides"] for part in parts])
        self.corners: NDArray[np.float32] = np.concatenate([part["corners"] for part in parts])
        self.jitter: NDArray[np.float32] = np.concatenate([part["jitter"] for part in parts])

    def batch(self, rows: NDArray[np.int64], rng: np.random.Generator | None) -> Sample:
        """The crops of these rows; without a generator as they were proposed, their box unmoved."""
        images = np.empty((len(rows), SPEC.height, SPEC.width, 3), np.uint8)
        corners = np.empty((len(rows), 4, 2), np.float32)
        for place, row in enumerate(rows.tolist()):
            box = WIDE.inner().astype(np.float64)
            if rng is not None:
                box = jittered(
                    rng, box, float(self.jitter[row]) * float(rng.choice([0.4, 1.0, 1.8], p=[0.4, 0.4, 0.2]))
                )
            images[place], corners[place] = recut(self.images[row], self.corners[row], box)
            if rng is not None:
                images[place] = _changed(images[place], rng)
        planes = torch.from_numpy(np.ascontiguousarray(images.transpose(0, 3, 1, 2))).float() / 255
        errors = torch.from_numpy(corners.reshape(-1, 8))
        return Sample(planes, torch.from_numpy(self.classes[rows]), torch.from_numpy(self.sides[rows]), errors)


def recut(
    image: NDArray[np.uint8], corners: NDArray[np.float32], box: NDArray[np.float64]
) -> tuple[NDArray[np.uint8], NDArray[np.float32]]:
    """Cut the classifier's crop round a box in a wide crop; with the true corners' errors, in sizes of the box."""
    inner = SPEC.inner()
    warp = cv2.getPerspectiveTransform(box.astype(np.float32) - 0.5, inner - 0.5)
    size = (SPEC.width, SPEC.height)
    crop = cv2.warpPerspective(image, warp, size, flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    errors = np.full((4, 2), np.nan, np.float32)
    if np.isfinite(corners).all():
        moved = cv2.perspectiveTransform(corners[None] - 0.5, warp)[0] + 0.5
        errors = ((moved - inner) / (inner[2] - inner[0])).astype(np.float32)
    return np.asarray(crop, np.uint8), errors


def _changed(image: NDArray[np.uint8], rng: np.random.Generator) -> NDArray[np.uint8]:
    """Other light, blur, noise, resolution, and now and then something over an edge."""
    out = image
    kind = rng.random()
    if kind < 0.2:
        out = np.asarray(cv2.GaussianBlur(out, (0, 0), rng.uniform(0.3, 1.4)), np.uint8)
    elif kind < 0.35:  # seen from farther away
        share = rng.uniform(0.25, 0.7)
        small = cv2.resize(out, None, fx=share, fy=share, interpolation=cv2.INTER_AREA)
        out = np.asarray(cv2.resize(small, (SPEC.width, SPEC.height), interpolation=cv2.INTER_LINEAR), np.uint8)
    elif kind < 0.45:  # sharpened by a phone
        soft = cv2.GaussianBlur(out, (0, 0), 1.2)
        out = np.asarray(cv2.addWeighted(out, 1.8, soft, -0.8, 0), np.uint8)
    colour = rng.random()
    if colour < 0.08:  # the shape alone must do, whatever the deck's colours are
        out = np.repeat(cv2.cvtColor(out, cv2.COLOR_RGB2GRAY)[..., None], 3, axis=2).astype(np.uint8)
    elif colour < 0.15:
        out = out[..., rng.permutation(3)]
    gain: NDArray[np.float32] = (rng.uniform(0.6, 1.3) * rng.uniform(0.9, 1.1, 3)).astype(np.float32)
    values: NDArray[np.float32] = (out.astype(np.float32) - 128) * np.float32(rng.uniform(0.75, 1.25)) + 128
    values *= gain
    if rng.random() < 0.5:
        values += rng.standard_normal(out.shape, np.float32) * np.float32(rng.uniform(1, 9))
    if rng.random() < 0.12:  # something lies over an edge
        x, y = int(rng.integers(0, SPEC.width)), int(rng.integers(0, SPEC.height))
        w, h = int(rng.integers(4, 18)), int(rng.integers(4, 30))
        if min(x, SPEC.width - x) < 12 or min(y, SPEC.height - y) < 18:
            values[y : y + h, x : x + w] = rng.uniform(0, 255, 3)
    return np.asarray(np.clip(values, 0, 255), np.uint8)


def _losses(net: CropNet, batch: Sample, config: ClassifierConfig) -> Tensor:
    images, classes, sides, corners = batch
    with torch.autocast("cpu", dtype=torch.bfloat16):
        card, side, errors = net(images.contiguous(memory_format=torch.channels_last))
    weights = torch.ones(len(CLASSES))
    weights[JOKER_CLASS] = config.joker_gain
    loss = functional.cross_entropy(card.float(), classes, weight=weights, label_smoothing=config.smooth)
    known = sides >= 0
    if known.any():
        right = functional.binary_cross_entropy_with_logits(side.float()[known, 0], sides[known].float())
        loss = loss + config.side_gain * right
    told = torch.isfinite(corners).all(dim=1) & (corners.abs().amax(dim=1) < MOST_ERROR)
    if told.any():
        loss = loss + config.corner_gain * functional.smooth_l1_loss(errors.float()[told], corners[told], beta=0.05)
    return loss


def train(config: ClassifierConfig) -> Path:
    """Train from random weights or `start`; resumed from the last checkpoint when there is one."""
    Path(config.out).mkdir(parents=True, exist_ok=True)
    run_workers(_work, config, config.workers)
    return Path(config.out) / "last.pt"


def _work(rank: int, config: ClassifierConfig, meeting: str) -> None:
    join(rank, config.workers, meeting, config.threads, config.seed)
    checkpoint = Path(config.out) / "last.pt"
    net = CropNet()
    if config.start:
        # older runs have no corners: those start afresh
        net.load_state_dict(torch.load(config.start, map_location="cpu", weights_only=True)["ema"], strict=False)
    net = net.to(memory_format=torch.channels_last)
    ema = deepcopy(net).eval()
    net.train()
    optimizer = torch.optim.AdamW(net.parameters(), lr=config.lr, weight_decay=config.weight_decay)
    begin = 0
    if checkpoint.exists():
        state = torch.load(checkpoint, map_location="cpu", weights_only=True)
        net.load_state_dict(state["model"])
        ema.load_state_dict(state["ema"])
        optimizer.load_state_dict(state["optimizer"])
        begin = state["step"]
    feed = _Feed(Crops(config.data), config, rank)
    log.info("%d crops, from step %d of %d", len(feed.crops.classes), begin, feed.steps)
    total, began, counted = 0.0, time.perf_counter(), begin
    with ThreadPoolExecutor(1) as pool:
        coming = pool.submit(feed.batch, begin)
        for number in range(begin, feed.steps):
            ready = coming.result()
            coming = pool.submit(feed.batch, number + 1)
            total += _update(net, optimizer, ready, config, _rate(config, number, feed.steps))
            if rank != 0:
                continue
            _average(ema, net, number)
            done = number + 1
            if done % config.every == 0 or done == feed.steps:
                state = {"model": net.state_dict(), "ema": ema.state_dict(), "optimizer": optimizer.state_dict()}
                save(checkpoint, **state, step=done)
                spent = (time.perf_counter() - began) / (done - counted) / config.batch
                log.info("step %d: loss %.4f, %.2f ms a crop", done, total / (done - counted), spent * 1000)
                total, began, counted = 0.0, time.perf_counter(), done


class _Feed:
    """The batches of a run: each epoch a permutation of all crops fixed by the seed, shared out to the workers."""

    def __init__(self, crops: Crops, config: ClassifierConfig, rank: int) -> None:
        self.crops, self.config, self.rank = crops, config, rank
        self.each = len(crops.classes) // config.batch
        self.steps = self.each * config.epochs

    def batch(self, step: int) -> Sample:
        """The crops of this worker's part of a step."""
        config = self.config
        epoch, place = divmod(step, self.each)
        order = np.random.default_rng([config.seed, epoch]).permutation(len(self.crops.classes))
        rows = order[place * config.batch : (place + 1) * config.batch][self.rank :: config.workers]
        return self.crops.batch(rows, np.random.default_rng([config.seed, epoch, place, self.rank]))


def _rate(config: ClassifierConfig, step: int, steps: int) -> float:
    rate = config.lr * min(1.0, (step + 1) / 100)
    return rate * (config.final + (1 - config.final) * (1 + math.cos(math.pi * step / steps)) / 2)


def _update(
    net: CropNet,
    optimizer: torch.optim.Optimizer,
    batch: Sample,
    config: ClassifierConfig,
    rate: float,
) -> float:
    for group in optimizer.param_groups:
        group["lr"] = rate
    loss = _losses(net, batch, config)
    optimizer.zero_grad(set_to_none=True)
    loss.backward()
    share_gradients(net)
    optimizer.step()
    return float(loss.detach())


@torch.no_grad()
def _average(ema: CropNet, net: CropNet, iteration: int) -> None:
    keep = 0.998 * (1 - math.exp(-(iteration + 1) / 100))
    source = net.state_dict()
    for name, value in ema.state_dict().items():
        if value.dtype.is_floating_point:
            value.mul_(keep).add_(source[name], alpha=1 - keep)
        else:
            value.copy_(source[name])


@torch.no_grad()
def logits(net: CropNet, crops: Crops) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Class logits (n, 54) and side logits (n,) of all crops."""
    net.eval()
    outputs: list[tuple[Any, Any]] = []
    for start in range(0, len(crops.classes), 512):
        rows = np.arange(start, min(start + 512, len(crops.classes)))
        card, side, _ = net(crops.batch(rows, None).images.contiguous(memory_format=torch.channels_last))
        outputs.append((card.numpy(), side.numpy()[:, 0]))
    return np.concatenate([o[0] for o in outputs]), np.concatenate([o[1] for o in outputs])


def temperature(values: NDArray[np.float32], classes: NDArray[np.int64]) -> float:
    """The temperature that makes the probabilities of these crops most likely: calibration on synthetic validation."""
    best, least = 1.0, math.inf
    for candidate in np.exp(np.linspace(math.log(0.4), math.log(3.0), 60)):
        scaled = torch.from_numpy(values) / float(candidate)
        loss = float(functional.cross_entropy(scaled, torch.from_numpy(classes)))
        if loss < least:
            best, least = float(candidate), loss
    return round(best, 3)
