"""`burraco play`: a person at the terminal, bots in the other seats."""

from __future__ import annotations

import re
import secrets
import signal
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import datetime
from itertools import groupby
from pathlib import Path
from tempfile import gettempdir
from textwrap import wrap
from typing import Annotated, Any, NoReturn

import typer

from scorer.cards import CARDS
from scorer.cli.board import draw
from scorer.cli.common import (
    LangCode,
    OptionList,
    RulesFile,
    RulesId,
    choice,
    in_colour,
    read_text,
    say,
    shown_name,
    tone,
    write_text,
)
from scorer.cli.play_words import WORDS
from scorer.contract import refuse
from scorer.errors import BurracoError, MoveError
from scorer.explain import error_text, fault_text
from scorer.game.actions import format_action, read_action
from scorer.game.bots import make_bot
from scorer.game.bots.hand import RANK_OF, SUIT_OF, WILD
from scorer.game.final import result_of, table_of
from scorer.game.legal import legal_actions
from scorer.game.session import Session, resumed
from scorer.game.state import DRAW_CARD, NOT_TAKEN, SEAT_LETTERS, TAKE, Action, GameState, game_of
from scorer.messages import text
from scorer.profile import RuleProfile
from scorer.record import read_record
from scorer.report import plain, report


def play(
    rules: RulesId = None,
    option: OptionList = None,
    rules_file: RulesFile = None,
    players: Annotated[int | None, typer.Option("--players", metavar="N", help="2, 3 or 4.")] = None,
    seat: Annotated[
        list[str] | None, typer.Option("--seat", metavar="S", help="Your seat, a letter of NESW; repeat for several.")
    ] = None,
    name: Annotated[str, typer.Option("--name", metavar="A,B", help="Your name; one for each of your seats.")] = "",
    bots: Annotated[
        str, typer.Option("--bots", metavar="BOT", help="One for all the others, or one a seat.")
    ] = "normale",
    seed: Annotated[int | None, typer.Option("--seed", metavar="S", help="The same seed deals the same game.")] = None,
    save: Annotated[
        str | None, typer.Option("--save", metavar="FILE", help="Keep the game here after every turn.")
    ] = None,
    resume: Annotated[str | None, typer.Option("--resume", metavar="FILE", help="Go on with a saved game.")] = None,
    deals: Annotated[int | None, typer.Option("--deals", metavar="N", help="Stop after so many deals.")] = None,
    lang: LangCode = None,
) -> int:
    """Play against bots: actions in the notation or by number; `hint`, `undo`, `save`, `quit`."""
    chosen = choice(rules, option, rules_file, lang)
    tongue = chosen.lang or "en"
    if resume is not None:
        session = load_game(read_text(resume))
        save = save or resume
    else:
        profile = chosen.profile()
        chance = secrets.randbits(31) if seed is None else seed
        session = new_game(profile, players, seat or [], name, bots, chance, tongue)
    desk = Desk(session, tongue, save)
    try:
        with stoppable():
            return desk.run(deals)
    except KeyboardInterrupt:  # while a bot was thinking
        say("")
        return desk.leave()


@contextmanager
def stoppable() -> Iterator[None]:
    """A closed window and a kill stop the game as Ctrl-C does, so that it is kept."""

    def stop(_number: int, _frame: object) -> NoReturn:
        raise KeyboardInterrupt

    before: dict[str, Any] = {}
    for name in ("SIGTERM", "SIGHUP"):
        with suppress(AttributeError, ValueError, OSError):
            before[name] = signal.signal(getattr(signal, name), stop)
    try:
        yield
    finally:
        for name, handler in before.items():
            signal.signal(getattr(signal, name), handler)


