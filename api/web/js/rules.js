// The rules: choose a set, make house rules by eight questions, see every value with its source, compare two sets.
import { html, cx, Dialog, Icon, points, Segments, useEffect, useState } from './ui.js';
import { edit, optionsOf, sidesOf } from './draft.js';
import { decode, encode, optionsFrom, QUESTIONS } from './house.js';
import { call, loadRules, ruleSet } from './net.js';
import { ruleName, ruleValue } from './rule_words.js';
import { copyText, Qr } from './share.js';
import { change, state, toast } from './store.js';
import { lang, t } from './words.js';

const say = (value) => ruleValue(value, { yes: t('rules.yes'), no: t('rules.no'), none: t('rules.none') });
const nameOf = (rules, id) => rules?.find((one) => one.id === id)?.name[lang()] ?? id;

function useRules() {
  const [rules, setRules] = useState(state.rules);
  const [fault, setFault] = useState('');
  useEffect(() => { loadRules().then(setRules).catch((problem) => setFault(problem.message)); }, []);
  return [rules, fault];
}

/** Play the deal on the table by these rules. */
function use({ rules, options = {}, name = '' }, spoken) {
  edit((draft) => { Object.assign(draft, { rules, options, house: name, trump: null }); });
  toast(t('rules.used', { name: spoken }));
}

