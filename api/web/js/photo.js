// A photo becomes a deal: turned upright and shrunk on the phone, read by the server, mended here. The picture stays
// on the phone; every card on it can be tapped.
import { html, cx, Icon, useEffect, useState } from './ui.js';
import { Face, shown, spoken } from './cards.js';
import { cardOf, edit, find, move, newCard, newDraft, remove, replaceDraft, setCode } from './draft.js';
import { pick } from './keys.js';
import { call } from './net.js';
import { change, state, toast } from './store.js';
import { lang, t } from './words.js';

const LONG_SIDE = 2560;
const DOUBTFUL = 0.85;
const CACHE = 'burraco-photo';
const PLACE = '/_draft-photo.jpg';

/** The picture upright (EXIF applied) and at most 2,560 pixels long, as JPEG. */
async function shrink(file) {
  const bitmap = await createImageBitmap(file, { imageOrientation: 'from-image' });
  const scale = Math.min(1, LONG_SIDE / Math.max(bitmap.width, bitmap.height));
  const canvas = document.createElement('canvas');
  canvas.width = Math.round(bitmap.width * scale);
  canvas.height = Math.round(bitmap.height * scale);
  canvas.getContext('2d').drawImage(bitmap, 0, 0, canvas.width, canvas.height);
  bitmap.close();
  return new Promise((resolve, reject) => { canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error('canvas'))), 'image/jpeg', 0.92); });
}

export async function readPhoto(file) {
  const busy = (text) => change((s) => { s.photoBusy = text; });
  busy(t('photo.shrinking'));
  toast(t('photo.reading'));
  try {
    // A format that the browser does not decode (HEIC) goes as it is.
    const picture = await shrink(file).catch(() => file);
    busy(t('photo.reading'));
    const form = new FormData();
    form.append('image', picture, 'photo.jpg');
    form.append('rules', state.draft.rules);
    form.append('options', JSON.stringify(state.draft.options));
    form.append('lang', lang());
    const result = await call('/v1/photos', { method: 'POST', form });
    await keepPicture(picture);
    takeResult(result);
    const count = result.cards.length;
    toast(count ? t('photo.found', { count }) : t('photo.none'), !count);
  } catch (fault) {
    toast(t('photo.failed', { message: fault.message }), true);
  } finally {
    busy(null);
  }
}

let picture = null; // the object URL of the picture

async function keepPicture(blob) {
  if (picture) URL.revokeObjectURL(picture);
  picture = URL.createObjectURL(blob);
  try {
    await (await caches.open(CACHE)).put(PLACE, new Response(blob, { headers: { 'Content-Type': 'image/jpeg' } }));
  } catch { /* plain http has no caches; the picture then lasts until the page is closed */ }
}

async function recallPicture() {
  if (picture) return picture;
  try {
    const kept = await (await caches.open(CACHE)).match(PLACE);
    if (kept) picture = URL.createObjectURL(await kept.blob());
  } catch { /* as above */ }
  return picture;
}

/** The sides of a result by number, whatever it calls them. */
function sideNumber(names, side) {
  if (typeof side === 'number') return side;
  const key = String(side ?? '');
  if (!names.includes(key)) names.push(key);
  return names.indexOf(key);
}

function takeResult(result) {
  const { draft: old } = state;
  const draft = newDraft({ ...old, seats: old.sides[0].hands.length, sides: old.sides.map(({ name, players }) => ({ name, players })) });
  Object.assign(draft, { editing: old.editing, trump: old.trump });
  const names = (result.points.sides ?? []).map((side) => side.name); // in the order of the sheet
  const put = (number) => Math.min(Math.max(0, number), draft.sides.length - 1);
  const used = new Set();
  const indexes = new Map(); // number of the card in the result -> id in the draft
  const take = (code, meld) => {
    let at = result.cards.findIndex((card, n) => !used.has(n) && card.card === code && card.meld === meld);
    if (at < 0 && meld !== null) at = result.cards.findIndex((card, n) => !used.has(n) && card.meld === meld);
    const seen = result.cards[at];
    if (at >= 0) used.add(at);
    const card = newCard(draft, seen?.card ?? code, seen ? { box: seen.box, doubt: seen.confidence < DOUBTFUL || seen.card.includes('?') } : { doubt: true });
    if (at >= 0) indexes.set(at, card.id);
    return card;
  };
  result.melds.forEach((meld, n) => {
    draft.sides[put(sideNumber(names, meld.side))].melds.push({ id: draft.next++, cards: meld.cards.map((code) => take(code, n)) });
  });
  for (const hand of result.hands) draft.sides[put(sideNumber(names, hand.side))].hands[0].push(...hand.cards.map((code) => take(code, null)));
  draft.doubts = result.doubts.map((doubt) => doubtOf(doubt, draft, result, indexes)); // in the order of the reader: what an answer is likely to put right
  for (const doubt of draft.doubts) { const card = doubt.kind === 'card' && cardOf(draft, doubt.card); if (card) card.doubt = true; }
  draft.photo = { width: result.image.width, height: result.image.height, notices: (result.notices ?? []).map((one) => (typeof one === 'string' ? one : one.message ?? '')).filter(Boolean), points: result.points,
    others: result.cards.filter((_, n) => !used.has(n)).map((card) => ({ code: card.card, box: card.box })) };
  replaceDraft(draft);
  change((s) => { s.keyboard = false; }); // the picture needs the room; a picked card brings the keys back
}

