"""The network of `vision.joker_look`: `python -m vision.train.joker MODELS VALIDATION.npz STEPS SHARDS...`

trains it for that many steps of 128 squares, from random weights or from MODELS/joker.pt where there is one, prints
what it tells of the validation squares, and writes `joker.pt`, `joker.onnx` and its entry of `classes.json`.
"""

from __future__ import annotations

import logging
import math
import sys
from pathlib import Path

import cv2
import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from vision.joker_look import SIDE, SPAN
from vision.train.joker_crops import WIDE
from vision.train.short_runs import fit, planes_of, relit, ship

log = logging.getLogger(__name__)
BATCH = 128
_UNIT = SIDE / SPAN
"""Pixels of an index height in the square."""


def _block(inside: int, outside: int, stride: int) -> nn.Sequential:
    return nn.Sequential(
        nn.Conv2d(inside, outside, 3, stride, 1, bias=False), nn.BatchNorm2d(outside), nn.SiLU(inplace=True)
    )


class JokerNet(nn.Module):
    """(n, 3, 72, 72) squares, RGB 0..1, to (n, 4): logit of a joker's mark, dx, dy and log of its size in heights."""

    def __init__(self) -> None:
        super().__init__()
        self.body = nn.Sequential(
            _block(3, 20, 2),
            _block(20, 32, 1),
            _block(32, 48, 2),
            _block(48, 64, 1),
            _block(64, 96, 2),
            _block(96, 96, 1),
            _block(96, 128, 2),
            nn.Conv2d(128, 48, 1, bias=False),
            nn.BatchNorm2d(48),
            nn.SiLU(inplace=True),
            nn.Flatten(),
            nn.Dropout(0.2),
            nn.Linear(48 * 25, 128),
            nn.SiLU(inplace=True),
            nn.Dropout(0.2),
            nn.Linear(128, 4),
        )

    def forward(self, x: Tensor) -> Tensor:
        """The four numbers."""
        out: Tensor = self.body((x - 0.5) * 3)
        return out


class Squares:
    """All wide squares of some shards in memory, turned, shifted, scaled and lit anew for every batch."""

    def __init__(self, shards: list[Path]) -> None:
        parts = [np.load(path) for path in shards]
        self.images: NDArray[np.uint8] = np.concatenate([part["images"] for part in parts])
        self.labels: NDArray[np.int64] = np.concatenate([part["labels"] for part in parts])
        self.goals: NDArray[np.float32] = np.concatenate([part["goals"] for part in parts])

    def batch(self, rows: NDArray[np.int64], rng: np.random.Generator | None) -> tuple[Tensor, Tensor, Tensor]:
        """Squares (n, 3, 72, 72), labels (n,) and goals (n, 3); without a generator unmoved."""
        images = np.empty((len(rows), SIDE, SIDE, 3), np.uint8)
        goals = self.goals[rows].copy()
        for place, row in enumerate(rows.tolist()):
            turn, scale, shift = 0.0, 1.0, np.zeros(2)
            if rng is not None:
                turn, scale = rng.uniform(0, 2 * math.pi), math.exp(rng.normal(0, 0.12))
                shift = rng.normal(0, 0.1, 2)
            c, s = scale * math.cos(turn), scale * math.sin(turn)
            spin = np.array([[c, -s], [s, c]])
            # what lies `shift` heights from the middle of the wide square comes to the middle of the small one
            offset = SIDE / 2 - 0.5 - spin @ (WIDE / 2 - 0.5 + shift * _UNIT)
            move = np.column_stack([spin, offset])
            picture = cv2.warpAffine(self.images[row], move, (SIDE, SIDE), borderMode=cv2.BORDER_REPLICATE)
            images[place] = picture if rng is None else relit(np.asarray(picture, np.uint8), rng)
            goals[place, :2] = spin @ (goals[place, :2] - shift)
            goals[place, 2] += math.log(scale)
        return planes_of(images), torch.from_numpy(self.labels[rows]).float(), torch.from_numpy(goals)


def loss_of(out: Tensor, labels: Tensor, goals: Tensor) -> Tensor:
    """Cross entropy of being a mark, and the distance of its middle and size."""
    total = functional.binary_cross_entropy_with_logits(out[:, 0], labels)
    known = labels > 0.5
    if known.any():
        total = total + functional.smooth_l1_loss(out[known, 1:], goals[known], beta=0.1)
    return total


def train(data: Squares, steps: int, lr: float = 2e-3, seed: int = 1, start: Path | None = None) -> JokerNet:
    """Train from random weights or those of `start`; a third of every batch are jokers' marks."""
    torch.manual_seed(seed)
    net = JokerNet().to(memory_format=torch.channels_last)
    if start is not None and start.exists():
        net.load_state_dict(torch.load(start, map_location="cpu", weights_only=True))
    yes, no = np.flatnonzero(data.labels == 1), np.flatnonzero(data.labels == 0)

    def loss_at(step: int) -> Tensor:
        rng = np.random.default_rng([seed, step])
        rows = np.concatenate([rng.choice(yes, BATCH // 3), rng.choice(no, BATCH - BATCH // 3)])
        images, labels, goals = data.batch(rows, rng)
        with torch.autocast("cpu", dtype=torch.bfloat16):
            out = net(images.contiguous(memory_format=torch.channels_last))
        return loss_of(out.float(), labels, goals)

    fit(net, loss_at, steps, lr)
    return net.eval()


@torch.no_grad()
def judged(net: JokerNet, data: Squares) -> NDArray[np.float64]:
    """What the network says of all squares, unmoved: (n, 4)."""
    found = []
    for start in range(0, len(data.labels), 512):
        rows = np.arange(start, min(start + 512, len(data.labels)))
        found.append(net(data.batch(rows, None)[0]).numpy().astype(np.float64))
    return np.concatenate(found)


def report(values: NDArray[np.float64], data: Squares) -> None:
    """Log how many marks are found, and how many others are taken for one, at several limits."""
    chance, yes = 1 / (1 + np.exp(-values[:, 0])), data.labels == 1
    for limit in (0.3, 0.5, 0.7, 0.9):
        log.info(
            "limit %.1f: %.3f of the marks, %.4f of what is none",
            limit,
            (chance[yes] >= limit).mean(),
            (chance[~yes] >= limit).mean(),
        )
    off = np.linalg.norm(values[yes, 1:3] - data.goals[yes, :2], axis=1)
    log.info(
        "middle off by %.3f, log size by %.3f (medians)",
        np.median(off),
        np.median(np.abs(values[yes, 3] - data.goals[yes, 2])),
    )


def write(net: JokerNet, models: Path) -> None:
    """Write `joker.onnx` with a dynamic batch, and its entry of `classes.json`."""
    ship(net, models, "joker", ("squares", "mark"), (SIDE, SIDE), side=SIDE, span=SPAN)


def main(arguments: list[str]) -> int:
    """Train, measure, export."""
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s")
    torch.set_num_threads(1)
    models, validation, steps = Path(arguments[0]), Path(arguments[1]), int(arguments[2])
    data = Squares([Path(argument) for argument in arguments[3:]])
    log.info("%d squares, %d of jokers", len(data.labels), int((data.labels == 1).sum()))
    # seeded by its length, so that a run that goes on from another sees other batches
    net = train(data, steps, seed=steps, start=models / "joker.pt")
    report(judged(net, (held := Squares([validation]))), held)
    torch.save(net.state_dict(), models / "joker.pt")
    write(net, models)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
