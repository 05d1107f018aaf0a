"""Loading the reader's weights: `classes.json` names ONNX files, their sha256 and how crops are cut for them."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from scorer.errors import MissingExtraError, VisionError
from vision.joker_look import JokerEye, Network
from vision.name_look import NameEye
from vision.naming import ClassifierSpec, Networks, Sieve
from vision.types import CLASSES, FloatArray


def bad_weights(path: Path, what: str) -> VisionError:
    """Return the error of weights that are there and cannot be used."""
    return VisionError(f"{path} {what}.", code="bad_weights", path=str(path))


def models_folder() -> Path:
    """Return the folder of the weights that ship: the installed package `models`."""
    import models

    return Path(str(models.__file__)).parent


def load_networks(folder: Path | None, threads: int) -> Networks:
    """Read `classes.json` and the ONNX files that it names, in `folder` or the one that ships; check each sha256.

    Raises VisionError (`weights_missing`, `bad_weights`) and MissingExtraError.
    """
    where = models_folder() if folder is None else folder
    try:
        card = json.loads((where / "classes.json").read_text(encoding="utf-8"))
        if list(card["classes"]) != list(CLASSES):
            raise bad_weights(where / "classes.json", "names other classes than this reader")
        detector = _network(where, card["detector"], threads)
        classifier = _network(where, card["classifier"], threads)
        sieve = None
        if "sieve" in card:
            entry = card["sieve"]
            sieve = Sieve(_network(where, entry, threads), _spec(entry), float(entry["least"]))
        eye = None
        if "joker" in card:
            entry = card["joker"]
            eye = JokerEye(_network(where, entry, threads), int(entry["side"]), float(entry["span"]))
        names = None
        if "names" in card:
            entry = card["names"]
            heat = float(entry.get("temperature", 1.0))
            names = NameEye(_network(where, entry, threads), int(entry["side"]), float(entry["span"]), heat)
        threshold = float(card["detector"].get("threshold", 0.25))
        return Networks(detector, classifier, _spec(card["classifier"]), threshold, sieve, eye, names)
    except FileNotFoundError as error:
        path = str(error.filename)
        raise VisionError(f"The reader's weights are missing: {path}.", code="weights_missing", path=path) from error
    except (KeyError, TypeError, ValueError) as error:
        raise bad_weights(where / "classes.json", f"cannot be read ({error})") from error


def _spec(entry: dict[str, Any]) -> ClassifierSpec:
    return ClassifierSpec(
        int(entry["width"]),
        int(entry["height"]),
        float(entry["margin_x"]),
        float(entry["margin_y"]),
        tuple(entry.get("mean", (0.0, 0.0, 0.0))),
        tuple(entry.get("std", (1.0, 1.0, 1.0))),
        float(entry.get("temperature", 1.0)),
    )


def _session(data: bytes, threads: int) -> Any:
    try:
        import onnxruntime  # type: ignore[import-untyped]  # it ships no types
    except ImportError as error:  # pragma: no cover - needs an install without the extra
        raise MissingExtraError("Reading photos needs the `vision` extra: pip install 'burraco[vision]'.") from error
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.log_severity_level = 3
    try:
        return onnxruntime.InferenceSession(data, options, providers=["CPUExecutionProvider"])
    except Exception as error:  # onnxruntime's own errors share no public base
        raise ValueError("not a network that onnxruntime can run") from error


def _network(folder: Path, entry: dict[str, Any], threads: int) -> Network:
    path = folder / str(entry["file"])
    data = path.read_bytes()
    if hashlib.sha256(data).hexdigest() != entry["sha256"]:
        raise bad_weights(path, "is not the file that classes.json describes: its sha256 differs")
    session = _session(data, threads)
    name = session.get_inputs()[0].name

    def run(batch: FloatArray) -> Sequence[np.ndarray[Any, Any]]:
        outputs: Sequence[np.ndarray[Any, Any]] = session.run(None, {name: batch})
        return outputs

    return run
