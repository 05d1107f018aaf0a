"""The detector: an ultralytics pose network of one class and four key points, trained from random weights on tiles.

The loop is our own rather than the stock trainer's, because two CPU cores are all there is: bfloat16 and channels-last
cost a third of the stock trainer's time per picture, and turning a tile by 90 degrees is exact and free.
"""

from __future__ import annotations

import logging
import math
import time
from concurrent.futures import ThreadPoolExecutor
from copy import deepcopy
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import cv2
import numpy as np
import torch
from numpy.typing import NDArray
from ultralytics.nn.tasks import PoseModel
from ultralytics.utils import DEFAULT_CFG_DICT

from vision.train.workers import join, run_workers, save, share_gradients

log = logging.getLogger(__name__)
NET = Path(__file__).with_name("index_posen.yaml")
KEYPOINTS = 4


@dataclass(frozen=True)
class DetectorConfig:
    """One run. `iterations` counts batches; `sigma` is the key points' tolerance as a share of the index's size."""

    data: tuple[str, ...]
    out: str
    iterations: int
    start: str = ""
    batch: int = 16
    lr: float = 2e-3
    final: float = 0.02
    warmup: int = 200
    weight_decay: float = 5e-4
    sigma: float = 0.15
    pose: float = 6.0
    seed: int = 1
    threads: int = 2
    every: int = 200
    workers: int = 1
    crop: int = 0
    gains: dict[str, float] = field(default_factory=dict)


def network(config: DetectorConfig | None = None) -> Any:
    """The network with random weights, or those of `config.start`, its loss gains set."""
    model = PoseModel(str(NET), nc=1, data_kpt_shape=(KEYPOINTS, 3), verbose=False)
    args = dict(DEFAULT_CFG_DICT)
    args.update(task="pose", pose=config.pose if config else 6.0, **(config.gains if config else {}))
    model.args = SimpleNamespace(**args)
    model.names = {0: "index"}
    if config and config.start:
        model.load_state_dict(torch.load(config.start, map_location="cpu", weights_only=False)["ema"])
    return model


class KeypointDistance(torch.nn.Module):
    """Pseudo-Huber distance of key points in units of `sigma` times the index's size.

    The stock OKS loss, 1 - exp(-e), has no gradient left where a point is still far off, so that the corners of an
    index start to be learnt only late; this one pulls from any distance. Most of it counts the nearer of the two
    directions: which end is up is hard to see early on, and averaging both would put all corners in the middle; the
    classifier tells the ends apart.
    """

    def __init__(self, sigma: float, either: float = 0.7) -> None:
        super().__init__()
        self.sigma, self.either = sigma, either

    def forward(
        self, points: torch.Tensor, truth: torch.Tensor, mask: torch.Tensor, area: torch.Tensor
    ) -> torch.Tensor:
        """Points and truth (n, k, 2 or 3) in grid cells, mask (n, k), area (n, 1); one number."""
        upright = self._each(points, truth, mask, area)
        turned = self._each(points, truth.roll(2, 1), mask.roll(2, 1), area)
        return (self.either * torch.minimum(upright, turned) + (1 - self.either) * upright).mean()

    def _each(self, points: torch.Tensor, truth: torch.Tensor, mask: torch.Tensor, area: torch.Tensor) -> torch.Tensor:
        square = (points[..., :2] - truth[..., :2]).pow(2).sum(-1)
        error = square / ((2 * self.sigma) ** 2 * (area + 1e-9) * 2)
        return (((1 + 2 * error).sqrt() - 1) * mask).sum(1) / (mask.sum(1) + 1e-9)


