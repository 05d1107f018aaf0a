// The card keyboard. A run takes three taps (suit, lower end, upper end), a combination one for its rank and one for
// each card, any other card two (suit, then rank); the suit stays chosen. While a card is picked, the next card typed
// takes its place.
import { html, cx, Icon, Segments } from './ui.js';
import { JOKER, RANKS, SUITS, Suit, run, shown, split, spoken } from './cards.js';
import { addMeld, canUndo, cardOf, edit, find, newCard, place, remove, setCode, undo } from './draft.js';
import { change, state } from './store.js';
import { t } from './words.js';

state.cursor = { side: 0, kind: 'new' };
state.picked = null;
state.keys = { mode: 'run', suit: null, from: null, rank: null, open: false };
state.keyboard = true;

const onlyCards = (s) => Boolean(s.picked) || s.cursor.kind === 'hand' || s.cursor.kind === 'pot';
const modeOf = (s) => (onlyCards(s) ? 'cards' : s.keys.mode);

export function setMode(mode) {
  change((s) => {
    s.keys = { ...s.keys, mode, from: null, rank: null, open: false };
    if (mode !== 'cards' && s.cursor.kind === 'meld') s.cursor = { side: s.cursor.side, kind: 'new' };
  });
}

/** Choose where the next cards go. */
export function aim(cursor) {
  change((s) => {
    s.cursor = cursor;
    s.picked = null;
    s.keys.from = null;
    s.keys.rank = null;
    s.keys.open = false;
    if (s.cursor.kind === 'meld') s.keys.mode = 'cards';
    s.keyboard = true;
  });
}

export const same = (a, b) => a.side === b.side && a.kind === b.kind && a.meld === b.meld && a.hand === b.hand;

export function pick(id) {
  change((s) => {
    s.picked = s.picked === id ? null : id;
    s.keys.from = null;
    s.keys.suit = s.picked ? split(cardOf(s.draft, id)?.code ?? '?').suit || s.keys.suit : s.keys.suit;
    s.keyboard = true;
  });
}

/** A whole card has been typed. */
function put(code) {
  edit((draft, s) => {
    if (s.picked) {
      setCode(draft, s.picked, code);
      s.picked = null;
      return;
    }
    const known = s.cursor.kind !== 'meld' || draft.sides[s.cursor.side].melds.some((meld) => meld.id === s.cursor.meld);
    const to = known ? s.cursor : { side: s.cursor.side, kind: 'new' };
    const list = place(draft, to);
    list.push(newCard(draft, code));
    for (const card of list) delete card.as;
    if (to.kind === 'new') s.cursor = { side: to.side, kind: 'meld', meld: draft.sides[to.side].melds.at(-1).id };
  });
}

export function onSuit(suit) {
  const { keys } = state;
  if (modeOf(state) === 'set' && keys.rank) {
    if (!keys.open) change((s) => { s.cursor = { side: s.cursor.side, kind: 'new' }; s.keys.open = true; });
    put(keys.rank + suit);
    return;
  }
  change((s) => { s.keys.suit = suit; s.keys.from = null; });
}

export function onRank(rank) {
  const { keys } = state;
  const mode = modeOf(state);
  if (mode === 'set') {
    change((s) => { s.keys.rank = rank; s.keys.open = false; });
  } else if (!keys.suit) {
    change((s) => { s.keys.nudge = true; });
  } else if (mode === 'cards') {
    put(rank + keys.suit);
  } else if (!keys.from) {
    change((s) => { s.keys.from = rank; });
  } else if (keys.from === rank && rank !== 'A') {
    change((s) => { s.keys.from = null; });
  } else {
    const codes = keys.from === 'A' && rank === 'A'
      ? [...run(keys.suit, 'A', 'K'), `A${keys.suit}`] : run(keys.suit, keys.from, rank);
    edit((draft, s) => {
      const meld = addMeld(draft, s.cursor.side, codes.map((code) => newCard(draft, code)));
      s.cursor = { side: s.cursor.side, kind: 'meld', meld: meld.id };
      s.keys.from = null;
    });
  }
}

/** The last card goes away: of the place that is aimed at. */
export function onBack() {
  const { keys, cursor, picked } = state;
  if (keys.from || (keys.rank && !keys.open)) {
    change((s) => { s.keys.from = null; s.keys.rank = null; });
  } else if (picked) {
    edit((draft, s) => { remove(draft, picked); s.picked = null; });
  } else {
    const side = state.draft.sides[cursor.side];
    const list = cursor.kind === 'hand' ? side.hands[cursor.hand] : cursor.kind === 'pot' ? side.pot
      : (side.melds.find((meld) => meld.id === cursor.meld) ?? side.melds.at(-1))?.cards;
    if (list?.length) edit((draft) => remove(draft, list.at(-1).id));
  }
}

