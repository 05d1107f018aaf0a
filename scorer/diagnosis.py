"""Why a bag of cards is no legal meld: every violation, with the cards at fault and the option that decided.

Called only for a bag without a legal reading, so it may take its time. It first guesses what the player meant (the
naturals share a rank: a set; share a suit: a run) and then names everything that stands in the way.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from scorer.cards import RANK_TEXT, Card, over_deck
from scorer.profile import RuleProfile
from scorer.readings import Binding, Violation, readings


def diagnose(cards: Sequence[Card], profile: RuleProfile, bindings: Sequence[Binding] = ()) -> tuple[Violation, ...]:
    """All violations of a meld without a legal reading; never empty.

    >>> from scorer.profile import load_profile
    >>> [v.code for v in diagnose([Card.of(c) for c in "5h JK JK".split()], load_profile("vanikar"))]
    ['too_many_wilds', 'too_few_naturals']
    """
    unknown = tuple(c for c in cards if c.is_unknown)
    if unknown:
        return (Violation("unknown_card", unknown),)
    found = [*_of_any_meld(cards, profile), *_of_kind(cards, profile)]
    if not found and bindings:
        found = [Violation("binding_impossible", (b.card,), "", (("stands_for", str(b.stands_for)),)) for b in bindings]
    return tuple(found) or (Violation("not_a_meld", tuple(cards)),)


def _of_any_meld(cards: Sequence[Card], profile: RuleProfile) -> Iterator[Violation]:
    if len(cards) < profile.meld.min_meld:
        yield Violation(
            "too_few_cards", tuple(cards), "min_meld", (("count", len(cards)), ("least", profile.meld.min_meld))
        )
    for card, count in over_deck(cards).items():
        yield Violation("too_many_copies", (card,) * count, "", (("count", count), ("where", "")))


def _of_kind(cards: Sequence[Card], profile: RuleProfile) -> Iterator[Violation]:
    plain = [c for c in cards if not c.is_wild]
    wild = tuple(c for c in cards if c.is_wild)
    if not plain:
        if cards:
            yield Violation("only_wilds", wild, "min_natural")
        return
    suits, ranks = {c.suit_no for c in plain}, {c.rank_no for c in plain}
    if len(plain) == 1:
        # one card that is surely natural: a suited two may be its neighbour, the other wilds are too many
        yield from _of_run(plain, wild, profile)
    elif len(ranks) == 1:
        yield from _of_set(plain, wild, profile)
    elif len(suits) == 1:
        yield from _of_run(plain, wild, profile)
    else:
        yield from _mixed(plain, wild, profile)


def _too_many_wilds(wild: tuple[Card, ...], profile: RuleProfile) -> Violation:
    return Violation("too_many_wilds", wild, "max_wilds", (("count", len(wild)), ("most", profile.meld.max_wilds)))


def _mixed(plain: Sequence[Card], wild: tuple[Card, ...], profile: RuleProfile) -> Iterator[Violation]:
    """Neither one rank nor one suit: point at the cards outside the commonest suit or rank, whichever is commoner."""
    by_suit, by_rank = Counter(c.suit_no for c in plain), Counter(c.rank_no for c in plain)
    suit, in_suit = max(by_suit.items(), key=lambda item: (item[1], -item[0]))
    rank, in_rank = max(by_rank.items(), key=lambda item: (item[1], -item[0]))
    as_run = in_suit >= in_rank
    if as_run:
        yield Violation("mixed_suits", tuple(c for c in plain if c.suit_no != suit))
    else:
        yield Violation("mixed_ranks", tuple(c for c in plain if c.rank_no != rank))
    # a two of a suit of the run might have been natural, had the other cards been right
    spared = as_run and profile.run.natural_two and any(c.rank_no == 2 and c.suit_no in by_suit for c in wild)
    if len(wild) - spared > profile.meld.max_wilds:
        yield _too_many_wilds(wild, profile)


def _of_set(plain: Sequence[Card], wild: tuple[Card, ...], profile: RuleProfile) -> Iterator[Violation]:
    rules, rank = profile.set, RANK_TEXT[plain[0].rank_no - 1]
    everything = (*plain, *wild)
    if not rules.sets:
        yield Violation("sets_not_allowed", everything, "sets")
    elif rank not in rules.set_ranks:
        ranks = ", ".join(rules.set_ranks)
        yield Violation("set_rank_not_allowed", tuple(plain), "set_ranks", (("rank", rank), ("ranks", ranks)))
    if len(wild) > profile.meld.max_wilds:
        yield _too_many_wilds(wild, profile)
    if len(everything) > rules.max_set:
        yield Violation("set_too_large", everything, "max_set", (("count", len(everything)), ("most", rules.max_set)))
    twins = tuple(card for card, n in sorted(Counter(plain).items()) if n > 1)
    if twins and not rules.set_duplicates:
        yield Violation("identical_cards", twins, "set_duplicates")
    if len(plain) < profile.meld.min_natural:
        yield Violation("too_few_naturals", tuple(plain), "min_natural", (("least", profile.meld.min_natural),))


def _of_run(plain: Sequence[Card], wild: tuple[Card, ...], profile: RuleProfile) -> Iterator[Violation]:
    size = len(plain) + len(wild)
    repeated = tuple(c for c, n in sorted(Counter(plain).items()) if n > 1 and c.rank_no != 1)
    if repeated:
        yield Violation("rank_twice", repeated)
    aces = [c for c in plain if c.rank_no == 1]
    if len(aces) >= 2 and not profile.run.ace_both:
        yield Violation("two_aces", tuple(aces), "ace_both")
    if size > profile.run.max_run:
        yield Violation("run_too_long", (*plain, *wild), "max_run", (("count", size), ("most", profile.run.max_run)))
    yield from _of_places(plain, wild, profile)


def _of_places(plain: Sequence[Card], wild: tuple[Card, ...], profile: RuleProfile) -> Iterator[Violation]:
    """Holes that the wilds cannot fill, wilds too many, and what an ace at the other end would change."""
    bag = (*plain, *wild)
    aces = tuple(c for c in plain if c.rank_no == 1)
    if aces and not profile.run.ace_high and readings(bag, profile.rules._replace(ace_high=True, max_run=14)):
        yield Violation("ace_not_high", aces, "ace_high")
        return
    if aces and not profile.run.ace_low and readings(bag, profile.rules._replace(ace_low=True)):
        yield Violation("ace_not_low", aces, "ace_low")
        return
    place = _best_place(plain, wild, profile)
    if len(place.active) > profile.meld.max_wilds:
        yield _too_many_wilds(place.active, profile)
    if len(bag) - len(place.active) < profile.meld.min_natural:
        naturals = Counter(bag) - Counter(place.active)
        yield Violation(
            "too_few_naturals", tuple(naturals.elements()), "min_natural", (("least", profile.meld.min_natural),)
        )
    ranks = sorted({c.rank_no for c in plain})
    if len(aces) == 1 and _wraps(ranks):
        yield Violation("wrap_around", tuple(c for c in plain if c.rank_no in (1, 12, 13)))
    elif place.missing:
        names = " ".join(RANK_TEXT[(slot - 1) % 13] for slot in place.missing)
        yield Violation("hole", tuple(plain), "max_wilds", (("missing", names), ("count", len(place.missing))))
    elif wild and len(bag) > 12 + profile.run.ace_low + profile.run.ace_high < 14:
        yield Violation("no_room", wild, "ace_low" if profile.run.ace_high else "ace_high")


def _wraps(ranks: Sequence[int]) -> bool:
    """The cards close up only by going from the king through the ace to the low cards."""
    return 13 in ranks and any(2 < rank <= 6 for rank in ranks) and len(ranks) < 9


class _Place(NamedTuple):
    """One way to lay the cards of a run: the wilds that are wild in it, and the slots that stay empty."""

    active: tuple[Card, ...]
    missing: tuple[int, ...]


def _best_place(plain: Sequence[Card], wild: tuple[Card, ...], profile: RuleProfile) -> _Place:
    """The way with the fewest faults: too many wilds is one, holes that all the wilds together cannot fill another."""
    suit, ranks = plain[0].suit_no, {c.rank_no for c in plain}
    aces = sum(c.rank_no == 1 for c in plain)
    ends = ((1, 14),) if aces > 1 and profile.run.ace_both else ((1,), (14,)) if aces else ((),)
    own_two = profile.run.natural_two and any(c.rank_no == 2 and c.suit_no == suit for c in wild)
    found: list[tuple[int, int, _Place]] = []
    for natural_two in (True, False) if own_two else (False,):
        active = list(wild)
        if natural_two:
            active.remove(next(c for c in wild if c.rank_no == 2 and c.suit_no == suit))
        for end in ends:
            slots = {*end, *(ranks - {1}), *({2} if natural_two else ())}
            holes = tuple(s for s in range(min(slots), max(slots)) if s not in slots)
            missing = holes if len(holes) > len(active) else ()
            faults = (len(active) > profile.meld.max_wilds) + bool(missing)
            found.append((faults, len(missing), _Place(tuple(active), missing)))
    return min(found, key=lambda one: one[:2])[2]