/** A question of the reader, tied to the cards and the meld of the draft that it is about. */
function doubtOf(doubt, draft, result, indexes) {
  const at = [...indexes.entries()];
  const within = (boxes) => (boxes ?? []).map((box) => at.find(([n]) => String(result.cards[n].box) === String(box))?.[1]).filter(Boolean);
  const inside = within(doubt.boxes);
  // Without a box it is about the least sure one among the cards it names.
  const named = at.filter(([n]) => doubt.cards.includes(result.cards[n].card)).sort(([a], [b]) => result.cards[a].confidence - result.cards[b].confidence);
  const melds = draft.sides.flatMap((side) => side.melds);
  const choices = doubt.choices ?? doubt.cards.map((code) => ({ value: code, text: shown(code) }));
  return {
    question: doubt.question, heading: doubt.heading || doubt.question, stake: doubt.points_at_stake, kind: doubt.kind ?? 'card', cards: inside,
    card: inside[0] ?? (doubt.boxes ? null : named[0]?.[1] ?? null), meld: typeof doubt.meld === 'number' ? melds[doubt.meld]?.id ?? null : null,
    // An answer to a question with several places is about one of them; that all is as read has a button of its own.
    choices: choices.filter(({ value }) => value !== '=').slice(0, 6).map(({ value, text, place, meld, boxes }) => (typeof place === 'number'
      ? { value, text, at: { place, cards: within(boxes), card: within(boxes)[0] ?? null, meld: typeof meld === 'number' ? melds[meld]?.id ?? null : null } }
      : { value, text })),
  };
}

const isCode = (value) => /^(JK|([A2-9JQK]|10)[hdcs])$/.test(value);

/** Do to the draft what an answer says. */
function settle(draft, doubt, value) {
  const side = draft.sides.findIndex((one) => one.melds.some((meld) => meld.id === doubt.meld));
  if (doubt.kind === 'card') {
    if (isCode(value)) setCode(draft, doubt.card, value);
    else if (value === '-' || value === 'no') remove(draft, doubt.card);
  } else if (doubt.kind === 'extra' && (value === 'no' || value === '-')) {
    remove(draft, doubt.card);
  } else if (doubt.kind === 'hidden' && side >= 0) {
    const { cards } = draft.sides[side].melds.find((meld) => meld.id === doubt.meld);
    const supposed = cards.find((card) => !card.box && doubt.choices.some((choice) => choice.value === card.code));
    if (supposed && isCode(value)) setCode(draft, supposed.id, value);
    else if (supposed) remove(draft, supposed.id);
    else if (isCode(value)) cards.push(newCard(draft, value));
  } else if (doubt.kind === 'role' && value !== 'meld' && value !== '?') {
    for (const card of doubt.cards) {
      const at = find(draft, card);
      if (value === 'hand' && at) move(draft, card, { side: at.side, kind: 'hand', hand: 0 });
      else remove(draft, card);
    }
  }
}

