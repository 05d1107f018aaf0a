// The page: settings on the document, the address, the frame around the views.
import { html, render, cx, Dialog, Icon, useEffect, useState } from './js/ui.js';
import { DealView, Lazy } from './js/deal.js';
import { newDraft, undo } from './js/draft.js';
import { flush } from './js/net.js';
import { change, follow, load, state, useStore } from './js/store.js';
import { lang, t } from './js/words.js';

load();
state.draft ??= newDraft();
follow();

function route() {
  const [name = '', ...parts] = location.hash.replace(/^#\/?/, '').split('/').map(decodeURIComponent);
  change((s) => { s.route = { name: ['match', 'rules', 'settings'].includes(name) ? name : 'deal', parts }; });
  scrollTo(0, 0);
}
addEventListener('hashchange', route);
addEventListener('online', () => { change((s) => { s.online = true; }); flush(); });
addEventListener('offline', () => change((s) => { s.online = false; }));
addEventListener('keydown', (event) => {
  const typing = event.target.closest?.('input, textarea, select, dialog');
  if (typing) return;
  if (event.key === 'Escape' && state.picked) change((s) => { s.picked = null; });
  if ((event.key === 'z' || event.key === 'Z') && (event.ctrlKey || event.metaKey)) { event.preventDefault(); undo(); }
  if (event.key === 'Delete' && state.picked) import('./js/keys.js').then((keys) => keys.onBack());
});

function applySettings({ theme, size, fourColours }) {
  const root = document.documentElement;
  root.lang = lang();
  root.dataset.theme = theme;
  root.dataset.size = size;
  root.dataset.suits = fourColours ? 'four' : 'two';
}

const VIEWS = { match: ['./match.js', 'MatchView'], rules: ['./rules.js', 'RulesView'], settings: ['./settings.js', 'SettingsView'] };

function Page() {
  const s = useStore();
  applySettings(s.settings);
  const { name } = s.route;
  const waiting = s.outbox.filter((item) => !item.fault).length;
  const tab = (key, href, label) => html`<a href=${href} class="tab" aria-current=${name === key ? 'page' : undefined}>${label}</a>`;
  return html`<div class="frame">
    <header class="top">
      <a class="brand" href="#/" aria-label="Burraco"><span class="brand-mark" aria-hidden="true"></span><span class="brand-name">Burraco</span></a>
      <nav class="tabs" aria-label=${t('pages')}>
        ${tab('deal', '#/', t('tab.deal'))}${tab('match', '#/match', t('tab.match'))}${tab('rules', '#/rules', t('tab.rules'))}
      </nav>
      <a class="icon-button" href="#/settings" aria-label=${t('tab.settings')} aria-current=${name === 'settings' ? 'page' : undefined}><${Icon} name="gear" /></a>
    </header>
    ${(!s.online || waiting > 0) && html`<p class="net" role="status">${s.online ? t('sending', { count: waiting }) : waiting ? t('offlineWaiting', { count: waiting }) : t('offline')}</p>`}
    ${name === 'deal' ? html`<${DealView} s=${s} />` : html`<${Lazy} key=${name} from=${VIEWS[name][0]} name=${VIEWS[name][1]} s=${s} />`}
    ${s.askKey && html`<${KeyDialog} />`}
    <div class=${cx('toast', s.toast && 'on', s.toast?.bad && 'bad')} role="status" aria-live="polite">${s.toast?.text}</div>
  </div>`;
}

/** The server wants an API key. */
function KeyDialog() {
  const [key, setKey] = useState(state.settings.apiKey);
  const close = () => change((s) => { s.askKey = false; });
  const keep = (event) => {
    event.preventDefault();
    change((s) => { s.settings.apiKey = key.trim(); s.askKey = false; s.score = null; });
    location.reload();
  };
  return html`<${Dialog} title=${t('apiKey')} onClose=${close}><form onSubmit=${keep}>
    <label class="field"><span class="field-label">${t('apiKeyHint')}</span><input type="password" autocomplete="off" value=${key} onInput=${(event) => setKey(event.target.value)} /></label>
    <button class="button primary" type="submit">${t('ok')}</button></form><//>`;
}

// --- the screen stays awake while cards are counted ------------------------------------------------------------------------

let lock = null;
async function stayAwake() {
  if (!state.settings.awake || document.visibilityState !== 'visible' || lock || !navigator.wakeLock) return;
  try {
    lock = await navigator.wakeLock.request('screen');
    lock.addEventListener('release', () => { lock = null; });
  } catch { /* a low battery refuses */ }
}
document.addEventListener('visibilitychange', () => { stayAwake(); if (document.visibilityState === 'visible') flush(); });
addEventListener('pointerdown', stayAwake, { passive: true });

const root = document.getElementById('app');
root.replaceChildren();
route();
render(html`<${Page} />`, root);
document.documentElement.dataset.ready = 'yes';
performance.mark('burraco-ready');
flush();
setInterval(flush, 20_000);
if ('serviceWorker' in navigator) addEventListener('load', () => navigator.serviceWorker.register('/sw.js').catch(() => {}));
