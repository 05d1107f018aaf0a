"""A physical card in the table plane."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from vision.deck_model import card_height, card_width
from vision.geometry import Array


@dataclass(frozen=True, eq=False)
class Body:
    """A card in the table plane: its members (mark numbers), middle, down direction, and half spans across, down.

    `four_corner` says that its deck has an index in every corner.
    """

    members: tuple[int, ...]
    centre: Array
    down: Array
    half_across: float
    half_down: float
    index_height: float
    four_corner: bool = False

    def outline(self) -> Array:
        """(4, 2) corners of the card in the plane: the index middles moved out to the card's edges."""
        right = np.array([self.down[1], -self.down[0]])
        unit = self.index_height
        across = card_width(2 * self.half_across / unit) * unit / 2 * right
        tall = card_height(2 * self.half_down / unit) * unit / 2 * self.down
        c = self.centre
        return np.array([c - across - tall, c + across - tall, c + across + tall, c - across + tall])
