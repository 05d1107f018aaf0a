"""Bots: players that get a `View` of their seat, the legal actions and a random generator, and choose one action."""

from scorer.game.bots.base import Bot
from scorer.game.bots.registry import bot_names, make_bot

__all__ = ["Bot", "bot_names", "make_bot"]
