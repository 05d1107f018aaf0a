// The match book: the sheet of all deals, live on every phone; each change can be taken back.
import { html, cx, Dialog, Icon, points, signed, useEffect, useState } from './ui.js';
import { Chart } from './chart.js';
import { fromEntry, newDraft, replaceDraft } from './draft.js';
import { call, Fault, post, remember } from './net.js';
import { ShareDialog } from './share.js';
import { change, randomId, state, toast } from './store.js';
import { lang, t } from './words.js';
import { saveDeal } from './deal.js';
import { NewMatch } from './newmatch.js';

const titleOf = (match) => match.name || t('tab.match');

export function MatchView({ s }) {
  const [id, kind, token] = s.route.parts;
  useEffect(() => {
    if (!id || !token) return;
    // A link brings the token; it is kept here and taken out of the address, so that nobody reads it off the screen.
    change((x) => {
      const known = x.matches.find((one) => one.id === id) ?? { id, name: '' };
      if (kind === 'e') known.edit = token; else known.view = token;
      if (!known.view) known.view = token;
      x.matches = [known, ...x.matches.filter((one) => one.id !== id)];
    });
    history.replaceState(null, '', `#/match/${id}`);
  }, [id, token]);
  const match = s.matches.find((one) => one.id === id);
  if (id && match) return html`<${Sheet} key=${id} s=${s} match=${match} />`;
  return html`<${MatchList} s=${s} />`;
}

