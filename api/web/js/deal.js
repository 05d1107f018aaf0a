// The deal: what lies on the table, typed by taps, by paste or from a photo, scored at every change.
import { html, cx, Dialog, Fragment, Icon, points, Segments, signed, useEffect, useRef, useState } from './ui.js';
import {
  addMeld, edit, entryOf, find, isEmpty, joinMelds, move, moveMeld, newCard, newDraft, newSide, remove, replaceDraft,
  requestOf, splitMeld, takeSides,
} from './draft.js';
import { shown, spoken, SUITS, Suit } from './cards.js';
import { aim, Keyboard, same } from './keys.js';
import { Chip, MeldRow, ordered, Reason, sentence } from './meld.js';
import { call, Fault, loadRules, post, ruleSet } from './net.js';
import { change, state, toast } from './store.js';
import { lang, t } from './words.js';

const wideScreen = matchMedia('(min-width: 60rem)');

// --- scoring -----------------------------------------------------------------------------------------------------------

let running = null;
let lastAsked = '';

/** Ask the server for the score of what lies there; an older question is given up. */
export async function rescore(force = false) {
  const { draft } = state;
  const body = requestOf(draft);
  const asked = JSON.stringify([body, lang()]);
  if (asked === lastAsked && !force) return;
  lastAsked = asked;
  running?.abort();
  running = new AbortController();
  const melds = draft.sides.map((side) => side.melds.map((meld) => meld.id));
  try {
    const data = await call('/v1/scores', { method: 'POST', body, signal: running.signal });
    change((s) => { s.score = { asked, data, melds }; });
  } catch (fault) {
    if (fault.name === 'AbortError') return;
    lastAsked = '';
    change((s) => { s.score = { ...s.score, fault: fault.message, offline: fault.status === 0, asked: null }; });
  }
}

/** The verdict of a meld, however the list has changed since. */
function verdictOf(score, side, meld) {
  const at = score?.melds?.[side]?.indexOf(meld) ?? -1;
  return at < 0 ? null : score.data?.sides[side]?.melds[at] ?? null;
}

/** The effective values of the rules in use; the page asks them only which questions to put. */
function useValues(draft) {
  const [values, setValues] = useState({});
  useEffect(() => {
    let gone = false;
    ruleSet(draft.rules, draft.options).then((sheet) => {
      if (gone) return;
      const made = Object.fromEntries(sheet.rules.map((rule) => [rule.key, rule.value]));
      setValues(made);
      change((s) => { s.values = made; });
    }).catch(() => {});
    return () => { gone = true; };
  }, [draft.rules, JSON.stringify(draft.options), lang()]);
  return values;
}

// --- the view ------------------------------------------------------------------------------------------------------------

