"""The words of `burraco play` that are no action, in both languages."""

from typing import Final

WORDS: Final[dict[str, str]] = {
    "board": "board", "table": "board", "tavolo": "board",
    "quit": "quit", "exit": "quit", "esci": "quit", "basta": "quit", "q": "quit",
    "list": "list", "elenco": "list", "?": "list",
    "hint": "hint", "aiutami": "hint", "consiglio": "hint",
    "undo": "undo", "annulla": "undo",
    "sort": "sort", "ordina": "sort",
    "save": "save", "salva": "save",
    "score": "score", "punti": "score",
    "help": "help", "aiuto": "help",
    "no": "no", "n": "no",
}  # fmt: skip
