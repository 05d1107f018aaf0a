"""From checkpoints to what ships: two ONNX files, the small `.pt` for ultralytics, and `classes.json`.

`python -m vision.train.export DETECTOR.pt CLASSIFIER.pt OUT [VALIDATION_CROPS]`
"""

from __future__ import annotations

import hashlib
import json
import sys
from pathlib import Path
from typing import Any

import torch

from vision.train.classifier import CropNet, Crops, logits, temperature
from vision.train.crops import SPEC
from vision.train.detector import NET, network
from vision.truth import CLASSES

OPSET = 17


class _Plain(torch.nn.Module):
    """The pose network's decoded output alone: (1, 17, n)."""

    def __init__(self, model: Any) -> None:
        super().__init__()
        self.model = model

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        out = self.model(x)
        first: torch.Tensor = out[0] if isinstance(out, (tuple, list)) else out
        return first


def load_detector(checkpoint: Path) -> Any:
    """The averaged weights of a detector run, ready to measure."""
    model = network()
    model.load_state_dict(torch.load(checkpoint, map_location="cpu", weights_only=False)["ema"])
    return model.float().eval()


def load_classifier(checkpoint: Path) -> CropNet:
    """The averaged weights of a classifier run."""
    net = CropNet()
    net.load_state_dict(torch.load(checkpoint, map_location="cpu", weights_only=True)["ema"])
    net.eval()
    return net


def export_detector(checkpoint: Path, out: Path) -> None:
    """Write `detector.onnx` (dynamic height and width, multiples of 32) and `detector.pt` (half precision)."""
    model = load_detector(checkpoint)
    small = load_detector(checkpoint).half()
    small.yaml["yaml_file"] = NET.name  # not where it lay on the machine that trained
    plain = {"model": small, "train_args": {"task": "pose"}, "epoch": -1}
    torch.save(plain, out / "detector.pt")
    head = model.model[-1]
    head.export, head.format, head.dynamic = True, "onnx", True
    model = model.fuse(verbose=False)
    torch.onnx.export(
        _Plain(model),
        (torch.zeros(1, 3, 416, 320),),
        str(out / "detector.onnx"),
        opset_version=OPSET,
        dynamo=False,
        input_names=["images"],
        output_names=["output0"],
        dynamic_axes={"images": {0: "batch", 2: "height", 3: "width"}, "output0": {0: "batch", 2: "anchors"}},
    )


def export_classifier(checkpoint: Path, out: Path) -> None:
    """Write `classifier.onnx` with a dynamic batch: class logits and the right-hand side's logit."""
    torch.onnx.export(
        load_classifier(checkpoint),
        (torch.zeros(2, 3, SPEC.height, SPEC.width),),
        str(out / "classifier.onnx"),
        opset_version=OPSET,
        dynamo=False,
        input_names=["crops"],
        output_names=["logits", "right", "corners"],
        dynamic_axes={"crops": {0: "batch"}, "logits": {0: "batch"}, "right": {0: "batch"}, "corners": {0: "batch"}},
    )


def _sha(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def write_card(out: Path, heat: float, threshold: float) -> None:
    """Write `classes.json`: what the reader must know of the files."""
    card = {
        "classes": list(CLASSES),
        "detector": {
            "file": "detector.onnx",
            "sha256": _sha(out / "detector.onnx"),
            "stride": 32,
            "threshold": threshold,
            "output": "x y w h score, then 4 key points of x y visible",
        },
        "classifier": {
            "file": "classifier.onnx",
            "sha256": _sha(out / "classifier.onnx"),
            "width": SPEC.width,
            "height": SPEC.height,
            "margin_x": SPEC.margin_x,
            "margin_y": SPEC.margin_y,
            "mean": [0.0, 0.0, 0.0],
            "std": [1.0, 1.0, 1.0],
            "temperature": heat,
            "outputs": [
                "logits of the classes",
                "logit of a right-hand corner",
                "errors of the corners in sizes of the box",
            ],
        },
        "torch": {"file": "detector.pt", "sha256": _sha(out / "detector.pt")},
    }
    (out / "classes.json").write_text(json.dumps(card, indent=1) + "\n")


def main(arguments: list[str]) -> int:
    """Export both networks and the card."""
    detector, classifier, out = (Path(argument) for argument in arguments[:3])
    out.mkdir(parents=True, exist_ok=True)
    export_detector(detector, out)
    export_classifier(classifier, out)
    heat = 1.0
    if len(arguments) > 3:
        crops = Crops((arguments[3],))
        heat = temperature(logits(load_classifier(classifier), crops)[0], crops.classes)
    write_card(out, heat, 0.25)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