export function DealView({ s }) {
  const { draft, score } = s;
  const values = useValues(draft);
  const [dialog, setDialog] = useState(null);
  const [, resized] = useState(0);
  const request = JSON.stringify([requestOf(draft), lang(), s.online]);
  useEffect(() => { rescore(); }, [request]);
  useEffect(() => { loadRules().catch(() => {}); }, []);
  useEffect(() => {
    const redraw = () => resized((n) => n + 1);
    wideScreen.addEventListener('change', redraw);
    return () => wideScreen.removeEventListener('change', redraw);
  }, []);
  useEffect(() => {
    const row = s.cursor.kind === 'meld' && document.querySelector(`[data-meld="${s.cursor.meld}"]`);
    row?.scrollIntoView?.({ block: 'nearest' });
  }, [JSON.stringify(s.cursor), draft.next]);
  const close = () => setDialog(null);
  const tools = html`<${PickedTools} s=${s} onMove=${() => setDialog({ kind: 'move' })} />`;
  const shownSides = wideScreen.matches ? draft.sides.map((_, n) => n) : [s.cursor.side];
  return html`<main class="deal">
    <div class="deal-input">
      <${DealBar} s=${s} setDialog=${setDialog} />
      ${draft.match && html`<p class="for-match"><span>${draft.editing ? t('deal.correcting', { number: draft.editing.number, name: matchName(s) }) : t('deal.forMatch', { name: matchName(s) })}</span>
        <button type="button" class="link" onClick=${() => edit((d) => { d.match = null; d.editing = null; })}>${t('deal.leave')}</button></p>`}
      ${wideScreen.matches && html`<${PasteBox} s=${s} />`}
      ${s.photoBusy && html`<p class="banner" role="status">${s.photoBusy}</p>`}
      ${draft.photo && html`<${LazyPhoto} s=${s} setDialog=${setDialog} />`}
      ${wideScreen.matches && html`<${Keyboard} s=${s} tools=${tools} />`}
    </div>
    <div class="deal-table">
      <${SideTabs} s=${s} />
      <div class="sides">${shownSides.map((n) => html`<${SidePanel} key=${n} s=${s} number=${n} values=${values} setDialog=${setDialog} />`)}</div>
      <${Verdict} s=${s} values=${values} setDialog=${setDialog} />
    </div>
    ${!wideScreen.matches && html`<${Keyboard} s=${s} tools=${tools} />`}
    ${dialog?.kind === 'move' && html`<${MoveDialog} s=${s} onClose=${close} />`}
    ${dialog?.kind === 'meld' && html`<${MeldDialog} s=${s} at=${dialog} onClose=${close} />`}
    ${dialog?.kind === 'paste' && html`<${Dialog} title=${t('paste')} onClose=${close}><${PasteBox} s=${s} onDone=${close} /><//>`}
    ${dialog?.kind === 'people' && html`<${PeopleDialog} s=${s} onClose=${close} />`}
    ${dialog?.kind === 'save' && html`<${Lazy} from="./match.js" name="SaveDialog" s=${s} onClose=${close} />`}
    ${dialog?.kind === 'compare' && html`<${Lazy} from="./rules.js" name="CompareDialog" s=${s} onClose=${close} />`}
    ${dialog?.kind === 'rules' && html`<${Lazy} from="./rules.js" name="ChooseDialog" s=${s} onClose=${close} />`}
    <p class="unseen" role="status" aria-live="polite">${spokenScore(score)}</p>
  </main>`;
}

const matchName = (s) => s.matches.find((one) => one.id === s.draft.match)?.name || t('tab.match');

const modules = new Map();
/** A view that comes when it is first needed. */
export function Lazy({ from, name, ...props }) {
  const [, loaded] = useState(0);
  const module = modules.get(from);
  useEffect(() => {
    if (!module) import(from).then((made) => { modules.set(from, made); loaded((n) => n + 1); }).catch(() => toast(t('noNetwork'), true));
  }, [from]);
  return module ? html`<${module[name]} ...${props} />` : null;
}
const LazyPhoto = (props) => html`<${Lazy} from="./photo.js" name="PhotoPanel" ...${props} />`;

function DealBar({ s, setDialog }) {
  const { draft } = s;
  const input = useRef(null);
  const name = draft.house || s.rules?.find((one) => one.id === draft.rules)?.name[lang()] || draft.rules;
  const take = async (event) => {
    const [file] = event.target.files;
    event.target.value = '';
    if (file) (await import('./photo.js')).readPhoto(file);
  };
  return html`<div class="deal-bar">
    <button type="button" class="rules-chip" onClick=${() => (draft.match ? toast(t('rulesOfMatch')) : setDialog({ kind: 'rules' }))}>
      <span class="rules-chip-label">${t('rules')}</span><span class="rules-chip-name">${name}</span></button>
    <button type="button" class="button" onClick=${() => input.current.click()}><${Icon} name="photo" /> <span>${t('photo')}</span></button>
    <input ref=${input} type="file" accept="image/*" class="unseen" tabindex="-1" aria-hidden="true" data-photo-input onChange=${take} />
    ${!wideScreen.matches && html`<button type="button" class="button" onClick=${() => setDialog({ kind: 'paste' })}><${Icon} name="paste" /> <span>${t('paste')}</span></button>`}
    <button type="button" class="icon-button" aria-label=${t('clearDeal')} disabled=${isEmpty(draft) && !draft.photo && !draft.editing} onClick=${clear}><${Icon} name="bin" /></button>
  </div>`;
}

function clear() {
  const { draft } = state;
  replaceDraft(newDraft({ ...draft, seats: draft.sides[0].hands.length, sides: draft.sides.map(({ name, players }) => ({ name, players })) }));
  toast(t('cleared'));
}

function SideTabs({ s }) {
  const { draft, score } = s;
  const current = score?.asked && !score.fault;
  return html`<div class="side-tabs" role="group" aria-label=${t('sides')}>
    ${draft.sides.map((side, n) => html`<button type="button" key=${n} class="side-tab" aria-pressed=${s.cursor.side === n}
        data-drop=${JSON.stringify({ side: n, kind: 'new' })} data-side-tab=${n} onClick=${() => aim({ side: n, kind: 'new' })}>
      <span class="side-tab-name">${side.name}</span>
      <span class=${cx('side-tab-total', !current && 'stale')} data-total=${n}>${points(score?.data?.sides[n]?.score.total ?? 0)}</span>
    </button>`)}
  </div>`;
}

const spokenScore = (score) => (score?.data && !score.fault
  ? score.data.sides.map((side) => `${side.name} ${points(side.score.total)}`).join(', ') : '');

function SidePanel({ s, number, values, setDialog }) {
  const side = s.draft.sides[number];
  const fresh = Boolean(s.score?.asked);
  const here = { side: number, kind: 'new' };
  return html`<section class="side" aria-label=${side.name}>
    <header class="side-head"><h2>${side.name}</h2>
      <span class="side-players">${side.players.join(', ')}</span>
      <button type="button" class="name-button" aria-label=${t('editNames')} onClick=${() => setDialog({ kind: 'people' })}><${Icon} name="edit" /> <span>${t('names')}</span></button>
    </header>
    <ol class="melds">
      ${side.melds.map((meld, n) => html`<${MeldRow} key=${meld.id} meld=${meld} side=${number} number=${n + 1} fresh=${fresh}
        verdict=${verdictOf(s.score, number, meld.id)} onTools=${() => setDialog({ kind: 'meld', side: number, meld: meld.id })} />`)}
    </ol>
    <button type="button" class=${cx('new-meld', same(s.cursor, here) && !s.picked && 'aimed')} data-drop=${JSON.stringify(here)}
      aria-pressed=${same(s.cursor, here)} onClick=${() => aim(here)}><${Icon} name="plus" /> ${t('newMeld')}</button>
    <div class="side-rest">
      ${side.hands.map((cards, n) => html`<${CardPlace} key=${n} s=${s} cards=${cards} to=${{ side: number, kind: 'hand', hand: n }}
        label=${t('handOf', { player: side.players[n] ?? (side.hands.length > 1 ? n + 1 : '') })} />`)}
      ${values.pots !== false && html`<${Pozzetto} s=${s} side=${side} number=${number} />`}
      <${Closing} side=${side} number=${number} />
    </div>
  </section>`;
}

function CardPlace({ s, cards, to, label }) {
  const aimed = same(s.cursor, to) && !s.picked;
  return html`<div class=${cx('card-place', aimed && 'aimed')} data-drop=${JSON.stringify(to)}>
    <button type="button" class="card-place-title" aria-pressed=${aimed} data-place=${`${to.kind}-${to.side}-${to.hand ?? 0}`} onClick=${() => aim(to)}>
      <span>${label}</span><span class="card-place-count">${cards.length ? t('cardCount', { count: cards.length }) : t('emptyHand')}</span></button>
    ${cards.length > 0 && html`<div class="chips">${cards.map((card) => html`<${Chip} key=${card.id} card=${card} side=${to.side} />`)}</div>`}
  </div>`;
}

function Pozzetto({ s, side, number }) {
  const set = (value) => edit((draft) => { draft.sides[number].pozzetto = value; });
  return html`<div class="pozzetto">
    <${Segments} small label=${t('pozzetto')} value=${side.pozzetto} onChange=${set} options=${[
    ['played', t('pot.played')], ['unplayed', t('pot.unplayed')], ['not_taken', t('pot.not_taken')]]} />
    ${side.pozzetto === 'unplayed' && html`<${CardPlace} s=${s} cards=${side.pot} to=${{ side: number, kind: 'pot' }} label=${t('potCards')} />`}
  </div>`;
}

function Closing({ side, number }) {
  const options = [[null, t('closedNo')]];
  if (side.players.length > 1) side.players.forEach((name, n) => options.push([n, name]));
  else options.push([true, t('closedYes')]);
  const value = !side.closed ? null : side.players.length > 1 ? side.closer : true;
  const set = (choice) => edit((draft) => {
    for (const one of draft.sides) if (choice !== null) { one.closed = false; one.closer = null; }
    draft.sides[number].closed = choice !== null;
    draft.sides[number].closer = typeof choice === 'number' ? choice : null;
  });
  return html`<${Segments} small label=${t('closing')} value=${value} onChange=${set} options=${options} />`;
}

function Verdict({ s, values, setDialog }) {
  const { draft, score } = s;
  const data = score?.data;
  const empty = isEmpty(draft);
  const scored = data && score.asked;
  // A meld's own faults stand under the meld; here stands what is about the table.
  const own = new Set((data?.sides ?? []).flatMap((side) => side.melds.flatMap((meld) => meld.violations.map((fault) => fault.code + fault.cards))));
  const faults = (data?.violations ?? []).filter((fault) => !own.has(fault.code + fault.cards));
  return html`<section class="verdict" aria-label=${t('score')}>
    ${values.trump !== undefined && values.trump !== 'none' && html`<${Trump} draft=${draft} />`}
    ${score?.fault && html`<p class=${cx('banner', !score.offline && 'bad')}>${score.offline ? t('scoreLater') : sentence(score.fault)}</p>`}
    ${data?.void && html`<p class="banner">${t('voidDeal')}</p>`}
    ${!empty && faults.map((fault, n) => html`<${Reason} key=${n} fault=${fault} bad />`)}
    ${!empty && (data?.notices ?? []).map((fault, n) => html`<${Reason} key=${`n${n}`} fault=${fault} />`)}
    ${!empty && data && html`<details class="lines"><summary>${t('howPoints')}</summary>
      <div class="lines-body">${data.sides.map((side, n) => html`<table key=${n}><caption>${side.name}</caption><tbody>
        ${side.lines.map((line, m) => html`<tr key=${m}><td>${sentence(line.label)}${line.source && side.lines.findIndex((one) => one.source === line.source) === m && html`<span class="source">${line.source.replace(/^assumption:\s*/, '')}</span>`}</td><td class="number">${points(line.points)}</td></tr>`)}
        </tbody><tfoot><tr><td>${t('total')}</td><td class="number" data-sum=${n}>${points(side.score.total)}</td></tr></tfoot></table>`)}</div>
    </details>`}
    ${!empty && html`<div class="verdict-actions">
      <button type="button" class="button primary" data-action="save" onClick=${() => (draft.match ? saveDeal() : setDialog({ kind: 'save' }))}>
        <${Icon} name="check" /> ${draft.editing ? t('saveCorrection', { number: draft.editing.number }) : draft.match ? t('saveToMatch') : t('saveNew')}</button>
      <button type="button" class="button" disabled=${!scored} onClick=${() => setDialog({ kind: 'compare' })}>${t('compareRules')}</button>
      <button type="button" class="button" onClick=${copySheet}>${t('copySheet')}</button>
    </div>`}
    ${empty && html`<p class="hello">${t('hello')}</p>`}
  </section>`;
}

function Trump({ draft }) {
  return html`<${Segments} label=${t('trump')} value=${draft.trump} onChange=${(suit) => edit((d) => { d.trump = suit; })}
    options=${[[null, t('trumpNone'), t('trumpNone')], ...SUITS.map((suit) => [suit, html`<span class=${`face-${suit}`}><${Suit} suit=${suit} /></span>`, t(`suit.${suit}`)])]} />`;
}

/** The deal goes into the outbox and from there to the match, once, whenever there is a network. */
export function saveDeal() {
  const { draft } = state;
  const match = state.matches.find((one) => one.id === draft.match);
  if (!match?.edit) { toast(t('onlyFollow'), true); return; }
  const path = `/v1/matches/${match.id}/deals`;
  const body = { entry: entryOf(draft) };
  const correction = draft.editing;
  const totals = state.score?.asked ? state.score.data.sides.map((side) => side.score.total) : null;
  const item = correction
    ? { method: 'PUT', path: `${path}/${correction.number}`, body: { ...body, version: correction.version } }
    : { method: 'POST', path, body };
  const next = newDraft({ ...draft, seats: draft.sides[0].hands.length, sides: draft.sides.map(({ name, players }) => ({ name, players })) });
  post({ ...item, key: draft.id, match: match.id, token: match.edit, totals, number: correction?.number ?? null });
  change((s) => { s.draft = next; s.cursor = { side: 0, kind: 'new' }; s.picked = null; s.score = null; });
  location.hash = `#/match/${match.id}`;
}

