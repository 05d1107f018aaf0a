// Talking to the server. One place for the language, the key, and for what to say when something goes wrong.
import { state, change } from './store.js';
import { lang, t } from './words.js';

/** A refusal (`status` > 0, with the server's sentence) or no network (`status` 0). */
export class Fault extends Error {
  constructor(message, status, body = {}) {
    super(message);
    this.status = status;
    this.body = body;
  }
}

export async function call(path, { method = 'GET', body, form, headers = {}, token, signal, key, raw = false } = {}) {
  const sent = { 'Accept-Language': lang(), ...headers };
  if (body !== undefined) sent['Content-Type'] = 'application/json';
  if (token) sent['X-Match-Token'] = token;
  if (key) sent['Idempotency-Key'] = key;
  if (state.settings.apiKey) sent['X-API-Key'] = state.settings.apiKey;
  let response;
  try {
    response = await fetch(path, {
      method, headers: sent, signal, body: form ?? (body === undefined ? undefined : JSON.stringify(body)),
    });
  } catch (error) {
    if (error.name === 'AbortError') throw error;
    throw new Fault(t('noNetwork'), 0);
  }
  if (response.status === 502 || response.status === 504) throw new Fault(t('noNetwork'), 0);
  if (raw && response.ok) return response;
  // An answer that was given up half-way is no empty answer.
  const data = await response.json().catch((error) => { if (error.name === 'AbortError') throw error; return {}; });
  if (signal?.aborted) throw new DOMException('given up', 'AbortError');
  if (response.ok) return data;
  if (response.status === 401) change((s) => { s.askKey = true; });
  throw new Fault(data.detail || data.title || t('serverFault', { status: response.status }), response.status, data);
}

export async function loadRules() {
  if (state.rules) return state.rules;
  const data = await call('/v1/rules');
  change((s) => { s.rules = data.rules; });
  return data.rules;
}

const sheets = new Map();
/** One rule set with all its values, effective options included. */
export async function ruleSet(id, options = {}) {
  const key = JSON.stringify([id, options, lang()]);
  if (!sheets.has(key)) {
    const made = Object.keys(options).length
      ? call('/v1/rules:check', { method: 'POST', body: { rules: id, options, lang: lang() } }).then((answer) => {
        if (!answer.good) throw new Fault(answer.error.message, 422, answer.error);
        return answer.rules;
      })
      : call(`/v1/rules/${encodeURIComponent(id)}`);
    sheets.set(key, made);
    made.catch(() => sheets.delete(key));
  }
  return sheets.get(key);
}

// --- the outbox: each write is sent once, in order, whenever there is a network ---------------------------------------

let sending = false;

export function post(item) {
  change((s) => { s.outbox.push(item); });
  return flush();
}

/** Send what waits. The key of each write makes a second try harmless. */
export async function flush() {
  if (sending) return;
  sending = true;
  try {
    for (;;) {
      const item = state.outbox.find((one) => !one.fault);
      if (!item) return;
      try {
        const view = await call(item.path, { method: item.method, body: item.body, token: item.token, key: item.key });
        change((s) => {
          s.outbox = s.outbox.filter((one) => one.key !== item.key);
          remember(s, view);
        });
        item.done?.(view);
      } catch (fault) {
        if (!(fault instanceof Fault) || fault.status === 0 || fault.status >= 500 || fault.status === 429) return;
        change((s) => {
          const kept = s.outbox.find((one) => one.key === item.key);
          if (kept) kept.fault = fault.message;
          if (fault.status === 409 && fault.body.match) remember(s, fault.body.match);
        });
      }
    }
  } finally {
    sending = false;
  }
}

/** Keep the newest view of a match. */
export function remember(s, view) {
  const known = s.views[view.id];
  if (known && known.version > view.version) return;
  const { deals, ...rest } = view;
  s.views[view.id] = { ...rest, deals: deals.map(({ entry, ...deal }) => deal) };
  const match = s.matches.find((one) => one.id === view.id);
  if (match) match.name = view.name || view.sides.map((side) => side.name).join(' – ');
}
