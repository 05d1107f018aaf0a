"""A classifier's checkpoint from the file that ships: `python -m vision.train.thaw CLASSIFIER.onnx OUT.pt CROPS...`

Runs are not committed, so a later machine has only the ONNX file, where every normalisation is folded into its
convolution. Unfolded with the statistics of some crops, the network says the same and can be trained on.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import torch
from onnx import numpy_helper
from torch import Tensor, nn

from vision.train.classifier import Block, CropNet, Crops

_SAMPLE = 2048


def _pairs(net: CropNet) -> list[tuple[nn.Conv2d, nn.BatchNorm2d]]:
    """The convolutions that have a normalisation, in the order in which they run."""
    pairs: list[tuple[Any, Any]] = [(net.stem[0], net.stem[1])]
    for block in net.body:
        assert isinstance(block, Block)
        pairs += [(block.one, block.norm_one), (block.two, block.norm_two)]
    return [*pairs, (net.squeeze[0], net.squeeze[1])]


def thawed(path: Path) -> CropNet:
    """The network of an ONNX file that `vision.train.export` wrote. Raises ValueError when it is another one's."""
    stored = onnx.load(path).graph.initializer
    tables = {one.name: torch.from_numpy(numpy_helper.to_array(one).copy()) for one in stored}
    net = CropNet()
    state = net.state_dict()
    folded = [table for name, table in tables.items() if name.startswith("onnx::Conv")]
    pairs = _pairs(net)
    named = {name: table for name, table in tables.items() if name in state}
    if len(folded) != 2 * len(pairs) or any(state[name].shape != table.shape for name, table in named.items()):
        raise ValueError(f"{path.name}: not a classifier of this shape")
    net.load_state_dict(named, strict=False)
    with torch.no_grad():
        for (conv, norm), weight, bias in zip(pairs, folded[::2], folded[1::2], strict=True):
            conv.weight.copy_(weight)
            norm.running_mean.zero_()
            norm.running_var.fill_(1 - norm.eps)
            norm.weight.fill_(1)
            norm.bias.copy_(bias)
    return net.eval()


@torch.no_grad()
def settle(net: CropNet, images: Tensor) -> None:
    """Give the normalisations the statistics of these crops (n, 3, 96, 48); what the network says stays the same."""

    def measure(norm: nn.BatchNorm2d) -> Any:
        def hook(_: nn.Module, inputs: tuple[Tensor, ...]) -> None:
            mean, spread = inputs[0].mean(dim=(0, 2, 3)), inputs[0].var(dim=(0, 2, 3)) + norm.eps
            scale = norm.weight / torch.sqrt(norm.running_var + norm.eps)
            shift = norm.bias - scale * norm.running_mean
            norm.weight.copy_(scale * torch.sqrt(spread))
            norm.bias.copy_(shift + scale * mean)
            norm.running_mean.copy_(mean)
            norm.running_var.copy_(spread - norm.eps)

        return hook

    handles = [norm.register_forward_pre_hook(measure(norm)) for _, norm in _pairs(net)]
    net.eval()(images)
    for handle in handles:
        handle.remove()


def main(arguments: list[str]) -> int:
    """Write the checkpoint."""
    net = thawed(Path(arguments[0]))
    crops = Crops(tuple(arguments[2:]))
    rows = np.random.default_rng(1).choice(len(crops.classes), _SAMPLE)
    settle(net, crops.batch(rows, np.random.default_rng(2)).images)
    torch.save({"ema": net.state_dict()}, arguments[1])
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