async function copySheet() {
  const { draft } = state;
  const word = (key) => t(`sheet.${key}`);
  const lines = [`rules: ${draft.rules}`, 'lang: en'];
  for (const [key, value] of Object.entries({ ...draft.options, ...(draft.trump ? { trump: draft.trump } : {}) })) lines.push(`option: ${key}=${value}`);
  for (const side of draft.sides) {
    lines.push('', `[${side.name}${side.players.length ? `: ${side.players.join(', ')}` : ''}]`);
    for (const meld of side.melds) lines.push(meld.cards.map((card) => (card.as ? `${card.code}=${card.as}` : card.code)).join(' '));
    side.hands.forEach((hand, n) => {
      if (hand.length || side.players.length) lines.push(`hand${side.players[n] ? ` ${side.players[n]}` : ''}: ${hand.map((card) => card.code).join(' ') || '-'}`);
    });
    if (side.pozzetto) lines.push(`pot: ${{ played: 'yes', not_taken: 'no', unplayed: `unplayed: ${side.pot.map((card) => card.code).join(' ')}` }[side.pozzetto]}`);
    if (side.closed) lines.push(`closed: ${side.players[side.closer] ?? 'yes'}`);
  }
  const { copyText } = await import('./share.js');
  copyText(`${lines.join('\n')}\n`, word('copied'));
}

