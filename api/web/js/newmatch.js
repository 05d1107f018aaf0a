// Beginning a match: names, target, who deals first.
import { html, useEffect, useState } from './ui.js';
import { call, loadRules, remember } from './net.js';
import { change, toast } from './store.js';
import { lang, t } from './words.js';

const words = (text) => [...new Set(text.split(',').map((name) => name.trim()).filter(Boolean))].slice(0, 3);

export function NewMatch({ s, fromDraft, onMade }) {
  const { draft } = s;
  const [name, setName] = useState('');
  const [sides, setSides] = useState(draft.sides.map((side) => ({ name: side.name, players: side.players.join(', ') })));
  const [rules, setRules] = useState(draft.house ? 'draft' : draft.rules);
  const [target, setTarget] = useState('');
  const [dealer, setDealer] = useState(0);
  const [busy, setBusy] = useState(false);
  useEffect(() => { loadRules().catch(() => {}); }, []);
  const set = (n, key) => (event) => setSides(sides.map((side, at) => (at === n ? { ...side, [key]: event.target.value } : side)));
  // Partners sit opposite, so the seats go round the sides.
  const seats = [];
  for (let place = 0; place < Math.max(1, ...sides.map((side) => words(side.players).length)); place += 1) {
    for (const side of sides) seats.push(words(side.players)[place] ?? (place ? '' : side.name));
  }
  const begin = async (event) => {
    event.preventDefault();
    if (busy) return;
    setBusy(true);
    const own = rules === 'draft' ? { rules: draft.rules, options: draft.options }
      : { rules, options: rules === draft.rules ? draft.options : {} };
    try {
      const made = await call('/v1/matches', { method: 'POST', body: {
        name: name.trim(), ...own, options: { ...own.options, ...(target ? { target: Number(target) } : {}) },
        sides: sides.map((side) => ({ name: side.name.trim(), players: words(side.players) })), first_dealer: dealer,
      } });
      change((x) => {
        x.matches.unshift({ id: made.id, name: name.trim(), view: made.view_token, edit: made.edit_token });
        remember(x, made.match);
      });
      onMade(made);
    } catch (fault) {
      toast(fault.message, true);
    }
    setBusy(false);
  };
  return html`<form class="new-match" onSubmit=${begin}>
    ${sides.map((side, n) => html`<fieldset class="people" key=${n}><legend>${side.name || t('sideNumber', { number: n + 1 })}</legend>
      <label class="field"><span class="field-label">${t('sideName')}</span><input type="text" required maxlength="60" name=${`side-${n}`} value=${side.name} onInput=${set(n, 'name')} /></label>
      <label class="field"><span class="field-label">${t('playersList')}</span><input type="text" maxlength="180" name=${`players-${n}`} value=${side.players} placeholder="Anna, Bruno" onInput=${set(n, 'players')} /></label></fieldset>`)}
    ${!fromDraft && html`<label class="field"><span class="field-label">${t('rules')}</span><select value=${rules} onChange=${(event) => setRules(event.target.value)}>
      ${draft.house && html`<option value="draft">${draft.house}</option>`}
      ${(s.rules ?? [{ id: draft.rules, name: { it: draft.rules, en: draft.rules } }]).map((one) => html`<option key=${one.id} value=${one.id}>${one.name[lang()]}</option>`)}</select></label>`}
    <div class="row two"><label class="field"><span class="field-label">${t('match.target')}</span><input type="number" min="5" max="100000" step="5" inputmode="numeric" name="target" value=${target} placeholder=${t('match.targetHint')} onInput=${(event) => setTarget(event.target.value)} /></label>
      <label class="field"><span class="field-label">${t('match.dealerFirst')}</span><select value=${dealer} onChange=${(event) => setDealer(Number(event.target.value))}>
        ${seats.map((seat, n) => seat && html`<option key=${n} value=${n}>${seat}</option>`)}</select></label></div>
    <label class="field"><span class="field-label">${t('match.name')}</span><input type="text" maxlength="60" name="match-name" value=${name} onInput=${(event) => setName(event.target.value)} /></label>
    <button type="submit" class="button primary wide" data-action="begin" disabled=${busy}>${t('match.begin')}</button>
  </form>`;
}