function MatchList({ s }) {
  const [making, setMaking] = useState(false);
  return html`<main class="page">
    <h1>${t('match.mine')}</h1>
    ${!s.matches.length && html`<p class="lead">${t('match.none')}</p>`}
    <ul class="cards-list">${s.matches.map((match) => {
    const view = s.views[match.id];
    return html`<li key=${match.id}><a class="match-card" href=${`#/match/${match.id}`}>
        <span class="match-card-name">${titleOf(match)}</span>
        ${view && html`<span class="match-card-totals">${view.sides.map((side, n) => html`<span key=${n}>${side.name} <b>${points(view.totals[n])}</b></span>`)}</span>`}
        ${view?.finished && html`<span class="tag">${wonBy(view)}</span>`}</a></li>`;
  })}</ul>
    <button type="button" class="button primary wide" data-action="new-match" onClick=${() => setMaking(true)}><${Icon} name="plus" /> ${t('match.new')}</button>
    ${making && html`<${Dialog} title=${t('match.new')} onClose=${() => setMaking(false)}><${NewMatch} s=${s} onMade=${(made) => { setMaking(false); location.hash = `#/match/${made.id}`; }} /><//>`}
  </main>`;
}

function wonBy(view) {
  const names = view.winners.map((n) => view.sides[n].name);
  if (!names.length) return t('match.closedByHand');
  return names.length === view.sides.length ? t('match.tied') : t('match.won', { side: names.join(', ') });
}

/** Follow a match: server-sent events, and a look every few seconds where they do not come through. */
function useLive(match) {
  const [live, setLive] = useState(false);
  const [fault, setFault] = useState('');
  useEffect(() => {
    const token = match.edit ?? match.view;
    const key = state.settings.apiKey ? `&key=${encodeURIComponent(state.settings.apiKey)}` : '';
    const take = (view) => { change((s) => remember(s, view)); setFault(''); };
    const look = () => call(`/v1/matches/${match.id}?last=true`, { token }).then(take)
      .catch((problem) => problem instanceof Fault && problem.status && setFault(problem.message));
    look();
    const stream = new EventSource(`/v1/matches/${match.id}/stream?token=${encodeURIComponent(token)}${key}`);
    stream.addEventListener('match', (event) => { setLive(true); take(JSON.parse(event.data)); });
    stream.onerror = () => setLive(false);
    const again = setInterval(() => { if (stream.readyState !== EventSource.OPEN) look(); }, 8000);
    return () => { stream.close(); clearInterval(again); };
  }, [match.id, match.edit, match.view]);
  return [live, fault];
}

function Sheet({ s, match }) {
  const [live, fault] = useLive(match);
  const [dialog, setDialog] = useState(null);
  const view = s.views[match.id];
  const close = () => setDialog(null);
  if (!view) return html`<main class="page"><a class="back" href="#/match">${t('match.back')}</a><p class=${cx('banner', fault && 'bad')}>${fault || (s.online ? '…' : t('noNetwork'))}</p>
    ${fault && html`<button type="button" class="button" onClick=${() => forget(match)}>${t('match.forget')}</button>`}</main>`;
  const waiting = s.outbox.filter((item) => item.match === match.id);
  const write = (path, body, method = 'POST') => post({ method, path: `/v1/matches/${match.id}${path}`, body, key: randomId(), match: match.id, token: match.edit });
  return html`<main class="page match">
    <div class="match-top"><a class="back" href="#/match">${t('match.back')}</a>
      <span class=${cx('live', live && 'on')}>${live ? t('match.live') : t('match.notLive')}</span></div>
    <h1>${view.name || view.sides.map((side) => side.name).join(' – ')}</h1>
    <p class="hint">${t('match.rulesAre', { rules: s.rules?.find((one) => one.id === view.rules.id)?.name[lang()] ?? view.rules.id })}${view.length ? ` · ${t('match.deals', { done: view.played ?? view.deals.length, length: view.length })}` : ` · ${t('match.of', { target: view.target })}`}</p>
    ${view.finished && html`<p class="won" role="status"><span class="won-mark" aria-hidden="true"></span><strong>${wonBy(view)}</strong>
      <span>${view.sides.map((side, n) => `${side.name} ${points(view.totals[n])}`).join(' · ')}${view.victory ? ` · ${t('match.victory', { points: view.victory.join(' – ') })}` : ''}</span></p>`}
    <div class="score-board">${view.sides.map((side, n) => html`<div key=${n} class=${cx('score', `side-${n}`, view.leaders.includes(n) && view.leaders.length === 1 && 'leads')}>
      <span class="score-name">${side.name}</span><span class="score-total figure" data-match-total=${n}>${points(view.totals[n])}</span>
      <span class="score-missing">${view.target === null ? '' : view.missing[n] > 0 ? t('match.missing', { points: view.missing[n] }) : t('match.reached')}</span></div>`)}</div>
    ${!view.finished && html`<p class="dealer"><span class="dealer-mark" aria-hidden="true"></span>${t('match.dealer')}: <b>${view.dealer.player ?? view.dealer.side}</b></p>`}
    ${match.edit ? html`<div class="row match-actions">
        ${!view.finished && html`<button type="button" class="button primary" data-action="add-deal" onClick=${() => scoreDeal(view, match)}><${Icon} name="plus" /> ${t('match.addDeal')}</button>
        <button type="button" class="button" data-action="totals" onClick=${() => setDialog({ kind: 'totals' })}>${t('match.addTotals')}</button>`}
        <button type="button" class="button" data-action="undo" disabled=${view.version === 0} onClick=${() => write('/undo', {})}><${Icon} name="undo" /> ${t('match.undo')}</button>
        <button type="button" class="button" data-action="share" onClick=${() => setDialog({ kind: 'share' })}><${Icon} name="share" /> ${t('match.share')}</button>
        <button type="button" class="button" data-action="more" onClick=${() => setDialog({ kind: 'more' })}><${Icon} name="more" /> ${t('match.more')}</button>
      </div>` : html`<div class="row match-actions"><p class="hint">${t('match.readOnly')}</p>
        <button type="button" class="button" data-action="share" onClick=${() => setDialog({ kind: 'share' })}><${Icon} name="share" /> ${t('match.share')}</button>
        <button type="button" class="button" onClick=${() => forget(match)}>${t('match.forget')}</button></div>`}
    ${waiting.map((item) => html`<${Waiting} key=${item.key} item=${item} view=${view} />`)}
    <div class="match-body"><${Table} view=${view} onEdit=${match.edit ? (deal) => setDialog({ kind: 'deal', deal }) : null} /><${Chart} view=${view} /></div>
    ${view.notes.length > 0 && html`<ul class="notes">${view.notes.map((note) => html`<li key=${note.event}>${note.text}</li>`)}</ul>`}
    ${dialog?.kind === 'totals' && html`<${TotalsDialog} view=${view} onClose=${close} onSave=${(entry) => { write('/deals', { entry }); close(); }} />`}
    ${dialog?.kind === 'deal' && html`<${DealDialog} view=${view} match=${match} deal=${dialog.deal} write=${write} onClose=${close} />`}
    ${dialog?.kind === 'share' && html`<${ShareDialog} match=${match} onClose=${close} />`}
    ${dialog?.kind === 'more' && html`<${MoreDialog} view=${view} match=${match} write=${write} onClose=${close} />`}
  </main>`;
}

function Waiting({ item, view }) {
  const say = item.totals ? item.totals.map((total, n) => `${view.sides[n]?.name ?? ''} ${signed(total)}`).join(' · ') : t('match.waiting');
  return html`<div class=${cx('banner', item.fault && 'bad')} role=${item.fault ? 'alert' : 'status'}>
    ${item.fault ? t('match.refused', { message: item.fault }) : html`${say}${item.totals ? ` (${t('match.waiting')})` : ''}`}
    ${item.fault && html` <span class="row"><button type="button" class="button" onClick=${() => change((s) => { s.outbox = s.outbox.filter((one) => one.key !== item.key); })}>${t('match.drop')}</button>
      ${item.body?.entry?.form === 'table' && html`<button type="button" class="button" onClick=${() => reopen(item, view)}>${t('match.openCards')}</button>`}</span>`}
  </div>`;
}

/** A write that was refused comes back to the table, so that nothing typed is lost. */
function reopen(item, view) {
  const match = state.matches.find((one) => one.id === item.match);
  const draft = fromEntry(item.body.entry, baseOf(view, match));
  if (item.number) draft.editing = { number: item.number, version: view.version };
  replaceDraft(draft);
  change((s) => { s.outbox = s.outbox.filter((one) => one.key !== item.key); });
  location.hash = '#/';
}

const baseOf = (view, match) => ({
  rules: view.rules.id, options: view.rules.options, match: match.id,
  sides: view.sides, seats: Math.max(1, ...view.sides.map((side) => side.players.length || 2)),
});

function scoreDeal(view, match) {
  replaceDraft(newDraft(baseOf(view, match)));
  location.hash = '#/';
}

function Table({ view, onEdit }) {
  if (!view.deals.length) return html`<p class="lead">${t('match.empty')}</p>`;
  return html`<div class="sheet-wrap" tabindex="0" role="region" aria-label=${t('match.total')}><table class="sheet"><thead><tr><th scope="col">${t('match.deal')}</th>${view.sides.map((side, n) => html`<th scope="col" key=${n} class=${`side-${n}`}>${side.name}</th>`)}</tr></thead>
    <tbody>${view.deals.map((deal) => {
    const marks = [deal.state !== 'counted' && t(`match.state.${deal.state}`), deal.amended && t('match.amended'), deal.void && t('match.void'), deal.faults.length > 0 && t('match.faults')].filter(Boolean);
    return html`<tr key=${deal.number} class=${cx(deal.state !== 'counted' && 'off')} data-deal=${deal.number}>
        <th scope="row">${onEdit && deal.state !== 'undone' ? html`<button type="button" class="deal-number" aria-label=${t('match.editDeal', { number: deal.number })} onClick=${() => onEdit(deal)}>${deal.number} <${Icon} name="edit" /></button>` : deal.number}
          ${marks.length > 0 && html`<span class="deal-marks">${marks.join(', ')}</span>`}</th>
        ${view.sides.map((_, n) => html`<td key=${n}><span class="deal-points">${signed(deal.points[n] ?? 0)}</span><span class="deal-running">${deal.running.length ? points(deal.running[n]) : '–'}</span></td>`)}</tr>`;
  })}</tbody>
    <tfoot><tr><th scope="row">${t('match.total')}</th>${view.totals.map((total, n) => html`<td key=${n}>${points(total)}</td>`)}</tr></tfoot></table></div>`;
}

function TotalsDialog({ view, deal, onClose, onSave }) {
  const [values, setValues] = useState(view.sides.map((_, n) => (deal ? String(deal.points[n]) : '')));
  const good = values.every((value) => /^-?\d{1,5}$/.test(value.replace('−', '-').trim()));
  const save = (event) => {
    event.preventDefault();
    if (good) onSave({ form: 'total', points: values.map((value) => Number(value.replace('−', '-'))) });
  };
  return html`<${Dialog} title=${deal ? t('match.editDeal', { number: deal.number }) : t('match.totalsTitle')} onClose=${onClose}><form onSubmit=${save}>
    ${view.sides.map((side, n) => html`<label class="field" key=${n}><span class="field-label">${side.name}</span>
      <input type="text" inputmode="text" name=${`total-${n}`} value=${values[n]} onInput=${(event) => setValues(values.map((value, at) => (at === n ? event.target.value : value)))} /></label>`)}
    <div class="row"><button type="submit" class="button primary" disabled=${!good}>${t('match.saveTotals')}</button>
      <button type="button" class="button" onClick=${() => onSave({ form: 'void' })}>${t('match.voidDeal')}</button></div>
  </form><//>`;
}

