"""The sieve: a tiny network that drops proposals which look like no index, before the classifier sees them.

`python -m vision.train.sieve MODELS VALIDATION STEPS DATA...` trains it on wide crops for that many steps, sets the
limit that keeps `KEPT` of the validation's true indices, and writes `sieve.onnx` and its entry of `classes.json`.
"""

from __future__ import annotations

import logging
import sys
from pathlib import Path

import cv2
import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from vision.naming import ClassifierSpec
from vision.train.classifier import NONE_CLASS, Crops
from vision.train.crops import SPEC
from vision.train.short_runs import fit, ship
from vision.train.table_crops import TRUE_JITTER

log = logging.getLogger(__name__)
SIEVE = ClassifierSpec(16, 32, SPEC.margin_x, SPEC.margin_y)
KEPT = 0.997
"""Share of true indices, their boxes at the true corners, that pass."""


class SieveNet(nn.Module):
    """(n, 3, 32, 16) crops, RGB 0..1, to the logit (n, 1) of being an index: 1.2 million multiplications a crop."""

    def __init__(self) -> None:
        super().__init__()
        self.body = nn.Sequential(
            nn.Conv2d(3, 16, 3, 2, 1, bias=False),
            nn.BatchNorm2d(16),
            nn.ReLU(),
            nn.Conv2d(16, 32, 3, 1, 1, bias=False),
            nn.BatchNorm2d(32),
            nn.ReLU(),
            nn.Conv2d(32, 48, 3, 2, 1, bias=False),
            nn.BatchNorm2d(48),
            nn.ReLU(),
            nn.Flatten(),
            nn.Linear(48 * 8 * 4, 64),
            nn.ReLU(),
            nn.Linear(64, 1),
        )

    def forward(self, x: Tensor) -> Tensor:
        """The logit (n, 1)."""
        out: Tensor = self.body((x - 0.5) * 3)
        return out


def small(images: Tensor) -> Tensor:
    """The classifier's crops (n, 3, 96, 48) as the sieve sees them (n, 3, 32, 16)."""
    planes = images.permute(0, 2, 3, 1).numpy()
    size = (SIEVE.width, SIEVE.height)
    shrunk = np.stack([cv2.resize(plane, size, interpolation=cv2.INTER_AREA) for plane in planes])
    return torch.from_numpy(np.ascontiguousarray(shrunk.transpose(0, 3, 1, 2)))


def train(crops: Crops, steps: int, batch: int = 256, lr: float = 3e-3, seed: int = 1) -> SieveNet:
    """Train from random weights; a true index counts as much as four that are none."""
    torch.manual_seed(seed)
    net = SieveNet()

    def loss_at(step: int) -> Tensor:
        rng = np.random.default_rng([seed, step])
        sample = crops.batch(rng.integers(0, len(crops.classes), batch), rng)
        truth = (sample.classes != NONE_CLASS).float()
        logit = net(small(sample.images))[:, 0]
        return functional.binary_cross_entropy_with_logits(logit, truth, pos_weight=torch.tensor(4.0))

    fit(net, loss_at, steps, lr, decay=0.01, warmup=50)
    return net.eval()


@torch.no_grad()
def chances(net: SieveNet, crops: Crops) -> NDArray[np.float64]:
    """How likely each crop, as it was proposed, is an index for the sieve: (n,) 0..1."""
    found = []
    for start in range(0, len(crops.classes), 1024):
        rows = np.arange(start, min(start + 1024, len(crops.classes)))
        found.append(torch.sigmoid(net(small(crops.batch(rows, None).images))[:, 0]).numpy().astype(np.float64))
    return np.concatenate(found)


def main(arguments: list[str]) -> int:
    """Train, set the limit, export."""
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s")
    torch.set_num_threads(1)
    models, validation, steps, data = Path(arguments[0]), arguments[1], int(arguments[2]), tuple(arguments[3:])
    net = train(Crops(data), steps)
    held = Crops((validation,))
    chance = chances(net, held)
    # Of an index's many proposals one must pass: the limit is set on boxes at the true corners.
    index = held.classes != NONE_CLASS
    least = float(np.quantile(chance[index & (held.jitter == TRUE_JITTER)], 1 - KEPT))
    log.info("limit %.5f drops %.3f of what is none", least, float((chance[~index] < least).mean()))
    write(net, models, least)
    return 0


def write(net: SieveNet, models: Path, least: float) -> None:
    """Write `sieve.onnx` with a dynamic batch, and what the reader must know of it into `classes.json`."""
    spec = {"width": SIEVE.width, "height": SIEVE.height, "margin_x": SIEVE.margin_x, "margin_y": SIEVE.margin_y}
    ship(net, models, "sieve", ("crops", "logit"), (SIEVE.height, SIEVE.width), **spec, least=round(least, 6))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