// --- the picked card and the dialogs -------------------------------------------------------------------------------------

function PickedTools({ s, onMove }) {
  const at = find(s.draft, s.picked);
  if (!at) return null;
  const verdict = at.kind === 'meld' ? verdictOf(s.score, at.side, at.meld.id) : null;
  const split = () => edit((draft, x) => { splitMeld(draft, s.picked, ordered(at.meld.cards, verdict).map(({ card }) => card.id)); x.picked = null; });
  return html`<span class="keys-status-tools">
    <button type="button" class="icon-button" aria-label=${t('moveCard')} onClick=${onMove}><${Icon} name="move" /></button>
    ${at.kind === 'meld' && at.meld.cards.length > 1 && html`<button type="button" class="icon-button" aria-label=${t('splitHere')} onClick=${split}><${Icon} name="split" /></button>`}
    <button type="button" class="icon-button" aria-label=${t('deleteCard')} onClick=${() => edit((draft, x) => { remove(draft, s.picked); x.picked = null; })}><${Icon} name="bin" /></button>
    <button type="button" class="icon-button" aria-label=${t('leaveCard')} onClick=${() => change((x) => { x.picked = null; })}><${Icon} name="close" /></button>
  </span>`;
}

const meldText = (meld) => meld.cards.map((card) => shown(card.code)).join(' ');

