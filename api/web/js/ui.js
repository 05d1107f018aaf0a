// Preact, htm and the small pieces that every view uses.
import { h, render, Fragment } from '../vendor/preact/preact.module.js';
import { useEffect, useRef, useState } from '../vendor/preact/hooks.module.js';
import htm from '../vendor/htm/htm.module.js';
import { t } from './words.js';

export const html = htm.bind(h);
export { Fragment, render, useEffect, useRef, useState };

/** Class names from strings and falsy values. */
export const cx = (...names) => names.filter(Boolean).join(' ');

const ICONS = {
  photo: 'M4 8h3l2-3h6l2 3h3v11H4zM12 10a3.5 3.5 0 1 0 0 7 3.5 3.5 0 0 0 0-7z',
  paste: 'M8 4h8v3H8zM6 5H4v16h16V5h-2M8 12h8M8 16h5',
  undo: 'M9 5L4 10l5 5M4 10h10.5a5 5 0 0 1 0 10H11',
  back: 'M9 6H21V18H9L3 12zM12 9.5l5 5M17 9.5l-5 5',
  more: 'M5 12h.01M12 12h.01M19 12h.01',
  gear: 'M4 7h10M18 7h2M4 17h2M10 17h10M16 4.5v5M8 14.5v5',
  plus: 'M12 5v14M5 12h14',
  close: 'M6 6l12 12M18 6L6 18',
  bin: 'M5 7h14M10 4h4M7 7l1 13h8l1-13M10 11v5M14 11v5',
  move: 'M4 12h16M15 7l5 5-5 5',
  split: 'M12 4v4M12 16v4M12 10.5v3M4 12h5M15 12h5M7 9l-3 3 3 3M17 9l3 3-3 3',
  join: 'M4 12h6M14 12h6M7 9l3 3-3 3M17 9l-3 3 3 3',
  share: 'M12 15V4M8 8l4-4 4 4M5 12v8h14v-8',
  down: 'M6 9l6 6 6-6',
  edit: 'M4 20l1-5L16 4l4 4L9 19z',
  check: 'M5 12l5 5L20 7',
  keyboard: 'M3 6h18v12H3zM7 10h.01M11 10h.01M15 10h.01M8 14h8',
  swap: 'M4 8h14M14 4l4 4-4 4M20 16H6M10 12l-4 4 4 4',
};

export function Icon({ name }) {
  return html`<svg class="icon" viewBox="0 0 24 24" aria-hidden="true"><path d=${ICONS[name]} /></svg>`;
}

/** A choice of few: radio buttons that look like one bar. */
export function Segments({ label, options, value, onChange, small, hideLabel }) {
  const first = options.some(([key]) => key === value) ? value : options[0][0]; // one of them is always reached by Tab
  return html`<div class=${cx('segments', small && 'small')} role="radiogroup" aria-label=${label}>
    ${!hideLabel && html`<span class="segments-label" aria-hidden="true">${label}</span>`}
    <div class="segments-bar">
      ${options.map(([key, text, spoken]) => html`<button type="button" role="radio" key=${String(key)}
        aria-checked=${key === value} aria-label=${spoken} tabindex=${key === first ? 0 : -1} class="segment"
        onClick=${() => onChange(key)} onKeyDown=${(event) => arrow(event, options, value, onChange)}>${text}</button>`)}
    </div>
  </div>`;
}

function arrow(event, options, value, onChange) {
  const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
  if (!step) return;
  event.preventDefault();
  const at = Math.max(0, options.findIndex(([key]) => key === value));
  const next = (at + step + options.length) % options.length;
  onChange(options[next][0]);
  event.currentTarget.parentElement.children[next].focus();
}

/** A dialog of the browser: it traps the focus and closes with Escape. */
export function Dialog({ title, onClose, children, wide }) {
  const box = useRef(null);
  useEffect(() => {
    const before = document.activeElement;
    box.current.showModal();
    return () => before?.focus?.();
  }, []);
  return html`<dialog ref=${box} class=${cx('dialog', wide && 'wide')} aria-label=${title}
      onClose=${onClose} onCancel=${() => document.activeElement?.blur()} onClick=${(event) => event.target === box.current && box.current.close()}>
    <div class="dialog-body">
      <header class="dialog-head"><h2>${title}</h2>
        <button type="button" class="icon-button" aria-label=${t('close')} onClick=${() => box.current.close()}>
          <${Icon} name="close" /></button>
      </header>
      ${children}
    </div>
  </dialog>`;
}

/** A number with its sign spelt as people write it: −15. */
export const points = (number) => (number < 0 ? `−${-number}` : String(number));
export const signed = (number) => (number > 0 ? `+${number}` : points(number));

export function Field({ label, hint, children }) {
  return html`<label class="field"><span class="field-label">${label}</span>${children}
    ${hint && html`<span class="hint">${hint}</span>`}</label>`;
}
