// A meld on the table: its cards in the order of the reading, the verdict, the reasons; and dragging cards about.
import { html, cx, Icon, points } from './ui.js';
import { Face, shown, spoken } from './cards.js';
import { edit, move } from './draft.js';
import { aim, pick, same } from './keys.js';
import { state } from './store.js';
import { t } from './words.js';

/** Cards in the order of the best reading, each with what it stands for; cards typed since come last. */
export function ordered(cards, verdict) {
  const pool = [...cards];
  const out = [];
  const slots = verdict?.slots.length ? verdict.slots : (verdict?.cards ?? []).map((card) => ({ card }));
  for (const slot of slots) {
    let at = pool.findIndex((card) => card.code === slot.card && (!card.as || card.as === slot.stands_for));
    if (at < 0) at = pool.findIndex((card) => card.code === slot.card);
    if (at < 0) continue;
    out.push({ card: pool.splice(at, 1)[0], stands: slot.wild ? slot.stands_for : null });
  }
  return [...out, ...pool.map((card) => ({ card, stands: null }))];
}

export function Chip({ card, stands, side, wrong }) {
  const s = state;
  const on = s.picked === card.id;
  const words = [spoken(card.code)];
  if (stands) words.push(t('standsFor', { card: spoken(stands) }));
  if (card.doubt) words.push(t('doubtful'));
  if (wrong) words.push(t('inTheWay'));
  return html`<button type="button" class=${cx('chip', on && 'on', stands && 'wild', card.doubt && 'doubt', wrong && 'wrong')}
    aria-pressed=${on} aria-label=${words.join(', ')} data-card-id=${card.id} data-code=${card.code} data-side=${side}
    onClick=${() => pick(card.id)} onPointerDown=${(event) => beginDrag(event, card)}>
    <${Face} code=${card.code} stands=${stands && !stands.endsWith('?') ? stands : null} /></button>`;
}

export function MeldRow({ meld, side, number, verdict, fresh, onTools }) {
  const s = state;
  const here = { side, kind: 'meld', meld: meld.id };
  const aimed = same(s.cursor, here) && !s.picked;
  const wrong = new Set(verdict && !verdict.legal ? verdict.violations.flatMap((fault) => fault.cards) : []);
  const row = ordered(meld.cards, verdict);
  const title = verdict ? titleOf(verdict) : t('meldNumber', { number });
  return html`<li class=${cx('meld', aimed && 'aimed', verdict && !verdict.legal && 'illegal', !fresh && 'stale', verdict?.type && verdict.legal && `is-${toneOf(verdict.type)}`)}
      data-drop=${JSON.stringify(here)} data-meld=${meld.id}>
    <div class="meld-head">
      <button type="button" class="meld-title" aria-pressed=${aimed} onClick=${() => aim(here)}>
        <span class="meld-number">${number}</span>${' '}<span class="meld-name">${title}</span><span class="unseen">. ${t('meldAim')}</span>
      </button>
      ${verdict && html`<span class="meld-sum">${verdict.bonus > 0 && html`<span class="meld-parts">${verdict.card_points} + ${verdict.bonus}</span>`}
        <b>${points(verdict.total)}</b></span>`}
      <button type="button" class="icon-button" aria-label=${t('meldTools', { number })} onClick=${onTools}><${Icon} name="more" /></button>
    </div>
    <div class="chips">${row.map(({ card, stands }) => html`<${Chip} key=${card.id} card=${card} stands=${stands} side=${side} wrong=${wrong.has(card.code)} />`)}</div>
    ${verdict && html`<${Reasons} verdict=${verdict} meld=${meld} />`}
  </li>`;
}

const toneOf = (type) => (type.endsWith('clean') && type !== 'semi' ? 'clean' : type === 'semi' ? 'semi' : type === 'ace_to_ace' ? 'clean' : 'dirty');

export function titleOf(verdict) {
  if (!verdict.legal) return t('notLegal');
  const kind = t(`kind.${verdict.kind}`);
  return verdict.type ? `${t(`type.${verdict.type}`)}${verdict.doubled ? ` · ${t('trump')}` : ''}` : kind;
}

function Reasons({ verdict, meld }) {
  const { violations, notices, readings } = verdict;
  if (!violations.length && !notices.length && !readings.length) return null;
  return html`<div class="reasons">
    ${violations.map((fault, n) => html`<${Reason} key=${`v${n}`} fault=${fault} bad />`)}
    ${notices.map((fault, n) => html`<${Reason} key=${`n${n}`} fault=${fault} />`)}
    ${readings.length > 0 && html`<details class="others"><summary>${t('otherReadings', { count: readings.length })}</summary>
      <ul>${readings.slice(0, 6).map((reading, n) => html`<li key=${n}><button type="button" class="link" onClick=${() => bind(meld, reading)}>
        ${reading.slots.map((slot) => (slot.wild ? `${shown(slot.card)}=${shown(slot.stands_for)}` : shown(slot.card))).join(' ')}
        ${reading.type && ` · ${t(`type.${reading.type}`)}`}</button></li>`)}</ul></details>`}
  </div>`;
}

