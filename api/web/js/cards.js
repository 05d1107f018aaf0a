// Cards as the API writes them: `7h`, `10s`, `JK`, `?`. No rule lives here: only names and order.
import { html, cx } from './ui.js';
import { lang, t } from './words.js';

export const SUITS = ['h', 'd', 'c', 's'];
export const RANKS = ['A', '2', '3', '4', '5', '6', '7', '8', '9', '10', 'J', 'Q', 'K'];
export const JOKER = 'JK';

const PATHS = {
  h: 'M12 21.5C5 15.4 2 11.6 2 7.9 2 5 4.2 3 6.9 3c2.2 0 4 1.2 5.1 3.300C13.1 4.2 14.9 3 17.1 3 19.8 3 22 5 22 7.900c0 3.7-3 7.5-10 13.600z',
  d: 'M12 1.800L20 12l-8 10.200L4 12z',
  c: 'M12 2a4.6 4.6 0 0 1 3.9 7.050 4.6 4.6 0 1 1-2.5 8.050c.25 1.9 1 3.3 2.5 4.900H8.100c1.5-1.6 2.250-3 2.5-4.900a4.6 4.6 0 1 1-2.5-8.050A4.6 4.6 0 0 1 12 2z',
  s: 'M12 1.800c5 6.2 9.3 8.9 9.3 13 0 2.7-2 4.5-4.4 4.5-1.5 0-2.8-.7-3.6-1.9.25 1.9 1 3.2 2.4 4.800H8.300c1.4-1.6 2.150-2.9 2.4-4.8-.8 1.2-2.1 1.9-3.6 1.9-2.4 0-4.4-1.8-4.4-4.5 0-4.1 4.3-6.8 9.3-13z',
  JK: 'M12 2l2.6 6.6 7.1.4-5.5 4.5 1.8 6.9-6-3.9-6 3.9 1.8-6.900L2.3 9l7.1-.4z',
};

export function split(code) {
  if (code === JOKER) return { joker: true, rank: '', suit: '' };
  const last = code.at(-1);
  const suit = SUITS.includes(last) ? last : '';
  const rank = suit ? code.slice(0, -1) : code;
  return { joker: false, rank: rank === '?' ? '' : rank.replace('?', ''), suit };
}

/** The codes of a run by its two ends; an ace as the upper end stands after the king. */
export function run(suit, from, to) {
  const low = RANKS.indexOf(from);
  const high = to === 'A' && from !== 'A' ? 13 : RANKS.indexOf(to);
  const [a, b] = low <= high ? [low, high] : [high, low];
  const codes = [];
  for (let at = a; at <= b; at += 1) codes.push(RANKS[at % 13] + suit);
  return codes;
}

/** How a card is said aloud: "7 di cuori", "jolly". */
export function spoken(code) {
  const { joker, rank, suit } = split(code);
  if (joker) return t('joker');
  if (!rank && !suit) return t('unknownCard');
  const face = rank ? t(`rank.${rank}`) : t('someRank');
  return suit ? t('cardOf', { rank: face, suit: t(`suit.${suit}`) }) : face;
}

/** How a card is written for people: 7♥. */
export function shown(code) {
  const { joker, rank, suit } = split(code);
  if (joker) return lang() === 'it' ? 'Jolly' : 'Joker';
  return (rank || '?') + ({ h: '♥', d: '♦', c: '♣', s: '♠' }[suit] ?? '');
}

export function Suit({ suit }) {
  return html`<svg class=${cx('pip', `pip-${suit}`)} viewBox="0 0 24 24" aria-hidden="true"><path d=${PATHS[suit]} /></svg>`;
}

/** The face of a card, without behaviour: a drawing, so its letters come from the stylesheet and the button has the name. */
export function Face({ code, stands }) {
  const { joker, rank, suit } = split(code);
  const pip = joker ? 'JK' : suit;
  return html`<span class=${cx('face', pip && `face-${pip}`)} aria-hidden="true">
    ${!joker && html`<span class="face-rank drawn" data-text=${rank || '?'}></span>`}
    ${pip ? html`<${Suit} suit=${pip} />` : html`<span class="face-unknown drawn" data-text="?"></span>`}
    ${stands && html`<span class="face-stands drawn" data-text=${shown(stands)}></span>`}
  </span>`;
}
