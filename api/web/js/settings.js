// How the page looks and speaks.
import { html, Segments, useEffect, useState } from './ui.js';
import { change } from './store.js';
import { t } from './words.js';

let offer = null;
addEventListener('beforeinstallprompt', (event) => { event.preventDefault(); offer = event; });

export function SettingsView({ s }) {
  const [canInstall, setInstall] = useState(Boolean(offer));
  useEffect(() => {
    const hear = () => setInstall(true);
    addEventListener('beforeinstallprompt', hear);
    return () => removeEventListener('beforeinstallprompt', hear);
  }, []);
  const set = (key) => (value) => change((x) => { x.settings[key] = value; if (key === 'lang') x.score = null; });
  const { settings } = s;
  const bar = (key, label, options) => html`<${Segments} label=${label} value=${settings[key]} onChange=${set(key)} options=${options} />`;
  return html`<main class="page settings"><h1>${t('tab.settings')}</h1>
    <div class="panel">
      ${bar('lang', t('settings.language'), [[null, t('settings.auto')], ['it', 'Italiano'], ['en', 'English']])}
      ${bar('theme', t('settings.theme'), [['auto', t('settings.themeAuto')], ['light', t('settings.light')], ['dark', t('settings.dark')]])}
      ${bar('size', t('settings.size'), [['normal', t('settings.normal')], ['large', t('settings.large')], ['huge', t('settings.huge')]])}
      ${bar('fourColours', t('settings.suits'), [[false, t('settings.two')], [true, t('settings.four')]])}
      ${bar('awake', t('settings.awake'), [[true, t('settings.on')], [false, t('settings.off')]])}
    </div>
    <div class="panel"><label class="field"><span class="field-label">${t('settings.key')}</span>
      <input type="password" autocomplete="off" value=${settings.apiKey} onChange=${(event) => set('apiKey')(event.target.value.trim())} /></label></div>
    ${canInstall && html`<div class="panel"><p>${t('settings.installHint')}</p><button type="button" class="button primary" onClick=${() => offer?.prompt()}>${t('settings.install')}</button></div>`}
    <p class="hint">${t('settings.about')}</p>
  </main>`;
}
