// One state for the whole page. What people typed is written down at every change, so that nothing ever loses it:
// not a reload, not a flat battery, not a tunnel.
import { useEffect, useState } from './ui.js';

const PREFIX = 'burraco.';
const KEPT = ['draft', 'settings', 'matches', 'outbox', 'houses', 'views'];

export const DEFAULTS = { lang: null, theme: 'auto', size: 'normal', fourColours: false, awake: true, apiKey: '' };

export const state = {
  draft: null, // the deal on the table (draft.js)
  settings: { ...DEFAULTS },
  matches: [], // matches this phone knows: {id, name, view, edit?}
  views: {}, // the last known view of each match, for reading without a network
  outbox: [], // writes that wait for the network: {key, match, method, path, body, edit?, fault?}
  houses: [], // own rule sets: {name, code, rules, options}
  rules: null, // GET /v1/rules
  score: null, // the last score of the draft: {data} or {fault}
  online: navigator.onLine,
  toast: null,
  route: { name: 'deal', parts: [] },
};

const listeners = new Set();
const written = {};

export function load() {
  for (const key of KEPT) {
    try {
      const text = localStorage.getItem(PREFIX + key);
      if (text === null) continue;
      const value = JSON.parse(text);
      state[key] = key === 'settings' ? { ...DEFAULTS, ...value } : value;
      written[key] = text;
    } catch { /* a damaged or refused store must not keep the page from opening */ }
  }
}

function save() {
  for (const key of KEPT) {
    const text = JSON.stringify(state[key]);
    if (text === written[key]) continue;
    try {
      localStorage.setItem(PREFIX + key, text);
      written[key] = text;
    } catch { /* private windows refuse; the page still works until it is closed */ }
  }
}

/** Change the state, write it down, draw again. */
export function change(step) {
  step?.(state);
  save();
  for (const listener of [...listeners]) listener();
}

export function useStore() {
  const [, draw] = useState(0);
  useEffect(() => {
    const listener = () => draw((n) => n + 1);
    listeners.add(listener);
    return () => listeners.delete(listener);
  }, []);
  return state;
}

/** Another window of the same phone changed something. */
export function follow() {
  addEventListener('storage', (event) => {
    const key = event.key?.startsWith(PREFIX) ? event.key.slice(PREFIX.length) : '';
    if (!['matches', 'outbox', 'houses', 'settings', 'views'].includes(key) || event.newValue === null) return;
    written[key] = event.newValue;
    state[key] = JSON.parse(event.newValue);
    for (const listener of [...listeners]) listener();
  });
}

let toastTimer;
/** Say something for a moment; it is read aloud too. */
export function toast(text, bad = false) {
  clearTimeout(toastTimer);
  change((s) => { s.toast = { text, bad }; });
  toastTimer = setTimeout(() => change((s) => { s.toast = null; }), bad ? 7000 : 3500);
}

/** A random name that nobody can guess; `randomUUID` is missing on plain http. */
export function randomId() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}