function MoveDialog({ s, onClose }) {
  const { draft, picked } = s;
  const at = find(draft, picked);
  if (!at) return null;
  const go = (to) => { edit((d, x) => { move(d, picked, to); x.picked = null; }); onClose(); };
  return html`<${Dialog} title=${t('moveTitle', { card: shown(at.list[at.index].code) })} onClose=${onClose}>
    ${draft.sides.map((side, n) => html`<div class="choices" key=${n}><h3>${side.name}</h3>
      ${side.melds.filter((meld) => meld !== at.meld).map((meld) => html`<button type="button" class="choice" key=${meld.id}
        onClick=${() => go({ side: n, kind: 'meld', meld: meld.id })}>${meldText(meld)}</button>`)}
      <button type="button" class="choice" onClick=${() => go({ side: n, kind: 'new' })}>${t('newMeld')}</button>
      ${side.hands.map((_, hand) => html`<button type="button" class="choice" key=${`h${hand}`} onClick=${() => go({ side: n, kind: 'hand', hand })}>
        ${t('handOf', { player: side.players[hand] ?? (side.hands.length > 1 ? hand + 1 : '') })}</button>`)}
    </div>`)}
  <//>`;
}

function MeldDialog({ s, at, onClose }) {
  const side = s.draft.sides[at.side];
  const meld = side.melds.find((one) => one.id === at.meld);
  if (!meld) return null;
  const act = (step) => { edit(step); onClose(); };
  return html`<${Dialog} title=${meldText(meld)} onClose=${onClose}>
    <div class="choices">
      <button type="button" class="choice" onClick=${() => { aim({ side: at.side, kind: 'meld', meld: at.meld }); onClose(); }}><${Icon} name="plus" /> ${t('addCards')}</button>
      ${s.draft.sides.map((other, n) => n !== at.side && html`<button type="button" class="choice" key=${n}
        onClick=${() => act((draft) => moveMeld(draft, at.side, at.meld, n))}><${Icon} name="swap" /> ${t('giveTo', { side: other.name })}</button>`)}
      <button type="button" class="choice bad" onClick=${() => act((draft, x) => {
    draft.sides[at.side].melds = draft.sides[at.side].melds.filter((one) => one.id !== at.meld);
    x.cursor = { side: at.side, kind: 'new' };
  })}><${Icon} name="bin" /> ${t('deleteMeld')}</button>
    </div>
    ${side.melds.length > 1 && html`<div class="choices"><h3><${Icon} name="join" /> ${t('joinWith')}</h3>
      ${side.melds.filter((one) => one !== meld).map((one) => html`<button type="button" class="choice" key=${one.id}
        onClick=${() => act((draft) => joinMelds(draft, at.side, at.meld, one.id))}>${meldText(one)}</button>`)}</div>`}
  <//>`;
}

