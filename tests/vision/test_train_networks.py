"""Training, where torch is installed: a tiny run learns, stops and goes on, and its ONNX files read like torch."""

from __future__ import annotations

from dataclasses import replace
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
    detector.train(replace(config, iterations=2, every=2))
    path = detector.train(replace(config, iterations=4, every=2))
    assert torch.load(path, weights_only=False)["iteration"] == 4


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


def wide_crops(folder: Path, count: int = 96) -> str:
    """Crops of two classes that anyone can tell apart: a red bar is the 7h, its box 3 pixels astray, plain is none."""
    from vision.train.classifier import NONE_CLASS
    from vision.train.table_crops import WIDE
    from vision.truth import CLASSES

    rng = np.random.default_rng(5)
    images = rng.integers(180, 255, (count, WIDE.height, WIDE.width, 3)).astype(np.uint8)
    corners = np.full((count, 4, 2), np.nan, np.float32)
    classes = np.full(count, NONE_CLASS, np.int64)
    for number in range(0, count, 2):
        box = np.add(WIDE.inner(), (3.0, 0.0))
        (left, top), (right, low) = box[0].astype(int), box[2].astype(int)
        images[number, top:low, left:right] = (200, 20, 20)
        corners[number], classes[number] = box, CLASSES.index("7h")
    jitter, sides = np.full(count, 0.2, np.float32), np.zeros(count, np.int64)
    folder.mkdir()
    np.savez(folder / "000001.npz", images=images, classes=classes, sides=sides, corners=corners, jitter=jitter)
    return str(folder)


def test_classifier_and_sieve_learn_and_the_sieve_is_exported(tmp_path: Path) -> None:
    import json

    from vision.train import classifier, sieve
    from vision.weights import load_networks

    data = wide_crops(tmp_path / "crops")
    config = classifier.ClassifierConfig((data,), str(tmp_path / "run"), 6, batch=32, lr=3e-3, threads=1)
    path = classifier.train(config)
    assert torch.load(path, weights_only=True)["step"] == 18
    crops = classifier.Crops((data,))
    moved = crops.batch(np.arange(4), None)
    inner = classifier.SPEC.inner()
    assert moved.corners[0].reshape(4, 2)[:, 0].numpy() == pytest.approx(3 / (inner[1, 0] - inner[0, 0]), abs=1e-3)
    assert torch.isnan(moved.corners[1]).all()
    net = sieve.train(crops, 60, batch=32)
    chance = sieve.chances(net, crops)
    index = crops.classes != classifier.NONE_CLASS
    assert chance[index].min() > chance[~index].max()
    card = {"classes": list(classifier.CLASSES), "detector": {}, "classifier": {}}
    (tmp_path / "classes.json").write_text(json.dumps(card))
    sieve.write(net, tmp_path, 0.25)
    entry = json.loads((tmp_path / "classes.json").read_text())["sieve"]
    assert entry["least"] == 0.25 and (tmp_path / entry["file"]).stat().st_size < 1_000_000
    assert load_networks(None, 1).sieve is not None


def test_a_shipped_classifier_is_thawed_and_says_the_same() -> None:
    import onnxruntime

    from vision.train.thaw import settle, thawed
    from vision.weights import models_folder

    path = models_folder() / "classifier.onnx"
    images = torch.rand(16, 3, 96, 48, generator=torch.Generator().manual_seed(3))
    want = onnxruntime.InferenceSession(path.read_bytes()).run(None, {"crops": images.numpy()})
    net = thawed(path)
    for _ in range(2):
        with torch.no_grad():
            for said, wanted in zip(net(images), want, strict=True):
                assert torch.allclose(said, torch.from_numpy(wanted), atol=2e-3)
        settle(net, images)
    with torch.no_grad():  # in training, where a batch's own statistics count, it still says nearly the same
        net.train()
        for layer in net.modules():
            if isinstance(layer, torch.nn.Dropout):
                layer.eval()
        assert float((net(images)[0] - torch.from_numpy(want[0])).abs().mean()) < 0.5


def test_squares_move_the_goal_with_the_picture(tmp_path: Path) -> None:
    """A dot that stands for the mark's middle lies where the goal says, however the square was turned and shifted."""
    from vision.joker_look import SIDE, SPAN
    from vision.train.joker import Squares
    from vision.train.joker_crops import WIDE

    unit, goal = SIDE / SPAN, np.array([0.4, -0.3, np.log(0.5)])
    picture = np.zeros((WIDE, WIDE, 3), np.uint8)
    x, y = (WIDE / 2 - 0.5 + goal[:2] * unit).round().astype(int)
    picture[y - 1 : y + 2, x - 1 : x + 2] = 255
    np.savez(tmp_path / "one.npz", images=picture[None], labels=np.array([1]), goals=np.array([goal], np.float32))
    data = Squares([tmp_path / "one.npz"])
    for seed in range(6):
        images, _, goals = data.batch(np.array([0]), np.random.default_rng(seed) if seed else None)
        light = images[0].sum(dim=0).numpy()
        light = np.where(light > 0.6 * light.max(), light, 0)
        rows, columns = np.mgrid[0:SIDE, 0:SIDE]
        seen = np.array([(light * columns).sum(), (light * rows).sum()]) / light.sum()
        told = SIDE / 2 - 0.5 + goals[0, :2].numpy() * unit
        assert np.abs(seen - told).max() < 1.0


