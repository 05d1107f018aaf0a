"""The network of `vision.name_look`: `python -m vision.train.names MODELS VALIDATION.npz STEPS SHARDS...`

trains it for that many steps of 128 squares, from MODELS/names.pt where there is one, prints what it tells of the
validation squares, and writes `names.pt`, `names.onnx` and its entry of `classes.json`.
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

from vision.name_look import SIDE, SPAN
from vision.train.classifier import Block, CropNet, temperature
from vision.train.name_squares import WIDE
from vision.train.short_runs import fit, planes_of, relit, ship
from vision.truth import CLASSES

log = logging.getLogger(__name__)
BATCH = 128
_UNIT = SIDE / SPAN
"""Pixels of an index height in the square."""


class NameNet(nn.Module):
    """(n, 3, 96, 96) upright squares, RGB 0..1, to logits (n, 54)."""

    def __init__(self) -> None:
        super().__init__()
        self.stem = nn.Sequential(nn.Conv2d(3, 24, 3, 2, 1, bias=False), nn.BatchNorm2d(24), nn.ReLU())
        self.body = nn.Sequential(Block(24, 32, 1), Block(32, 64, 2), Block(64, 96, 2), Block(96, 144, 2))
        self.squeeze = nn.Sequential(nn.Conv2d(144, 48, 1, bias=False), nn.BatchNorm2d(48), nn.ReLU())
        self.name = nn.Sequential(
            nn.Flatten(),
            nn.Dropout(0.2),
            nn.Linear(48 * 36, 192),
            nn.ReLU(),
            nn.Dropout(0.2),
            nn.Linear(192, len(CLASSES)),
        )

    def forward(self, x: Tensor) -> Tensor:
        """The logits of the classes."""
        out: Tensor = self.name(self.squeeze(self.body(self.stem((x - 0.5) * 3))))
        return out

    def borrow(self, other: CropNet) -> None:
        """Start with the classifier's eyes: the same layers, trained on larger pictures of the same things."""
        self.stem.load_state_dict(other.stem.state_dict())
        self.body.load_state_dict(other.body.state_dict())


class Squares:
    """All wide squares of some shards in memory, turned, shifted, scaled and lit a little anew for every batch."""

    def __init__(self, shards: list[Path]) -> None:
        parts = [np.load(path) for path in shards]
        self.images: NDArray[np.uint8] = np.concatenate([part["images"] for part in parts])
        self.labels: NDArray[np.int64] = np.concatenate([part["labels"] for part in parts])

    def batch(self, rows: NDArray[np.int64], rng: np.random.Generator | None) -> tuple[Tensor, Tensor]:
        """Squares (n, 3, 96, 96) and classes (n,); without a generator unmoved."""
        images = np.empty((len(rows), SIDE, SIDE, 3), np.uint8)
        for place, row in enumerate(rows.tolist()):
            turn, scale, shift = 0.0, 1.0, np.zeros(2)
            if rng is not None:
                turn, scale = rng.normal(0, 0.06), math.exp(rng.normal(0, 0.08))
                shift = rng.normal(0, 0.05, 2).clip(-0.15, 0.15)
            c, s = scale * math.cos(turn), scale * math.sin(turn)
            spin = np.array([[c, -s], [s, c]])
            offset = SIDE / 2 - 0.5 - spin @ (WIDE / 2 - 0.5 + shift * _UNIT)
            picture = cv2.warpAffine(
                self.images[row], np.column_stack([spin, offset]), (SIDE, SIDE), borderMode=cv2.BORDER_REPLICATE
            )
            images[place] = picture if rng is None else relit(np.asarray(picture, np.uint8), rng)
        return planes_of(images), torch.from_numpy(self.labels[rows])


def train(net: NameNet, data: Squares, steps: int, lr: float = 2e-3, seed: int = 1, batch: int = BATCH) -> NameNet:
    """Train for that many steps of `batch` squares drawn at random."""
    torch.manual_seed(seed)
    net = net.train().to(memory_format=torch.channels_last)

    def loss_at(step: int) -> Tensor:
        rng = np.random.default_rng([seed, step])
        images, labels = data.batch(rng.integers(0, len(data.labels), batch), rng)
        with torch.autocast("cpu", dtype=torch.bfloat16):
            out = net(images.contiguous(memory_format=torch.channels_last))
        return functional.cross_entropy(out.float(), labels, label_smoothing=0.01)

    fit(net, loss_at, steps, lr)
    return net.eval()


@torch.no_grad()
def judged(net: NameNet, data: Squares) -> NDArray[np.float32]:
    """The logits (n, 54) of all squares, unmoved."""
    net.eval()
    found = []
    for start in range(0, len(data.labels), 512):
        rows = np.arange(start, min(start + 512, len(data.labels)))
        found.append(net(data.batch(rows, None)[0].contiguous(memory_format=torch.channels_last)).float().numpy())
    return np.concatenate(found)


def main(arguments: list[str]) -> int:
    """Train, measure, export."""
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s")
    torch.set_num_threads(1)
    models, validation, steps = Path(arguments[0]), Path(arguments[1]), int(arguments[2])
    net = NameNet()
    if (models / "names.pt").exists():
        net.load_state_dict(torch.load(models / "names.pt", map_location="cpu", weights_only=True))
    else:
        from vision.train.thaw import thawed

        net.borrow(thawed(models / "classifier.onnx"))
    data = Squares([Path(argument) for argument in arguments[3:]])
    log.info("%d squares", len(data.labels))
    net = train(net, data, steps, seed=steps)
    held = Squares([validation])
    logits = judged(net, held)
    heat = temperature(logits, held.labels)
    log.info("%.4f of the validation right, temperature %.3f", (logits.argmax(axis=1) == held.labels).mean(), heat)
    torch.save(net.state_dict(), models / "names.pt")
    ship(net, models, "names", ("squares", "logits"), (SIDE, SIDE), side=SIDE, span=SPAN, temperature=heat)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