function DealDialog({ view, match, deal, write, onClose }) {
  const [totals, setTotals] = useState(false);
  const open = async () => {
    try {
      const full = await call(`/v1/matches/${match.id}?entries=true&first=${deal.number}&most=1`, { token: match.edit });
      const { entry } = full.deals[0];
      const draft = fromEntry(entry, baseOf(view, match));
      draft.editing = { number: deal.number, version: full.version };
      replaceDraft(draft);
      onClose();
      location.hash = '#/';
    } catch (fault) { toast(fault.message, true); }
  };
  if (totals) return html`<${TotalsDialog} view=${view} deal=${deal} onClose=${onClose} onSave=${(entry) => { write(`/deals/${deal.number}`, { entry, version: view.version }, 'PUT'); onClose(); }} />`;
  return html`<${Dialog} title=${t('match.editDeal', { number: deal.number })} onClose=${onClose}><div class="choices">
    ${deal.form === 'table' && html`<button type="button" class="choice" onClick=${open}><${Icon} name="edit" /> ${t('match.openCards')}</button>`}
    <button type="button" class="choice" onClick=${() => setTotals(true)}><${Icon} name="edit" /> ${t('match.addTotals')}</button>
    ${deal.state !== 'withdrawn' && html`<button type="button" class="choice bad" onClick=${() => { write(`/deals/${deal.number}?version=${view.version}`, undefined, 'DELETE'); onClose(); }}><${Icon} name="bin" /> ${t('match.withdraw')}</button>`}
  </div><//>`;
}

