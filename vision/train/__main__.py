"""`python -m vision.train detector|classifier CONFIG.toml`: train one network as its file says."""

from __future__ import annotations

import argparse
import logging
import os
import sys
import tomllib
from pathlib import Path


def main(arguments: list[str] | None = None) -> int:
    """Parse, read the file, train."""
    parser = argparse.ArgumentParser(prog="python -m vision.train")
    parser.add_argument("what", choices=["detector", "classifier"])
    parser.add_argument("config", type=Path)
    given = parser.parse_args(arguments)
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s")
    values = tomllib.loads(given.config.read_text())
    # waiting threads must sleep, not spin, when the two cores are shared; set before torch is imported
    os.environ.setdefault("OMP_NUM_THREADS", str(values.get("threads", 2)))
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
    values["data"] = tuple(values["data"])
    if given.what == "detector":
        from vision.train.detector import DetectorConfig, train

        train(DetectorConfig(**values))
    else:
        from vision.train.classifier import ClassifierConfig
        from vision.train.classifier import train as train_classifier

        train_classifier(ClassifierConfig(**values))
    return 0


if __name__ == "__main__":
    sys.exit(main())