class Tiles:
    """Tiles and labels of some folders; a picture is read when it is asked for and turned by a random quarter."""

    def __init__(self, folders: tuple[str, ...], seed: int, share: tuple[int, int] = (0, 1), crop: int = 0) -> None:
        # a picture without its label file is one that a running generator has not finished yet
        self.paths = [
            path
            for folder in folders
            for path in sorted((Path(folder) / "images").glob("*.jpg"))
            if (path.parent.parent / "labels" / f"{path.stem}.txt").exists()
        ]
        self.labels = [self._label(path) for path in self.paths]
        self.seed = seed
        self.share = share
        self.crop = crop

    @staticmethod
    def _label(path: Path) -> NDArray[np.float32]:
        text = (path.parent.parent / "labels" / f"{path.stem}.txt").read_text()
        return np.array([line.split() for line in text.splitlines()], np.float32).reshape(-1, 5 + 3 * KEYPOINTS)

    def item(self, number: int, turns: int) -> tuple[NDArray[np.uint8], NDArray[np.float32]]:
        """Picture (RGB) and labels of one tile turned by `turns` quarters anticlockwise."""
        image = cv2.imread(str(self.paths[number]))
        assert image is not None
        label = self.labels[number].copy()
        for _ in range(turns):
            for x, y in ((1, 2), *((5 + 3 * k, 6 + 3 * k) for k in range(KEYPOINTS))):
                label[:, x], label[:, y] = label[:, y].copy(), 1 - label[:, x]
            label[:, 3], label[:, 4] = label[:, 4].copy(), label[:, 3].copy()
        return np.ascontiguousarray(np.rot90(image, turns)[..., ::-1]), label

    def batch(self, iteration: int, size: int) -> dict[str, torch.Tensor]:
        """The batch of one iteration: an epoch is a permutation of all tiles, fixed by the seed."""
        per_epoch = max(1, len(self.paths) // size)
        epoch, place = divmod(iteration, per_epoch)
        order = np.random.default_rng([self.seed, epoch]).permutation(len(self.paths))
        rank, workers = self.share
        rng = np.random.default_rng([self.seed, epoch, place, rank])
        mine = order[place * size : (place + 1) * size][rank::workers]
        items = [self.item(int(n), int(rng.integers(4))) for n in mine]
        if self.crop:
            items = [cropped(image, label, self.crop, rng) for image, label in items]
        gains = rng.uniform(0.85, 1.15, (len(items), 1, 1, 3)) * rng.uniform(0.75, 1.2, (len(items), 1, 1, 1))
        images = np.stack([item[0] for item in items]).astype(np.float32) * gains.astype(np.float32) / 255
        labels = [item[1] for item in items]
        flat = np.concatenate(labels)
        return {
            "img": torch.from_numpy(np.clip(images, 0, 1)).permute(0, 3, 1, 2),
            "batch_idx": torch.from_numpy(
                np.concatenate([np.full(len(v), k, np.float32) for k, v in enumerate(labels)])
            ),
            "cls": torch.zeros(len(flat), 1),
            "bboxes": torch.from_numpy(flat[:, 1:5]),
            "keypoints": torch.from_numpy(flat[:, 5:]).view(-1, KEYPOINTS, 3),
        }


def cropped(
    image: NDArray[np.uint8], label: NDArray[np.float32], side: int, rng: np.random.Generator
) -> tuple[NDArray[np.uint8], NDArray[np.float32]]:
    """A square part of a tile round one of its indices: more indices for each pixel that is computed.

    Indices that keep less than half of their box are dropped, key points outside lose their visibility.
    """
    height, width = image.shape[:2]
    centre: NDArray[np.floating[Any]] = np.array([width, height]) / 2
    if len(label):
        weights = 1 + 3 * label[:, 0]  # a joker's mark has 1 here
        centre = label[int(rng.choice(len(label), p=weights / weights.sum())), 1:3] * (width, height)
    left, top = np.clip(centre - rng.uniform(0.15, 0.85, 2) * side, 0, (width - side, height - side)).astype(int)
    out = label.copy()
    out[:, 5::3] = (label[:, 5::3] * width - left) / side
    out[:, 6::3] = (label[:, 6::3] * height - top) / side
    low = (label[:, 1:3] - label[:, 3:5] / 2) * (width, height) - (left, top)
    high = (label[:, 1:3] + label[:, 3:5] / 2) * (width, height) - (left, top)
    low, high = np.clip(low / side, 0, 1), np.clip(high / side, 0, 1)
    out[:, 1:3], out[:, 3:5] = (low + high) / 2, high - low
    kept = out[:, 3] * out[:, 4] * side * side > 0.5 * label[:, 3] * label[:, 4] * width * height
    points = out[:, 5:].reshape(-1, KEYPOINTS, 3)
    points[((points[..., :2] < 0) | (points[..., :2] > 1)).any(-1)] = 0
    return np.ascontiguousarray(image[top : top + side, left : left + side]), out[kept]


def _optimizer(model: Any, config: DetectorConfig) -> torch.optim.Optimizer:
    decay = [p for n, p in model.named_parameters() if p.requires_grad and p.ndim > 1]
    plain = [p for n, p in model.named_parameters() if p.requires_grad and p.ndim <= 1]
    groups = [{"params": decay, "weight_decay": config.weight_decay}, {"params": plain, "weight_decay": 0.0}]
    return torch.optim.AdamW(groups, lr=config.lr, betas=(0.9, 0.99))


def _rate(config: DetectorConfig, iteration: int) -> float:
    if iteration < config.warmup:
        return config.lr * (iteration + 1) / config.warmup
    share = (iteration - config.warmup) / max(1, config.iterations - config.warmup)
    return config.lr * (config.final + (1 - config.final) * (1 + math.cos(math.pi * min(1.0, share))) / 2)


@torch.no_grad()
def _average(ema: Any, model: Any, iteration: int) -> None:
    keep = 0.9985 * (1 - math.exp(-(iteration + 1) / 150))
    source = model.state_dict()
    for name, value in ema.state_dict().items():
        if value.dtype.is_floating_point:
            value.mul_(keep).add_(source[name].detach(), alpha=1 - keep)
        else:
            value.copy_(source[name])


def train(config: DetectorConfig) -> Path:
    """Train, from the last checkpoint of `config.out` if there is one; returns the checkpoint's path."""
    Path(config.out).mkdir(parents=True, exist_ok=True)
    run_workers(_work, config, config.workers)
    return Path(config.out) / "last.pt"


def _work(rank: int, config: DetectorConfig, meeting: str) -> None:
    join(rank, config.workers, meeting, config.threads, config.seed)
    checkpoint = Path(config.out) / "last.pt"
    model = network(config)
    ema = deepcopy(model).eval()
    model = model.to(memory_format=torch.channels_last).train()
    optimizer = _optimizer(model, config)
    start = 0
    if checkpoint.exists():
        state = torch.load(checkpoint, map_location="cpu", weights_only=False)
        model.load_state_dict(state["model"])
        ema.load_state_dict(state["ema"])
        optimizer.load_state_dict(state["optimizer"])
        start = state["iteration"]
    tiles = Tiles(config.data, config.seed, (rank, config.workers), config.crop)
    log.info("%d tiles, from iteration %d of %d", len(tiles.paths), start, config.iterations)
    criterion = loss_of(model, config)
    sums, began, counted = np.zeros(5), time.perf_counter(), start
    with ThreadPoolExecutor(1) as pool:
        coming = pool.submit(tiles.batch, start, config.batch)
        for iteration in range(start, config.iterations):
            batch = coming.result()
            coming = pool.submit(tiles.batch, iteration + 1, config.batch)
            sums += step(model, criterion, optimizer, batch, _rate(config, iteration))
            done = iteration + 1
            if rank != 0:
                continue
            _average(ema, model, iteration)
            if done % config.every == 0 or done == config.iterations:
                save(
                    checkpoint,
                    model=model.state_dict(),
                    ema=ema.state_dict(),
                    optimizer=optimizer.state_dict(),
                    iteration=done,
                )
                _report(done, sums / (done - counted), (time.perf_counter() - began) / (done - counted) / config.batch)
                sums, began, counted = np.zeros(5), time.perf_counter(), done


def _report(done: int, parts: NDArray[np.float64], seconds: float) -> None:
    names = ("box", "pose", "kobj", "cls", "dfl")
    losses = " ".join(f"{name} {value:.3f}" for name, value in zip(names, parts, strict=True))
    log.info("iteration %d: %s, %.3f s an image", done, losses, seconds)


def loss_of(model: Any, config: DetectorConfig) -> Any:
    """The stock pose loss with our key point distance."""
    criterion = model.init_criterion()
    criterion.keypoint_loss = KeypointDistance(config.sigma)
    return criterion


def step(
    model: Any, criterion: Any, optimizer: torch.optim.Optimizer, batch: dict[str, torch.Tensor], rate: float
) -> NDArray[np.float64]:
    """One update; returns the five loss parts."""
    for group in optimizer.param_groups:
        group["lr"] = rate
    image = batch["img"].to(memory_format=torch.channels_last)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        raw = model(image)
    preds = {k: [f.float() for f in v] if isinstance(v, list) else v.float() for k, v in raw.items()}
    loss, parts = criterion(preds, batch)
    optimizer.zero_grad(set_to_none=True)
    loss.sum().div(len(image)).backward()
    share_gradients(model)
    torch.nn.utils.clip_grad_norm_(model.parameters(), 10.0)
    optimizer.step()
    return np.array([float(value) for value in parts.values()])