function MoreDialog({ view, match, write, onClose }) {
  const [note, setNote] = useState('');
  const act = (body) => { write('/events', body); onClose(); };
  return html`<${Dialog} title=${t('match.more')} onClose=${onClose}>
    <form onSubmit=${(event) => { event.preventDefault(); if (note.trim()) act({ kind: 'note', text: note.trim() }); }}>
      <label class="field"><span class="field-label">${t('match.note')}</span><input type="text" maxlength="300" value=${note} onInput=${(event) => setNote(event.target.value)} /></label>
      <button type="submit" class="button">${t('match.addNote')}</button></form>
    <div class="choices">
      ${view.closed ? html`<button type="button" class="choice" onClick=${() => act({ kind: 'reopen' })}>${t('match.reopen')}</button>`
    : !view.finished && html`<button type="button" class="choice" onClick=${() => act({ kind: 'close' })}>${t('match.close')}</button>`}
      <button type="button" class="choice bad" onClick=${() => { onClose(); forget(match); }}><${Icon} name="bin" /> ${t('match.forget')}</button></div>
  <//>`;
}

function forget(match) {
  location.hash = '#/match';
  change((s) => { s.matches = s.matches.filter((one) => one.id !== match.id); delete s.views[match.id]; });
  toast(t('match.forgotten'));
}

/** The deal on the table goes into a match: one of the known ones, or a new one. */
export function SaveDialog({ s, onClose }) {
  const open = s.matches.filter((match) => match.edit && s.views[match.id] && !s.views[match.id].finished && s.views[match.id].sides.length === s.draft.sides.length);
  const [making, setMaking] = useState(!open.length);
  const into = (view, match) => {
    change((x) => {
      Object.assign(x.draft, { match: match.id, rules: view.rules.id, options: view.rules.options });
      x.draft.sides.forEach((side, n) => {
        side.name = view.sides[n].name;
        if (view.sides[n].players.length || side.players.length) setSeats(side, view.sides[n].players);
      });
    });
    onClose();
    saveDeal();
  };
  return html`<${Dialog} title=${t('match.into')} onClose=${onClose}>
    ${!(making && !open.length) && html`<div class="choices">${open.map((match) => html`<button type="button" class="choice" key=${match.id} onClick=${() => into(s.views[match.id], match)}>${titleOf(match)}
      <span class="hint">${s.views[match.id].totals.map(points).join(' – ')}</span></button>`)}
      ${!making && html`<button type="button" class="choice" onClick=${() => setMaking(true)}><${Icon} name="plus" /> ${t('match.new')}</button>`}</div>`}
    ${making && html`<${NewMatch} s=${s} fromDraft onMade=${(made) => into(made.match, s.matches.find((one) => one.id === made.id) ?? state.matches[0])} />`}
  <//>`;
}

function setSeats(side, players) {
  const all = side.hands.flat();
  side.players = players;
  const seats = players.length || side.hands.length;
  if (seats < side.hands.length) side.hands = [all, ...Array.from({ length: seats - 1 }, () => [])];
  while (side.hands.length < seats) side.hands.push([]);
  if (side.closer !== null && side.closer >= seats) side.closer = null;
}

