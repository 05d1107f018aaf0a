// Passing things on: links, QR codes, pictures.
import { html, Dialog, Icon, Segments, useEffect, useState } from './ui.js';
import { call } from './net.js';
import { toast } from './store.js';
import { t } from './words.js';

export const linkOf = (match, kind) => `${location.origin}/#/match/${match.id}/${kind}/${kind === 'e' ? match.edit : match.view}`;

export async function copyText(text, said) {
  try {
    await navigator.clipboard.writeText(text);
  } catch { // plain http has no clipboard
    const box = document.createElement('textarea');
    box.value = text;
    (document.querySelector('dialog[open]') ?? document.body).append(box);
    box.select();
    document.execCommand('copy');
    box.remove();
  }
  toast(said);
}

/** A QR code, drawn by the server; nothing when it cannot be reached. */
export function Qr({ text, label }) {
  const [picture, setPicture] = useState(null);
  useEffect(() => {
    let url = null;
    let gone = false;
    setPicture(null);
    call('/v1/page/qr', { method: 'POST', body: { text }, raw: true }).then((response) => response.blob()).then((blob) => {
      if (gone) return;
      url = URL.createObjectURL(blob);
      setPicture(url);
    }).catch(() => !gone && setPicture(''));
    return () => { gone = true; if (url) URL.revokeObjectURL(url); };
  }, [text]);
  if (picture === '') return html`<p class="hint">${t('share.noQr')}</p>`;
  return html`<figure class="qr">${picture ? html`<img src=${picture} alt=${label} width="232" height="232" />` : html`<span class="qr-empty"></span>`}
    <figcaption>${t('share.scan')}</figcaption></figure>`;
}

export function ShareDialog({ match, onClose }) {
  const [kind, setKind] = useState('v');
  const link = linkOf(match, kind);
  return html`<${Dialog} title=${t('match.share')} onClose=${onClose}>
    ${match.edit && html`<${Segments} label=${t('match.share')} hideLabel value=${kind} onChange=${setKind} options=${[['v', t('share.view')], ['e', t('share.edit')]]} />`}
    ${kind === 'e' && html`<p class="banner">${t('share.editHint')}</p>`}
    <${Qr} text=${link} label=${t('share.scan')} />
    <div class="choices">
      <button type="button" class="choice" data-link=${link} onClick=${() => copyText(link, t('share.copied'))}><${Icon} name="paste" /> ${t('share.copy')}</button>
      ${navigator.share && html`<button type="button" class="choice" onClick=${() => navigator.share({ title: 'Burraco', url: link }).catch(() => {})}><${Icon} name="share" /> ${t('share.send')}</button>`}
      <button type="button" class="choice" onClick=${() => sendFile(match, 'png')}><${Icon} name="photo" /> ${t('share.picture')}</button>
      <button type="button" class="choice" onClick=${() => sendFile(match, 'pdf')}><${Icon} name="down" /> ${t('share.pdf')}</button>
      <button type="button" class="choice" onClick=${() => sendFile(match, 'csv')}><${Icon} name="down" /> ${t('share.csv')}</button>
    </div>
  <//>`;
}

/** The sheet as a file: to the phone's own sharing where it takes files, else as a download. */
async function sendFile(match, form) {
  try {
    const response = await call(`/v1/matches/${match.id}/export.${form}`, { token: match.edit ?? match.view, raw: true });
    const blob = await response.blob();
    const file = new File([blob], `burraco-${new Date().toISOString().slice(0, 10)}.${form}`, { type: blob.type });
    if (navigator.canShare?.({ files: [file] }) && form !== 'csv') {
      await navigator.share({ files: [file] });
      return;
    }
    const url = URL.createObjectURL(file);
    const link = document.createElement('a');
    link.href = url;
    link.download = file.name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(url), 10_000);
  } catch (fault) {
    if (fault.name !== 'AbortError') toast(fault.message, true);
  }
}

