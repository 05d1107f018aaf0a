// The deal on the table: what it holds and every way to change it. Points and rules are the server's alone.
import { change, randomId, state } from './store.js';
import { t } from './words.js';

const KEPT_STEPS = 60;
const past = [];

export function newDraft(from = {}) {
  return {
    id: randomId(), next: 1, rules: from.rules ?? 'vanikar', options: from.options ?? {}, house: from.house ?? '',
    trump: null, match: from.match ?? null, editing: null, photo: null, doubts: [],
    sides: (from.sides ?? [{ name: t('us') }, { name: t('them') }]).map((side) => newSide(side, from.seats ?? 2)),
  };
}

export function newSide({ name, players = [] }, seats = 2) {
  return {
    name, players, melds: [], hands: Array.from({ length: players.length || seats }, () => []), pozzetto: 'played',
    pot: [], closed: false, closer: null,
  };
}

export const newCard = (draft, code, more = {}) => ({ id: draft.next++, code, ...more });

/** Change the draft so that it can be undone. */
export function edit(step) {
  past.push(JSON.stringify(state.draft));
  if (past.length > KEPT_STEPS) past.shift();
  change((s) => step(s.draft, s));
}

export const canUndo = () => past.length > 0;

export function undo() {
  const before = past.pop();
  if (before) change((s) => { s.draft = JSON.parse(before); s.cursor = { side: Math.min(s.cursor.side, s.draft.sides.length - 1), kind: 'new' }; s.picked = null; });
}

export function replaceDraft(draft) {
  if (state.draft) past.push(JSON.stringify(state.draft));
  change((s) => { s.draft = draft; s.cursor = { side: 0, kind: 'new' }; s.picked = null; s.score = null; });
}

export const isEmpty = (draft) => draft.sides.every((side) => !side.melds.length && !side.hands.some((h) => h.length)
  && !side.pot.length && !side.closed);

/** Where a card lies: `{list, index, side, kind, meld?, hand?}`, or null. */
export function find(draft, id) {
  for (const [number, side] of draft.sides.entries()) {
    for (const meld of side.melds) {
      const index = meld.cards.findIndex((card) => card.id === id);
      if (index >= 0) return { list: meld.cards, index, side: number, kind: 'meld', meld };
    }
    for (const [hand, cards] of side.hands.entries()) {
      const index = cards.findIndex((card) => card.id === id);
      if (index >= 0) return { list: cards, index, side: number, kind: 'hand', hand };
    }
    const index = side.pot.findIndex((card) => card.id === id);
    if (index >= 0) return { list: side.pot, index, side: number, kind: 'pot' };
  }
  return null;
}

export const cardOf = (draft, id) => { const at = id && find(draft, id); return at ? at.list[at.index] : null; };

function tidy(draft) {
  for (const side of draft.sides) side.melds = side.melds.filter((meld) => meld.cards.length);
}

/** The list that a place means; a new meld is made for `new`. */
export function place(draft, to) {
  const side = draft.sides[to.side];
  if (to.kind === 'hand') return side.hands[to.hand];
  if (to.kind === 'pot') return side.pot;
  const meld = to.kind === 'meld' && side.melds.find((one) => one.id === to.meld);
  return (meld || addMeld(draft, to.side)).cards;
}

export function addMeld(draft, side, cards = []) {
  const meld = { id: draft.next++, cards };
  draft.sides[side].melds.push(meld);
  return meld;
}

export function setCode(draft, id, code) {
  const at = find(draft, id);
  if (!at) return;
  const card = at.list[at.index];
  card.code = code;
  delete card.as;
  delete card.doubt;
  for (const one of at.list) delete one.as;
  draft.doubts = draft.doubts.filter((doubt) => doubt.card !== id);
}

export function remove(draft, id) {
  const at = find(draft, id);
  if (!at) return;
  at.list.splice(at.index, 1);
  for (const one of at.list) delete one.as;
  draft.doubts = draft.doubts.filter((doubt) => doubt.card !== id);
  tidy(draft);
}

export function move(draft, id, to) {
  const at = find(draft, id);
  if (!at) return;
  const list = place(draft, to);
  if (list === at.list) return;
  const [card] = at.list.splice(at.index, 1);
  delete card.as;
  for (const one of at.list) delete one.as;
  list.push(card);
  tidy(draft);
}