export function RulesView({ s }) {
  const [first, second, third] = s.route.parts;
  const [rules, fault] = useRules();
  if (first === 'house') return html`<${House} key=${second ?? 'new'} s=${s} rules=${rules} code=${second} name=${third} />`;
  if (first) return html`<${RuleSet} key=${first} s=${s} rules=${rules} id=${first} />`;
  return html`<main class="page"><h1>${t('tab.rules')}</h1>
    ${fault && html`<p class="banner">${fault}</p>`}
    <section class="panel house-intro"><h2>${t('rules.house')}</h2><p class="hint">${t('rules.houseHint')}</p>
      <div class="row"><a class="button primary" href="#/rules/house">${t('rules.answer')}</a></div><${CodeBox} />
      ${s.houses.length > 0 && html`<ul class="cards-list">${s.houses.map((house) => html`<li key=${house.code + house.name}><a class="match-card" href=${`#/rules/house/${house.code}/${encodeURIComponent(house.name)}`}>
        <span class="match-card-name">${house.name}</span><span class="hint">${nameOf(rules, house.rules)} · ${house.code}</span></a></li>`)}</ul>`}
    </section>
    <h2>${t('rules.sets')}</h2>
    <ul class="cards-list rule-list">${(rules ?? []).map((one) => html`<li key=${one.id}><a class="match-card" href=${`#/rules/${one.id}`}>
      <span class="match-card-name">${one.name[lang()]}</span>${s.draft.rules === one.id && !s.draft.house && html`<span class="tag">${t('rules.inUse')}</span>`}</a></li>`)}</ul>
  </main>`;
}

function CodeBox() {
  const [code, setCode] = useState('');
  const [bad, setBad] = useState(false);
  const open = (event) => {
    event.preventDefault();
    const found = decode(code);
    setBad(!found);
    if (found) location.hash = `#/rules/house/${encode(found)}`;
  };
  return html`<form class="row" onSubmit=${open}><label class="field code-field"><span class="field-label">${t('rules.haveCode')}</span>
    <input type="text" maxlength="8" autocapitalize="characters" autocomplete="off" spellcheck="false" name="code" value=${code} onInput=${(event) => setCode(event.target.value)} /></label>
    <button type="submit" class="button">${t('rules.openCode')}</button>${bad && html`<p class="fault" role="alert">${t('rules.badCode')}</p>`}</form>`;
}

function useSheet(id, options) {
  const [sheet, setSheet] = useState(null);
  const [fault, setFault] = useState('');
  const key = JSON.stringify(options ?? {});
  useEffect(() => {
    let gone = false;
    setFault('');
    ruleSet(id, options).then((made) => !gone && setSheet(made)).catch((problem) => !gone && setFault(problem.message));
    return () => { gone = true; };
  }, [id, key, lang()]);
  return [sheet, fault];
}

function RuleSet({ s, id }) {
  const [sheet, fault] = useSheet(id);
  return html`<main class="page"><a class="back" href="#/rules">${t('rules.sets')}</a>
    ${fault && html`<p class="banner bad">${fault}</p>`}
    ${sheet && html`<h1>${sheet.name[lang()]}</h1>
      <div class="row"><button type="button" class="button primary" data-action="use-rules" onClick=${() => { if (s.draft.match) toast(t('rulesOfMatch')); else { use({ rules: id }, sheet.name[lang()]); location.hash = '#/'; } }}>${t('rules.use')}</button></div>
      <${Values} sheet=${sheet} />`}
  </main>`;
}

function Values({ sheet, changed = {} }) {
  const [wanted, setWanted] = useState('');
  const needle = wanted.trim().toLowerCase();
  const rows = sheet.rules.filter((rule) => !needle || [ruleName(rule.key), rule.key, rule.source, say(rule.value)].join(' ').toLowerCase().includes(needle));
  const sections = [...new Set(rows.map((rule) => rule.section))];
  return html`<section class="values"><h2>${t('rules.values')}</h2>
    <label class="field"><span class="field-label">${t('rules.search')}</span><input type="search" value=${wanted} onInput=${(event) => setWanted(event.target.value)} /></label>
    ${sections.map((section) => html`<section class="panel value-panel" key=${section}><h3>${t(`section.${section}`)}</h3>
      ${rows.filter((rule) => rule.section === section).map((rule) => html`<details class="value" key=${rule.key}><summary>
          <span class="value-name">${ruleName(rule.key)}</span><span class=${cx('value-now', changed[rule.key] !== undefined && 'changed')}>${say(rule.value)}</span></summary>
        <p class="source">${rule.assumption && html`<span class="tag">${t('rules.assumption')}</span> `}${rule.source.replace(/^assumption:\s*/, '')} <code>${rule.key}</code></p></details>`)}
    </section>`)}
  </section>`;
}

// --- house rules -----------------------------------------------------------------------------------------------------------

const ANSWER_WORDS = { true: 'ans.yes', false: 'ans.no', any: 'ans.any', clean: 'ans.clean', none: 'ans.none' };
function answerText(question, value) {
  if (question.key === 'semi') return value ? t('ans.yes') : t('ans.no');
  return ANSWER_WORDS[value] ? t(ANSWER_WORDS[value]) : String(value);
}

function House({ s, rules, code, name: given }) {
  const found = code ? decode(code) : null;
  const [base, setBase] = useState(found?.rules ?? s.draft.rules);
  const [answers, setAnswers] = useState(found?.answers ?? QUESTIONS.map(() => 0));
  const [name, setName] = useState(given ?? '');
  const options = optionsFrom(answers);
  const [sheet, fault] = useSheet(base, options);
  const [plain] = useSheet(base);
  const short = encode({ rules: base, answers });
  const title = name.trim() || t('rules.nameDefault');
  const link = `${location.origin}/#/rules/house/${short}${name.trim() ? `/${encodeURIComponent(name.trim())}` : ''}`;
  const keep = () => {
    change((x) => { x.houses = [{ name: title, code: short, rules: base, options }, ...x.houses.filter((one) => one.name !== title)]; });
    use({ rules: base, options, name: title }, title);
    location.hash = '#/';
  };
  const before = Object.fromEntries((plain?.rules ?? []).map((rule) => [rule.key, rule.value]));
  const changed = Object.fromEntries(Object.entries(options).filter(([key, value]) => JSON.stringify(before[key]) !== JSON.stringify(value)));
  if (code && !found) return html`<main class="page"><a class="back" href="#/rules">${t('tab.rules')}</a><p class="banner bad">${t('rules.badCode')}</p></main>`;
  return html`<main class="page house"><a class="back" href="#/rules">${t('tab.rules')}</a><h1>${name.trim() || t('rules.house')}</h1>
    <div class="house-body"><div class="panel questions">
      <label class="field"><span class="field-label">${t('rules.base')}</span><select name="base" value=${base} onChange=${(event) => setBase(event.target.value)}>
        ${(rules ?? [{ id: base, name: { it: base, en: base } }]).map((one) => html`<option key=${one.id} value=${one.id}>${one.name[lang()]}</option>`)}</select></label>
      <ol class="question-list">${QUESTIONS.map((question, n) => html`<li key=${question.key} class="question"><p>${t(`ask.${question.key}`)}</p>
        <${Segments} hideLabel label=${t(`ask.${question.key}`)} value=${answers[n]} onChange=${(value) => setAnswers(answers.map((one, at) => (at === n ? value : one)))}
          options=${question.answers.map((value, at) => [at, at ? answerText(question, value) : html`${t('rules.as')}${before[question.option] !== undefined && html`: ${say(before[question.option])}`}`])} /></li>`)}</ol>
    </div>
    <div class="panel house-result">
      <label class="field"><span class="field-label">${t('rules.nameIt')}</span><input type="text" maxlength="40" name="house-name" value=${name} placeholder=${t('rules.nameDefault')} onInput=${(event) => setName(event.target.value)} /></label>
      <p class="house-code"><span class="field-label">${t('rules.code')}</span> <output data-code=${short}>${short}</output></p>
      ${fault ? html`<p class="banner bad" role="alert">${fault}</p>` : html`<p>${Object.keys(changed).length ? t('rules.changes', { count: Object.keys(changed).length }) : t('rules.noChanges')}</p>
        <ul>${Object.entries(changed).map(([key, value]) => html`<li key=${key} class="hint">${t('rules.onlyChanged', { key: ruleName(key), before: say(before[key]), after: say(value) })}</li>`)}</ul>`}
      <button type="button" class="button primary" data-action="keep-rules" disabled=${Boolean(fault) || Boolean(s.draft.match)} onClick=${keep}><${Icon} name="check" /> ${t('rules.keep')}</button>
      <${Qr} text=${link} label=${t('rules.share')} />
      <button type="button" class="button" onClick=${() => copyText(link, t('share.copied'))}>${t('share.copy')}</button>
    </div></div>
    ${sheet && !fault && html`<${Values} sheet=${sheet} changed=${changed} />`}
  </main>`;
}

// --- dialogs of the deal ----------------------------------------------------------------------------------------------------

export function ChooseDialog({ s, onClose }) {
  const [rules, fault] = useRules();
  const choose = (what, spoken) => { use(what, spoken); onClose(); };
  return html`<${Dialog} title=${t('rules.choose')} onClose=${onClose}>
    ${fault && html`<p class="banner">${fault}</p>`}
    <div class="choices">
      ${s.houses.map((house) => html`<button type="button" class="choice" key=${house.name} onClick=${() => choose(house, house.name)}>${house.name}<span class="hint">${house.code}</span></button>`)}
      ${(rules ?? []).map((one) => html`<button type="button" class="choice" key=${one.id} data-rules=${one.id} aria-pressed=${s.draft.rules === one.id && !s.draft.house}
        onClick=${() => choose({ rules: one.id }, one.name[lang()])}>${one.name[lang()]}${s.draft.rules === one.id && !s.draft.house && html`<span class="tag">${t('rules.inUse')}</span>`}</button>`)}
      <a class="choice" href="#/rules/house" onClick=${onClose}>${t('rules.answer')}…</a>
    </div><//>`;
}

export function CompareDialog({ s, onClose }) {
  const [rules] = useRules();
  const { draft } = s;
  const [other, setOther] = useState(draft.rules === 'fibur' ? 'classico' : 'fibur');
  const [data, setData] = useState(null);
  const [fault, setFault] = useState('');
  useEffect(() => {
    let gone = false;
    setFault('');
    call('/v1/compare', { method: 'POST', body: { sides: sidesOf(draft), lang: 'en', under: [{ rules: draft.rules, options: optionsOf(draft) }, other] } })
      .then((made) => !gone && setData(made)).catch((problem) => !gone && setFault(problem.message));
    return () => { gone = true; };
  }, [other, lang()]);
  const names = [draft.house || nameOf(rules, draft.rules), nameOf(rules, other)];
  return html`<${Dialog} title=${t('rules.compare')} wide onClose=${onClose}>
    <label class="field"><span class="field-label">${t('rules.with')}</span><select name="other" value=${other} onChange=${(event) => setOther(event.target.value)}>
      ${(rules ?? []).filter((one) => one.id !== draft.rules || draft.house).map((one) => html`<option key=${one.id} value=${one.id}>${one.name[lang()]}</option>`)}</select></label>
    ${fault && html`<p class="banner bad">${fault}</p>`}
    ${data && !fault && html`<${Compared} data=${data} names=${names} />`}<//>`;
}

function Compared({ data, names }) {
  const [left, right] = data.results;
  const rows = [];
  left.sides.forEach((side, n) => {
    const twin = right.sides[n];
    side.melds.forEach((meld, m) => {
      const other = twin.melds[m];
      if (meld.total === other.total && meld.type === other.type && meld.legal === other.legal) return;
      rows.push([`${side.name}, ${t('rules.meld', { number: m + 1 })}`, [meld, other].map((one) => `${one.legal ? (one.type ? t(`type.${one.type}`) : t(`kind.${one.kind}`)) : t('notLegal')} · ${points(one.total)}`)]);
    });
    for (const key of ['closing', 'hand', 'pozzetto']) {
      if (side.score[key] !== twin.score[key]) rows.push([`${side.name}, ${t({ closing: 'closing', hand: 'handOf', pozzetto: 'pozzetto' }[key])}`, [points(side.score[key]), points(twin.score[key])]]);
    }
  });
  return html`<div class="sheet-wrap" tabindex="0" role="region" aria-label=${t('rules.compare')}><table class="sheet compare"><thead><tr><th scope="col"><span class="unseen">${t('score')}</span></th>${names.map((name) => html`<th scope="col" key=${name}>${name}</th>`)}</tr></thead>
    <tbody>${rows.map(([what, values], n) => html`<tr key=${n}><th scope="row">${what}</th>${values.map((value, m) => html`<td key=${m}>${value}</td>`)}</tr>`)}</tbody>
    <tfoot>${left.sides.map((side, n) => html`<tr key=${n}><th scope="row">${side.name}</th><td>${points(side.score.total)}</td><td>${points(right.sides[n].score.total)}</td></tr>`)}</tfoot></table></div>
    ${!rows.length && html`<p>${t('rules.same')}</p>`}`;
}