def new_game(
    profile: RuleProfile, players: int | None, seats: list[str], name: str, bots: str, seed: int, lang: str = "en"
) -> Session:
    """A fresh match; one clear error when the seats or bots cannot be."""
    count = players or max(profile.table.players)
    if count not in profile.table.players:
        allowed = ", ".join(map(str, profile.table.players))
        raise refuse("bad_players", players=count, allowed=allowed)
    letters = SEAT_LETTERS[count]
    people = []
    for one in seats or ["S" if count != 3 else "N"]:
        if len(one) != 1 or one.upper() not in letters:
            raise refuse("bad_value", path="--seat", value=one[:20], allowed=", ".join(letters))
        people.append(letters.index(one.upper()))
    listed = [b.strip() for b in bots.split(",") if b.strip()] or ["normale"]
    if len(listed) not in (1, count):
        raise refuse("bots_and_players", bots=len(listed))
    by_seat = tuple(listed * count if len(listed) == 1 else listed)
    for bot in by_seat:
        make_bot(bot)
    names = list(by_seat)
    given = [_clean(one) for one in name.split(",")] if name else []
    for at, s in enumerate(people):
        names[s] = (
            given[at] if at < len(given) and given[at] else text("play.you", lang) if len(people) == 1 else letters[s]
        )
    return Session(profile, count, frozenset(people), by_seat, tuple(numbered(names)), seed)


def fitted(line: str, width: int = 79) -> list[str]:
    """A line of the score sheet in a narrow terminal: its widest gap shrinks, and what is still too long is wrapped.

    >>> fitted("1  Jh Qh Kh      30", 16), fitted("  - a line of many words", 16)
    (['1  Jh Qh Kh   30'], ['  - a line of', '    many words'])
    """
    more = len(line) - width
    gap = max(re.findall(" +", line.lstrip()), key=len, default="")
    if 0 < more <= len(gap) - 2:
        at = line.rindex(gap)
        return [line[:at] + line[at + more :]]
    return wrap(line, width, subsequent_indent="    ") if more > 0 else [line]


def numbered(names: Sequence[str]) -> list[str]:
    """Names that tell the players apart (`facile`, `facile 2`): the sheet knows by its name who closed."""
    return [f"{name} {names[: at + 1].count(name)}" if name in names[:at] else name for at, name in enumerate(names)]


def _clean(name: str) -> str:
    """A name as the table can show it: printable, on one line, not too long."""
    return "".join(c for c in name if c.isprintable()).strip()[:20]


def load_game(words: str) -> Session:
    """A game that `play --save` kept; one clear error for another file."""
    record = read_record(words)
    seed = re.search(r"^_seed = (\d+)$", words, re.M)
    people = re.search(r"^_people = \[([\d, ]+)\]$", words, re.M)
    bots = re.search(r'^_bots = "([a-z0-9:,]+)"$', words, re.M)
    if not (seed and people and bots):
        raise refuse("no_saved_game")
    seats = frozenset(int(part) for part in people.group(1).split(","))
    by_seat = tuple(bots.group(1).split(","))
    if len(by_seat) != len(record.players) or not seats <= set(range(len(record.players))):
        raise refuse("no_saved_game")
    return resumed(record, seats, by_seat, int(seed.group(1)))


_CARD = re.compile(r"\b(10|[2-9AJQK])([hdcs])\b")
_SUITS = {"h": "♥", "d": "♦", "c": "♣", "s": "♠"}


def said(before: GameState, action: Action, lang: str) -> str:
    """An action as people read it: the word in their language, cards with symbols."""
    word, _, rest = format_action(before, action).partition(" ")
    shown = _CARD.sub(lambda m: m.group(1) + _SUITS[m.group(2)], rest)
    if action.kind == TAKE:
        shown = symbols(before.pile[-(action.depth or len(before.pile)) :])
    return f"{text(f'play.word_{word}', lang)} {shown}".rstrip()


def symbols(codes: Iterable[int]) -> str:
    """Cards as people read them."""
    return " ".join(CARDS[code].symbol for code in codes)


def pot_taken(before: GameState, after: GameState) -> bool:
    """Whether this action brought its player a pot."""
    side = after.sides[before.turn]
    return after.pot != before.pot and after.pot[side] != NOT_TAKEN and before.pot_count > after.pot_count


