"""How fast the table generator is: tiles of 416 px a second on one core, in processor time.

`python bench/bench_synth.py [--tables N]`: ten tiles of each of N tables. Without the art packages, unless
`BURRACO_ART` names their folder.
"""

from __future__ import annotations

import argparse
import time


def main() -> None:
    """Make the tiles, print the rate."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--tables", type=int, default=12)
    given = parser.parse_args()
    import cv2

    from vision.synth.make import tiles

    cv2.setNumThreads(1)
    start = time.process_time()
    count = sum(1 for seed in range(900_000, 900_000 + given.tables) for _ in tiles(seed, 10))
    rate = count / (time.process_time() - start)
    print(f"{rate:.1f} tiles of 416 px a second on one core, {2 * rate:.1f} on two")


if __name__ == "__main__":
    main()