export function PhotoPanel({ s }) {
  const { draft } = s;
  const [url, setUrl] = useState(picture);
  const [big, setBig] = useState(false);
  useEffect(() => { recallPicture().then(setUrl); }, [draft.id, picture]);
  const placed = [];
  draft.sides.forEach((side, n) => {
    side.melds.forEach((meld, m) => meld.cards.forEach((card) => card.box && placed.push({ card, side: n, meld: m })));
    [...side.hands.flat(), ...side.pot].forEach((card) => card.box && placed.push({ card, side: n, meld: -1 }));
  });
  const unsure = placed.filter(({ card }) => card.doubt).length;
  const { width, height } = draft.photo;
  return html`<section class="photo" aria-label=${t('photo')}>
    <${Question} s=${s} />
    <div class=${cx('photo-frame', big && 'big')}>
      <svg viewBox=${`0 0 ${width} ${height}`} role="group" aria-label=${t('photo.alt')}>
        ${url && html`<image href=${url} width=${width} height=${height} preserveAspectRatio="none" />`}
        ${draft.photo.others.map((other, n) => html`<rect key=${`o${n}`} class="mark mark-other" x=${other.box[0]} y=${other.box[1]} width=${other.box[2]} height=${other.box[3]} rx=${width / 150} />`)}
        ${placed.map(({ card, side, meld }) => html`<${Mark} key=${card.id} card=${card} side=${side} meld=${meld} on=${s.picked === card.id} unit=${width / 150} />`)}
      </svg>
    </div>
    <div class="photo-tools"><span class="hint">${t('photo.found', { count: placed.length })}${unsure > 0 ? ` · ${t('photo.check', { count: unsure })}` : ''}</span>
      <button type="button" class="button" aria-pressed=${big} onClick=${() => setBig(!big)}>${big ? t('photo.smaller') : t('photo.bigger')}</button>
      <button type="button" class="button" onClick=${swapSides}><${Icon} name="swap" /> ${t('photo.swap')}</button>
      <button type="button" class="icon-button" aria-label=${t('photo.drop')} onClick=${() => edit((d) => { d.photo = null; d.doubts = []; })}><${Icon} name="close" /></button></div>
    ${draft.photo.notices.map((notice, n) => html`<p class="hint" key=${n}>${notice}</p>`)}
  </section>`;
}

function Mark({ card, side, meld, on, unit }) {
  const [x, y, w, h] = card.box;
  const act = () => pick(card.id);
  return html`<g class=${cx('mark', `side-${side}`, meld % 2 && 'odd', card.doubt && 'doubt', on && 'on')} role="button" tabindex="0" aria-pressed=${on} data-mark=${card.id}
      aria-label=${[`${shown(card.code)}${card.doubt ? '?' : ''}`, spoken(card.code), card.doubt && t('doubtful')].filter(Boolean).join(', ')} onClick=${act}
      onKeyDown=${(event) => { if (event.key === 'Enter' || event.key === ' ') { event.preventDefault(); act(); } }}>
    <rect x=${x} y=${y} width=${w} height=${h} rx=${unit} />
    <text x=${x + w / 2} y=${y - unit * 0.8} text-anchor="middle" font-size=${Math.max(unit * 2.6, Math.min(w * 0.42, unit * 5))}>${shown(card.code)}${card.doubt ? '?' : ''}</text>
  </g>`;
}

/** The question that decides the most points, first. */
function Question({ s }) {
  const { draft } = s;
  const open = draft.doubts;
  const [doubt] = open;
  if (!doubt) return null;
  const card = cardOf(draft, doubt.card);
  const choose = (value, at) => edit((d) => {
    if (value !== null) settle(d, { ...doubt, ...at }, value);
    const left = at ? doubt.choices.filter((choice) => choice.at.place !== at.place) : [];
    if (left.length > 0) { d.doubts = d.doubts.map((one) => (one.question === doubt.question ? { ...one, choices: left } : one)); return; }
    const now = cardOf(d, doubt.card);
    if (now) delete now.doubt;
    d.doubts = d.doubts.filter((one) => one.question !== doubt.question || one.card !== doubt.card);
  });
  return html`<div class="question-box" role="region" aria-label=${t('photo.question')} data-doubt>
    <p class="question-text">${doubt.heading ?? doubt.question}</p>
    <p class="hint">${t('photo.stake', { points: doubt.stake })}${open.length > 1 ? ` · ${t('photo.next', { count: open.length - 1 })}` : ''}</p>
    <div class="row">${doubt.kind !== 'sides' && doubt.choices.map(({ value, text, at }) => (isCode(value) && !at
    ? html`<button type="button" class="chip answer" key=${value} data-answer=${value} aria-label=${spoken(value)} onClick=${() => choose(value)}><${Face} code=${value} /></button>`
    : html`<button type="button" class="button" key=${at ? `${at.place} ${value}` : value} data-answer=${value} onClick=${() => choose(value, at)}>${text}</button>`))}
      ${card && doubt.kind === 'card' && html`<button type="button" class="button" onClick=${() => pick(card.id)}>${t('photo.other')}</button>`}
      <button type="button" class="button" onClick=${() => choose(null)}>${t('photo.right')}</button></div>
  </div>`;
}

function swapSides() {
  edit((draft, s) => {
    const [a, b] = draft.sides;
    for (const key of ['melds', 'hands', 'pot']) [a[key], b[key]] = [b[key], a[key]];
    for (const side of [a, b]) {
      const seats = side.players.length || side.hands.length;
      while (side.hands.length < seats) side.hands.push([]);
      while (side.hands.length > seats) side.hands.at(-2).push(...side.hands.pop());
    }
    s.cursor = { side: 0, kind: 'new' };
  });
}