function PeopleDialog({ s, onClose }) {
  const { draft } = s;
  const rename = (n) => (event) => edit((d) => { d.sides[n].name = event.target.value.trim() || d.sides[n].name; });
  const players = (n) => (event) => {
    const names = event.target.value.split(',').map((name) => name.trim()).filter(Boolean).slice(0, 3);
    import('./draft.js').then(({ setPlayers }) => edit((d) => setPlayers(d.sides[n], [...new Set(names)])));
  };
  return html`<${Dialog} title=${t('names')} onClose=${onClose}>
    ${draft.match && html`<p class="hint">${t('namesOfMatch')}</p>`}
    ${draft.sides.map((side, n) => html`<fieldset key=${n} class="people"><legend>${t('sideNumber', { number: n + 1 })}</legend>
      <label class="field"><span class="field-label">${t('sideName')}</span>
        <input type="text" maxlength="60" value=${side.name} onChange=${rename(n)} disabled=${Boolean(draft.match)} /></label>
      <label class="field"><span class="field-label">${t('playersList')}</span>
        <input type="text" maxlength="180" value=${side.players.join(', ')} placeholder="Anna, Bruno" onChange=${players(n)} disabled=${Boolean(draft.match)} /></label>
    </fieldset>`)}
    ${!draft.match && html`<div class="row">
      <button type="button" class="button" disabled=${draft.sides.length > 3} onClick=${() => edit((d) => d.sides.push(newSide({ name: t('sideNumber', { number: d.sides.length + 1 }) }, 1)))}>${t('addSide')}</button>
      <button type="button" class="button" disabled=${draft.sides.length < 3} onClick=${() => edit((d, x) => { d.sides.pop(); x.cursor = { side: 0, kind: 'new' }; })}>${t('dropSide')}</button>
    </div>`}
  <//>`;
}