/** What the next tap does, in one line; it keeps its height so that nothing jumps. */
function Status({ s }) {
  const { draft, cursor, keys, picked } = s;
  const side = draft.sides[cursor.side];
  const card = cardOf(draft, picked);
  if (card) return html`<span>${t('changeCard', { card: shown(card.code) })}</span>`;
  if (cursor.kind === 'hand') {
    const player = side.players[cursor.hand] ?? (side.hands.length > 1 ? `${side.name} ${cursor.hand + 1}` : side.name);
    return html`<span>${t('intoHand', { player })}</span>`;
  }
  if (cursor.kind === 'pot') return html`<span>${t('intoPot', { side: side.name })}</span>`;
  const mode = modeOf(s);
  if (mode === 'run') {
    if (!keys.suit) return html`<span><b>${side.name}</b> · ${t('runSuit')}</span>`;
    return html`<span><b>${side.name}</b> · ${keys.from
      ? t('runTo', { from: shown(keys.from + keys.suit) }) : t('runFrom', { suit: t(`suit.${keys.suit}`) })}</span>`;
  }
  if (mode === 'set') {
    return html`<span><b>${side.name}</b> · ${keys.rank ? t('setSuits', { rank: keys.rank }) : t('setRank')}</span>`;
  }
  const number = side.melds.findIndex((meld) => meld.id === cursor.meld) + 1;
  return html`<span><b>${side.name}</b> · ${number ? t('intoMeld', { number }) : t('intoNew')}</span>`;
}

export function Keyboard({ s, tools }) {
  const mode = modeOf(s);
  const { keys } = s;
  const press = (step) => (event) => { event.preventDefault(); change((x) => { x.keys.nudge = false; }); step(); };
  if (!s.keyboard) {
    return html`<div class="keys keys-shut"><button type="button" class="button wide" onClick=${() => change((x) => { x.keyboard = true; })}>
      <${Icon} name="keyboard" /> ${t('openKeyboard')}</button></div>`;
  }
  const chosen = mode !== 'set' ? keys.suit : null;
  return html`<section class="keys" aria-label=${t('cardKeyboard')}>
    <div class=${cx('keys-status', s.picked && 'picked')}>
      <${Status} s=${s} />
      ${s.picked ? tools : html`<span class="keys-status-tools">
        <button type="button" class="icon-button" aria-label=${t('undo')} disabled=${!canUndo()} onClick=${undo}><${Icon} name="undo" /></button>
        <button type="button" class="icon-button keys-hide" aria-label=${t('hideKeyboard')} onClick=${() => change((x) => { x.keyboard = false; })}><${Icon} name="down" /></button>
      </span>`}
    </div>
    <div class="keys-modes">
      <${Segments} label=${t('inputMode')} hideLabel value=${mode} onChange=${setMode}
        options=${onlyCards(s) ? [['cards', t('mode.cards')]] : ['run', 'set', 'cards'].map((key) => [key, t(`mode.${key}`)])} />
      <button type="button" class="key key-new" aria-pressed=${s.cursor.kind === 'new'} disabled=${Boolean(s.picked)}
        onClick=${() => aim({ side: s.cursor.side, kind: 'new' })}><${Icon} name="plus" /> ${t('newMeldShort')}</button>
    </div>
    <div class=${cx('keys-suits', keys.nudge && 'nudge')}>
      ${SUITS.map((suit) => html`<button type="button" key=${suit} class=${cx('key', 'key-suit', `face-${suit}`)}
        data-suit=${suit} aria-label=${t(`suit.${suit}`)} aria-pressed=${chosen === suit} onClick=${press(() => onSuit(suit))}><${Suit} suit=${suit} /></button>`)}
      <button type="button" class="key key-joker face-JK" data-card="JK" aria-label=${spoken(JOKER)} onClick=${press(() => put(JOKER))}><${Suit} suit="JK" /></button>
      <button type="button" class="key" aria-label=${t('backspace')} data-key="back" onClick=${press(onBack)}><${Icon} name="back" /></button>
    </div>
    <div class="keys-ranks">
      ${RANKS.map((rank) => html`<button type="button" key=${rank} class="key key-rank" data-rank=${rank} aria-label=${/\d/.test(rank) ? undefined : `${rank}, ${t(`rank.${rank}`)}`}
        aria-pressed=${(mode === 'run' && keys.from === rank) || (mode === 'set' && keys.rank === rank)} onClick=${press(() => onRank(rank))}>${rank}</button>`)}
      <button type="button" class="key key-two" data-key="two" disabled=${!twoOf(s)} aria-label=${t('pinellaOf', { suit: keys.suit ? t(`suit.${keys.suit}`) : '' })}
        onClick=${press(() => put(`2${keys.suit}`))}><span class="key-two-face drawn" data-text="2">${keys.suit && html`<${Suit} suit=${keys.suit} />`}</span></button>
    </div>
  </section>`;
}

/** The wild two of the chosen suit as one key: among runs and combinations the key of rank 2 means an end or a rank. */
const twoOf = (s) => Boolean(s.keys.suit) && modeOf(s) !== 'cards';