/** Part a meld in two before one of its cards. `order` is the order in which people see the cards. */
export function splitMeld(draft, id, order) {
  const at = find(draft, id);
  if (at?.kind !== 'meld') return;
  const from = order.indexOf(id);
  const moved = new Set(order.slice(from || 1));
  const rest = at.meld.cards.filter((card) => moved.has(card.id));
  at.meld.cards = at.meld.cards.filter((card) => !moved.has(card.id));
  for (const card of [...rest, ...at.meld.cards]) delete card.as;
  const melds = draft.sides[at.side].melds;
  melds.splice(melds.indexOf(at.meld) + 1, 0, { id: draft.next++, cards: rest });
  tidy(draft);
}

export function joinMelds(draft, side, from, into) {
  const melds = draft.sides[side].melds;
  const source = melds.find((meld) => meld.id === from);
  const target = melds.find((meld) => meld.id === into);
  target.cards.push(...source.cards);
  for (const card of target.cards) delete card.as;
  source.cards = [];
  tidy(draft);
}

export function moveMeld(draft, side, meld, to) {
  const melds = draft.sides[side].melds;
  const at = melds.findIndex((one) => one.id === meld);
  draft.sides[to].melds.push(...melds.splice(at, 1));
}

export function setPlayers(side, players) {
  side.players = players;
  const seats = players.length || side.hands.length || 1;
  while (side.hands.length < seats) side.hands.push([]);
  while (side.hands.length > seats) side.hands.at(-2).push(...side.hands.pop());
  if (side.closer !== null && side.closer >= seats) side.closer = null;
}

// --- what the API reads ------------------------------------------------------------------------------------------------

const codes = (cards) => cards.map((card) => card.code).join(' ');
const bound = (cards) => cards.map((card) => (card.as ? `${card.code}=${card.as}` : card.code)).join(' ');

export function sidesOf(draft) {
  return draft.sides.map((side) => ({
    name: side.name, players: side.players, melds: side.melds.map((meld) => bound(meld.cards)),
    hand: side.hands.map(codes), pozzetto: state.values?.pots === false ? null : side.pozzetto,
    ...(side.pozzetto === 'unplayed' && side.pot.length ? { pozzetto_cards: codes(side.pot) } : {}),
    closed: side.closed,
    ...(side.closed && side.closer !== null && side.players[side.closer] ? { closed_by: side.players[side.closer] } : {}),
  }));
}

export function optionsOf(draft) {
  return draft.trump ? { ...draft.options, trump: draft.trump } : draft.options;
}

export const requestOf = (draft) => ({ rules: draft.rules, options: optionsOf(draft), lang: 'en', sides: sidesOf(draft) });

/** The entry of the match book. */
export const entryOf = (draft) => ({
  form: 'table', lang: 'en', sides: sidesOf(draft), ...(draft.trump ? { options: { trump: draft.trump } } : {}),
});

/** Sides from the shape in which a request or the reader of pasted text gives them. */
export function takeSides(draft, stated) {
  draft.sides = stated.map((item) => {
    const side = newSide({ name: item.name, players: item.players ?? [] }, Math.max(1, (item.hands ?? []).length));
    for (const cards of item.melds) {
      side.melds.push({ id: draft.next++, cards: cards.map((one) => newCard(draft, one.card, one.as ? { as: one.as } : {})) });
    }
    for (const [number, hand] of (item.hands ?? []).entries()) {
      const seat = hand.player ? side.players.indexOf(hand.player) : number;
      side.hands[Math.max(0, seat)]?.push(...hand.cards.map((code) => newCard(draft, code)));
    }
    side.pozzetto = item.pozzetto ?? null;
    side.pot = (item.pozzetto_cards ?? []).map((code) => newCard(draft, code));
    side.closed = Boolean(item.closed);
    side.closer = item.closed_by ? side.players.indexOf(item.closed_by) : null;
    return side;
  });
}

/** The draft of a deal that the match book keeps as a table. */
export function fromEntry(entry, base) {
  const draft = newDraft(base);
  const list = (text) => (Array.isArray(text) ? text : String(text ?? '').split(/[\s,]+/)).filter(Boolean);
  takeSides(draft, entry.sides.map((side) => ({
    ...side,
    melds: (side.melds ?? []).map((meld) => list(meld).map((word) => {
      const [card, as] = word.split('=');
      return as ? { card, as } : { card };
    })),
    hands: (Array.isArray(side.hand) ? side.hand : [side.hand]).map((hand, n) => ({
      player: side.players?.[n] ?? null, cards: list(hand),
    })),
    pozzetto_cards: list(side.pozzetto_cards),
  })));
  draft.trump = entry.options?.trump ?? null;
  return draft;
}
