"""The sieve: a tiny network that drops proposals which look like no index, before the classifier sees them.

`python -m vision.train.sieve MODELS VALIDATION STEPS DATA...` trains it on wide crops for that many steps, sets the
limit that keeps `KEPT` of the validation's true indices, and writes `sieve.onnx` and its entry of `classes.json`.
"""

from __future__ import annotations

import hashlib
import json
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

from vision.naming import ClassifierSpec
from vision.train.classifier import NONE_CLASS, Crops
from vision.train.crops import SPEC
from vision.train.table_crops import TRUE_JITTER

log = logging.getLogger(__name__)
SIEVE = ClassifierSpec(16, 32, SPEC.margin_x, SPEC.margin_y)
KEPT = 0.997
"""Share of true indices, their boxes at the true corners, that pass."""
_OPSET = 17


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
    optimizer = torch.optim.AdamW(net.parameters(), lr=lr, weight_decay=0.01)
    total = 0.0
    for step in range(steps):
        rng = np.random.default_rng([seed, step])
        sample = crops.batch(rng.integers(0, len(crops.classes), batch), rng)
        for group in optimizer.param_groups:
            group["lr"] = lr * min(1.0, (step + 1) / 50) * (0.02 + 0.98 * (1 + math.cos(math.pi * step / steps)) / 2)
        truth = (sample.classes != NONE_CLASS).float()
        logit = net(small(sample.images))[:, 0]
        loss = functional.binary_cross_entropy_with_logits(logit, truth, pos_weight=torch.tensor(4.0))
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        optimizer.step()
        total += float(loss.detach())
        if (step + 1) % 100 == 0:
            log.info("step %d: loss %.4f", step + 1, total / 100)
            total = 0.0
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
    path = models / "sieve.onnx"
    torch.onnx.export(
        net,
        (torch.zeros(2, 3, SIEVE.height, SIEVE.width),),
        str(path),
        opset_version=_OPSET,
        dynamo=False,
        input_names=["crops"],
        output_names=["logit"],
        dynamic_axes={"crops": {0: "batch"}, "logit": {0: "batch"}},
    )
    card = json.loads((models / "classes.json").read_text())
    card["sieve"] = {
        "file": path.name,
        "sha256": hashlib.sha256(path.read_bytes()).hexdigest(),
        "width": SIEVE.width,
        "height": SIEVE.height,
        "margin_x": SIEVE.margin_x,
        "margin_y": SIEVE.margin_y,
        "least": round(least, 6),
    }
    (models / "classes.json").write_text(json.dumps(card, indent=1) + "\n")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
