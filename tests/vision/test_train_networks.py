"""Training, where torch is installed: a tiny run learns, stops and goes on, and its ONNX files read like torch."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("ultralytics")
pytestmark = pytest.mark.torch


def test_a_tiny_run_lowers_the_loss_and_resumes(tmp_path: Path) -> None:
    from vision.synth.export import write_tiles
    from vision.train import detector

    write_tiles(tmp_path / "tiles", range(3), 8, processes=1)
    config = detector.DetectorConfig((str(tmp_path / "tiles"),), str(tmp_path / "run"), 24, batch=4, every=8, warmup=4)
    model = detector.network(config)
    criterion = detector.loss_of(model, config)
    tiles = detector.Tiles(config.data, 1)
    optimizer = detector._optimizer(model, config)
    losses = [detector.step(model, criterion, optimizer, tiles.batch(0, 4), 1e-3).sum() for _ in range(8)]
    assert losses[-1] < losses[0]
    detector.train(detector.DetectorConfig(**{**vars(config), "iterations": 2, "every": 2}))
    path = detector.train(_longer(config))
    assert torch.load(path, weights_only=False)["iteration"] == 4


def _longer(config):  # type: ignore[no-untyped-def]
    """The same run, two iterations longer."""
    from vision.train import detector

    return detector.DetectorConfig(**{**vars(config), "iterations": 4, "every": 2})


def test_a_quarter_turn_turns_labels_with_the_picture(tmp_path: Path) -> None:
    from vision.synth.export import write_tiles
    from vision.train.detector import Tiles

    write_tiles(tmp_path / "tiles", range(1), 2, processes=1)
    tiles = Tiles((str(tmp_path / "tiles"),), 1)
    image, label = tiles.item(0, 0)
    turned, moved = tiles.item(0, 1)
    assert (np.rot90(image) == turned).all()
    for before, after in zip(label, moved, strict=True):
        assert after[1] == pytest.approx(before[2], abs=1e-5) and after[2] == pytest.approx(1 - before[1], abs=1e-5)
        assert after[5] == pytest.approx(before[6], abs=1e-5) or before[7] == 0


def test_exported_files_say_what_torch_says(tmp_path: Path) -> None:
    from vision.train import detector, export
    from vision.train.classifier import CropNet
    from vision.weights import load_networks as _load

    model, net = detector.network(), CropNet()
    torch.save({"ema": model.state_dict()}, tmp_path / "d.pt")
    torch.save({"ema": net.state_dict()}, tmp_path / "c.pt")
    assert export.main([str(tmp_path / "d.pt"), str(tmp_path / "c.pt"), str(tmp_path / "out")]) == 0
    loaded = _load(tmp_path / "out", 1)
    crops = np.random.default_rng(0).random((3, 3, 96, 48), np.float32)
    with torch.no_grad():
        expected = net.eval()(torch.from_numpy(crops))[0].numpy()
    assert np.allclose(loaded.classifier(crops)[0], expected, atol=1e-3)
    picture = np.random.default_rng(1).random((1, 3, 224, 320), np.float32)
    with torch.no_grad():
        raw = model.eval()(torch.from_numpy(picture))[0].numpy()
    assert np.allclose(loaded.detector(picture)[0], raw, atol=2e-2)