def test_a_tiny_look_at_jokers_learns_and_ships(tmp_path: Path) -> None:
    import json
    import shutil

    from vision.train.joker import Squares, judged, train, write
    from vision.train.joker_crops import WIDE
    from vision.weights import load_networks, models_folder

    rng = np.random.default_rng(1)
    images = rng.integers(90, 130, (64, WIDE, WIDE, 3), dtype=np.uint8)
    labels = np.arange(64) % 2
    images[labels == 1, WIDE // 2 - 6 : WIDE // 2 + 6, WIDE // 2 - 6 : WIDE // 2 + 6] = 255
    goals = np.where(labels[:, None] == 1, np.array([[0.0, 0.0, -0.5]]), np.nan).astype(np.float32)
    np.savez(tmp_path / "some.npz", images=images, labels=labels, goals=goals)
    data = Squares([tmp_path / "some.npz"])
    net = train(data, 30)
    said = judged(net, data)
    assert said[labels == 1, 0].min() > said[labels == 0, 0].max()
    for path in models_folder().glob("*.*"):
        shutil.copy(path, tmp_path)
    write(net, tmp_path)
    eye = load_networks(tmp_path, 1).joker
    assert eye is not None and json.loads((tmp_path / "classes.json").read_text())["joker"]["side"] == eye.side
    planes = data.batch(np.arange(4), None)[0]
    assert np.allclose(np.asarray(eye.network(planes.numpy())[0]), said[:4], atol=1e-3)


def test_name_squares_turn_shift_and_stay_in_the_middle(tmp_path: Path) -> None:
    """A dot in the middle of the wide square stays near the middle, whatever is done to it."""
    from vision.name_look import SIDE
    from vision.train.name_squares import WIDE
    from vision.train.names import Squares

    picture = np.zeros((1, WIDE, WIDE, 3), np.uint8)
    picture[0, WIDE // 2 - 2 : WIDE // 2 + 2, WIDE // 2 - 2 : WIDE // 2 + 2] = 255
    np.savez(tmp_path / "one.npz", images=picture, labels=np.array([3]))
    data = Squares([tmp_path / "one.npz"])
    for seed in range(6):
        images, labels = data.batch(np.array([0]), np.random.default_rng(seed) if seed else None)
        light = images[0].sum(dim=0).numpy()
        light = np.where(light > 0.6 * light.max(), light, 0)
        rows, columns = np.mgrid[0:SIDE, 0:SIDE] + 0.5
        seen = np.array([(light * columns).sum(), (light * rows).sum()]) / light.sum()
        assert np.abs(seen - SIDE / 2).max() < (7.0 if seed else 0.6)
        assert labels.tolist() == [3]


def test_what_a_mark_stands_for_is_told_from_the_truth() -> None:
    from vision.train.name_squares import verdicts
    from vision.truth import CLASSES, IndexTruth, TableTruth
    from vision.types import IndexMark

    def quad(x: float, y: float) -> np.ndarray:
        return np.array([[x - 10, y - 20], [x + 10, y - 20], [x + 10, y + 20], [x - 10, y + 20]], np.float32)

    def index(number: int, x: float, visible: float) -> IndexTruth:
        corners = tuple((float(a), float(b)) for a, b in quad(x, 100))
        return IndexTruth(number, 0, "7h", corners, visible)

    truth = TableTruth(800, 600, 0, (), {}, (), (index(0, 100, 1.0), index(1, 300, 0.1)), ())
    marks = [
        IndexMark.of("7d", quad(104, 98)),
        IndexMark.of("7d", np.roll(quad(100, 102), 2, axis=0)),
        IndexMark.of("7d", quad(300, 100)),
        IndexMark.of("7d", quad(100, 130)),
        IndexMark.of("7d", quad(600, 400)),
    ]
    none, seven = CLASSES.index("none"), CLASSES.index("7h")
    assert verdicts(marks[:1], truth) == [seven]
    assert verdicts(marks[1:2], truth) == [none]
    assert verdicts(marks[2:], truth) == [-1, -1, none]


def test_a_tiny_look_at_names_learns_and_ships(tmp_path: Path) -> None:
    import json
    import shutil

    from vision.train.name_squares import WIDE
    from vision.train.names import NameNet, Squares, judged, train
    from vision.train.short_runs import ship
    from vision.weights import load_networks, models_folder

    rng = np.random.default_rng(1)
    images = rng.integers(90, 130, (64, WIDE, WIDE, 3), dtype=np.uint8)
    labels = np.arange(64) % 2
    images[labels == 1, WIDE // 2 - 12 : WIDE // 2 + 12, WIDE // 2 - 12 : WIDE // 2 + 12] = 255
    np.savez(tmp_path / "some.npz", images=images, labels=labels)
    data = Squares([tmp_path / "some.npz"])
    net = train(NameNet(), data, 60, batch=24)
    said = judged(net, data)
    assert (said.argmax(axis=1) == labels).all()
    for path in models_folder().glob("*.*"):
        shutil.copy(path, tmp_path)
    ship(net, tmp_path, "names", ("squares", "logits"), (96, 96), side=96, span=3.0, temperature=1.0)
    eye = load_networks(tmp_path, 1).names
    assert eye is not None and json.loads((tmp_path / "classes.json").read_text())["names"]["side"] == eye.side
    planes = data.batch(np.arange(4), None)[0]
    assert np.allclose(np.asarray(eye.network(planes.numpy())[0]), said[:4], atol=1e-3)