export function PasteBox({ s, onDone }) {
  const [text, setText] = useState('');
  const [notation, setNotation] = useState(lang());
  const [fault, setFault] = useState('');
  const side = s.draft.sides[s.cursor.side];
  const read = async () => {
    if (!text.trim()) return;
    try {
      const made = await call('/v1/page/read', { method: 'POST', body: { text, lang: notation } });
      if (made.kind === 'sheet') takeSheet(made);
      else edit((draft, x) => { for (const meld of made.melds) addMeld(draft, x.cursor.side, meld.map((one) => newCard(draft, one.card, one.as ? { as: one.as } : {}))); });
      setText('');
      setFault('');
      onDone?.();
    } catch (problem) {
      if (!(problem instanceof Fault)) throw problem;
      setFault(problem.body.line ? t('atLine', { line: problem.body.line, column: problem.body.column, message: problem.message }) : problem.message);
    }
  };
  const enter = (event) => {
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey || (!event.shiftKey && !text.includes('\n')))) { event.preventDefault(); read(); }
  };
  return html`<form class="paste" onSubmit=${(event) => { event.preventDefault(); read(); }}>
    <label class="field"><span class="field-label">${t('pasteInto', { side: side.name })}</span>
      <textarea rows="3" spellcheck="false" autocapitalize="off" autocomplete="off" value=${text} aria-invalid=${Boolean(fault)} aria-describedby="paste-fault"
        placeholder=${notation === 'it' ? '4C-10C + 2P    R:CQF' : '4h-10h + 2s    K:hdc'} onInput=${(event) => setText(event.target.value)} onKeyDown=${enter}></textarea></label>
    <p id="paste-fault" class="fault" role="alert">${sentence(fault)}</p>
    <div class="row spread">
      <${Segments} small label=${t('notation')} value=${notation} onChange=${setNotation} options=${[['it', 'C Q F P'], ['en', 'h d c s']]} />
      <button type="submit" class="button primary">${t('readIt')}</button>
    </div>
    <p class="hint">${t('pasteHint')}</p>
  </form>`;
}

function takeSheet(made) {
  const { draft } = state;
  edit((d, x) => {
    if (!draft.match && made.rules) d.rules = made.rules;
    const { trump, ...options } = made.options;
    if (!draft.match) d.options = options;
    d.trump = trump ?? null;
    takeSides(d, made.sides);
    x.cursor = { side: 0, kind: 'new' };
    x.picked = null;
  });
}

export { Fragment, signed, spoken };