/** One reason; the words of the rule open under it. */
export function Reason({ fault, bad }) {
  const body = html`<span class="reason-mark" aria-hidden="true">${bad ? '!' : 'i'}</span><span>${sentence(fault.message)}</span>`;
  const source = fault.source?.replace(/^assumption:\s*/, '');
  if (!source) return html`<p class=${cx('reason', bad && 'bad')}>${body}</p>`;
  return html`<details class=${cx('reason', bad && 'bad')}><summary>${body}</summary>
    <p class="source">${source}${fault.rule && html` <code>${fault.rule}</code>`}</p></details>`;
}

export const sentence = (text) => (text ? text[0].toUpperCase() + text.slice(1) : '');

/** Hold the wilds to the places of another reading. */
function bind(meld, reading) {
  edit((draft) => {
    const cards = draft.sides.flatMap((side) => side.melds).find((one) => one.id === meld.id).cards;
    for (const card of cards) delete card.as;
    for (const slot of reading.slots) {
      if ((slot.card !== 'JK' && !slot.card.startsWith('2')) || slot.stands_for.endsWith('?')) continue;
      const card = cards.find((one) => one.code === slot.card && !one.as);
      if (card) card.as = slot.stands_for;
    }
  });
}

// --- dragging: a help for those who like it; "Move" in the keyboard does the same without ------------------------------

const drag = { card: null, ghost: null, over: null, timer: 0, x: 0, y: 0, moved: false };

function beginDrag(event, card) {
  if (event.button !== 0 || drag.card) return;
  Object.assign(drag, { card, source: event.currentTarget, x: event.clientX, y: event.clientY, moved: false, touch: event.pointerType !== 'mouse' });
  if (drag.touch) drag.timer = setTimeout(lift, 260);
  addEventListener('pointermove', onMove);
  addEventListener('pointerup', onUp);
  addEventListener('pointercancel', endDrag);
}

function lift() {
  drag.ghost = drag.source.cloneNode(true);
  drag.ghost.className = 'chip ghost';
  drag.ghost.removeAttribute('data-card-id');
  drag.ghost.setAttribute('aria-hidden', 'true');
  document.body.append(drag.ghost);
  drag.source.classList.add('lifted');
  document.documentElement.classList.add('dragging');
  addEventListener('touchmove', hold, { passive: false });
  followFinger(drag.x, drag.y);
}

const hold = (event) => event.preventDefault();

function onMove(event) {
  const far = Math.hypot(event.clientX - drag.x, event.clientY - drag.y);
  if (!drag.ghost) {
    if (far < 8) return;
    if (drag.touch) { endDrag(); return; } // a finger that moves at once scrolls the page
    lift();
  }
  drag.moved = drag.moved || far > 8;
  followFinger(event.clientX, event.clientY);
}

function followFinger(x, y) {
  drag.ghost.style.transform = `translate(${x - 22}px, ${y - 34}px)`;
  const over = document.elementsFromPoint(x, y).map((el) => el.closest('[data-drop]')).find(Boolean) ?? null;
  if (over === drag.over) return;
  drag.over?.classList.remove('drop-here');
  over?.classList.add('drop-here');
  drag.over = over;
}

function onUp(event) {
  const { card, over, moved, ghost } = drag;
  endDrag();
  if (!ghost) return;
  const swallow = (click) => { click.stopPropagation(); click.preventDefault(); };
  addEventListener('click', swallow, { capture: true, once: true });
  setTimeout(() => removeEventListener('click', swallow, { capture: true }), 50);
  if (moved && over) edit((draft) => move(draft, card.id, JSON.parse(over.dataset.drop)));
  event.preventDefault();
}

function endDrag() {
  clearTimeout(drag.timer);
  removeEventListener('pointermove', onMove);
  removeEventListener('pointerup', onUp);
  removeEventListener('pointercancel', endDrag);
  removeEventListener('touchmove', hold);
  drag.ghost?.remove();
  drag.source?.classList.remove('lifted');
  drag.over?.classList.remove('drop-here');
  document.documentElement.classList.remove('dragging');
  Object.assign(drag, { card: null, ghost: null, over: null });
}