class Desk:
    """The conversation: draws the table, reads a line, plays it or says why not."""

    def __init__(self, session: Session, lang: str, save: str | None) -> None:
        self.session, self.lang, self.save = session, lang, save
        self.by_suit = True
        self.shown: list[Action] = []
        self.last_person = -1

    def run(self, deals: int | None) -> int:
        """Until the match is over, the deals are played, or the person leaves; 0."""
        played = 0
        if not self.session.decks:
            self._new_deal()
        while True:
            if not self._deal():
                return self.leave()
            played += 1
            self._result()
            if self.session.standing().finished or (deals is not None and played >= deals):
                return 0
            if not self._ask(text("play.next_deal", self.lang)):
                return self.leave()
            self._new_deal()

    def _new_deal(self) -> None:
        state = self.session.next_deal()
        dealer = self.session.names[state.game.dealer]
        say("", tone(text("play.deal", self.lang, number=len(self.session.decks), dealer=dealer), "strong"))

    def _deal(self) -> bool:
        """Play a deal to its end; False when the person leaves."""
        while not self.session.state.over:
            self._bots()
            if self.session.state.over:
                break
            self._keep()
            if not self._hand_over() or not self._turn():
                return False
        self._keep()
        return True

    def _bots(self) -> None:
        """The bots' turns, one line each: what each of them did, in order."""
        turn = -1
        did: list[str] = []
        for before, action in self.session.bot_moves():
            if before.turn != turn:
                self._tell(turn, did)
                turn, did = before.turn, []
            did.append(said(before, action, self.lang))
            if pot_taken(before, self.session.state):
                did.append(text("play.takes_pot", self.lang))
        self._tell(turn, did)

    def _tell(self, seat: int, did: Sequence[str]) -> None:
        if did:
            line = f"  {self.session.state.game.letters[seat]} {self.session.names[seat]}: " + "; ".join(did)
            say(*wrap(line, 79, subsequent_indent="      ", break_long_words=False))

    def _hand_over(self) -> bool:
        """With several people at one screen: nobody sees another's hand; False when they leave."""
        seat = self.session.state.turn
        if len(self.session.people) > 1 and seat != self.last_person:
            self.last_person = seat
            who = f"{self.session.state.game.letters[seat]} {self.session.names[seat]}"
            return self._read(tone(text("play.hand_over", self.lang, who=who), "strong") + " ") is not None
        return True

    def _turn(self) -> bool:
        """One person's turn; False when he leaves."""
        seat = self.session.state.turn
        self._board()
        while not self.session.state.over and self.session.state.turn == seat:
            phase = text(f"play.phase_{self.session.state.phase}", self.lang)
            line = self._read(f"{self.session.state.game.letters[seat]} ({phase})> ")
            if line is None:
                return False
            try:
                if not self._obey(line.strip()):
                    return False
            except MoveError as error:
                self._refused(error)
            except BurracoError as error:
                say(tone(error_text(error, self.lang), "bad"))
        return True

    def _refused(self, error: MoveError) -> None:
        say(tone(text("play.refused", self.lang), "bad"))
        for fault in error.violations:
            say("  - " + fault_text(fault, self.lang, placed=False))  # type: ignore[arg-type]  # MoveError is general

    def _obey(self, line: str) -> bool:
        """Do what a line says; False to leave."""
        word, _, rest = line.partition(" ")
        order = WORDS.get(word.casefold())
        if not line or order == "board":
            self._board()
        elif order == "quit":
            return False
        elif order == "list":
            self._list()
        elif order == "hint":
            self._hint()
        elif order == "undo":
            undone = self.session.undo()
            say(text("play.undone", self.lang, move=said(self.session.state, undone, self.lang)))
            self._board()
        elif order == "sort":
            self.by_suit = not self.by_suit
            self._hand()
        elif order == "save":
            self._keep(rest.strip() or self.save or fresh_name())
        elif order == "score":
            self._score()
        elif order == "help":
            say(*text("play.help", self.lang).split("\n"))
        else:
            self._act(line)
        return True

    def _act(self, line: str) -> None:
        before = self.session.state
        if line.isascii() and line.isdigit():
            if not self.shown:  # the number of a list that nobody has seen: show it first
                self._list()
                return
            if not 1 <= int(line[:6]) <= len(self.shown):
                raise refuse("not_on_list", number=line[:10], count=len(self.shown))
            action = self.shown[int(line[:6]) - 1]
        else:
            action = read_action(line, before, self.lang)
        self.session.act(action)
        self.shown = []
        after = self.session.state
        say("  " + self._echo(before, action, after))
        if not after.over and after.turn == before.turn:
            self._hand()

    def _echo(self, before: GameState, action: Action, after: GameState) -> str:
        """What was done, with the card that came from the stock, and the pot where one was taken."""
        words = said(before, action, self.lang)
        if action.kind == DRAW_CARD:
            drawn = Counter(after.hands[before.turn]) - Counter(before.hands[before.turn])
            words += " " + symbols(sorted(drawn.elements()))
        return words + (f"; {text('play.takes_pot', self.lang)}" if pot_taken(before, after) else "")

    def _list(self) -> None:
        self.shown = legal_actions(self.session.state)
        for number, action in enumerate(self.shown, 1):
            line = f"{number:>4}  {said(self.session.state, action, self.lang)}"
            say(*wrap(line, 79, subsequent_indent="      ", break_long_words=False))

    def _hint(self) -> None:
        found = self.session.hint()
        why = text(found.code, self.lang, **dict(found.params)) if found.code else ""
        say(*wrap(f"  {said(self.session.state, found.action, self.lang)}{why and ': ' + why}", 79))

    def _board(self) -> None:
        draw(self.session.view(), self.session.names, self.lang, colour=in_colour())
        self._hand()

    def _hand(self) -> None:
        """The hand, sorted as one likes: by suit or by rank, a wider gap between the groups."""
        codes = self.session.view().hand

        def group(code: int) -> int:
            return RANK_OF[code] if not self.by_suit else -1 if WILD[code] else SUIT_OF[code]

        ordered = sorted(codes, key=lambda code: (group(code), code))
        groups = [symbols(cards) for _, cards in groupby(ordered, key=group)]
        line = f"  {text('play.hand', self.lang)} ({len(codes)}): " + "   ".join(groups)
        say(*wrap(line, 79, subsequent_indent="    "))

    def _score(self) -> None:
        now = self.session.standing()
        totals = "   ".join(f"{name} {total}" for name, total in zip(self._side_names(), now.totals, strict=True))
        say("  " + text("play.match", self.lang, totals=totals, target=self.session.profile.match.target))

    def _side_names(self) -> list[str]:
        """Who counts together from deal to deal: `Anna + normale`."""
        sides = game_of(self.session.profile, self.session.players).first_sides
        return [
            " + ".join(self.session.names[seat] for seat, of in enumerate(sides) if of == side)
            for side in range(max(sides) + 1)
        ]

    def _result(self) -> None:
        state, names = self.session.state, self.session.names
        result = result_of(state, names)
        who = names[result.closer] if result.closer >= 0 else ""
        say("", tone(text(f"game.over_{result.end}", self.lang, seat=who), "strong"))
        if result.sheet is not None:
            sheet = plain(report(table_of(state, names), result.sheet, self.session.profile, self.lang))
            for line in sheet.rstrip("\n").split("\n"):
                say(*fitted(line))
        self._score()
        now = self.session.standing()
        if now.finished:
            say(tone(text("play.won", self.lang, side=self._side_names()[now.winners[0]]), "good"))

    def _read(self, prompt: str) -> str | None:
        """A line, None at the end of input or on Ctrl-C."""
        try:
            sys.stdout.write(prompt)
            sys.stdout.flush()
            line = sys.stdin.readline() if sys.stdin is not None else ""
        except KeyboardInterrupt:
            say("")
            return None
        if not line:
            say("")
            return None
        return line.rstrip("\n")[:2000]

    def _ask(self, words: str) -> bool:
        line = self._read(words + " ")
        return line is not None and WORDS.get(line.strip().casefold()) not in ("quit", "no")

    def _keep(self, name: str | None = None) -> None:
        """Write the game to its file, where there is one."""
        target = name or self.save
        if target:
            write_text(target, self.session.text())
            if name:
                self.save = name
                say(text("play.saved", self.lang, name=shown_name(target)))

    def leave(self) -> int:
        """Nothing played is lost: the game is kept (if need be in the temporary folder), and the way back is said."""
        name = self.save or fresh_name()
        try:
            write_text(name, self.session.text())
        except BurracoError as error:
            say(tone(error_text(error, self.lang), "bad"))
            name = fresh_name(gettempdir())
            write_text(name, self.session.text())
        say(text("play.left", self.lang, name=shown_name(name)))
        return 0


def fresh_name(folder: str = "") -> str:
    """A file name of its own, so that no other game is overwritten."""
    stamp = datetime.now().strftime("%Y%m%d-%H%M%S")
    names = (Path(folder) / f"burraco-{stamp}{more}.toml" for more in ("", *(f"-{n}" for n in range(2, 100))))
    return str(next((name for name in names if not name.exists()), Path(folder) / f"burraco-{stamp}.toml"))
