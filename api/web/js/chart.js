// The running totals as a line for each side, drawn as SVG without a library.
import { html, points } from './ui.js';
import { t } from './words.js';

const WIDTH = 640;
const HEIGHT = 240;
const LEFT = 56;
const RIGHT = 16;
const EDGE = 18;

/** A step that gives few and round grid lines. */
function stepOf(span) {
  const rough = span / 4;
  const power = 10 ** Math.floor(Math.log10(Math.max(1, rough)));
  return [1, 2, 2.5, 5, 10].map((n) => n * power).find((n) => n >= rough);
}

export function Chart({ view }) {
  const rows = view.deals.filter((deal) => deal.running.length);
  if (!rows.length) return null;
  // A page of a long match begins where the deals before it ended.
  const from = (side) => (view.deals[0].number === 1 ? 0 : rows[0].running[side]);
  const lines = view.sides.map((_, side) => [from(side), ...rows.map((deal) => deal.running[side])]);
  const low = Math.min(0, ...lines.flat());
  const high = Math.max(view.target ?? 0, ...lines.flat(), 100);
  const step = stepOf(high - low);
  const x = (n) => LEFT + (n * (WIDTH - LEFT - RIGHT)) / Math.max(1, rows.length);
  const y = (value) => HEIGHT - EDGE - ((value - low) * (HEIGHT - 2 * EDGE)) / (high - low);
  const grid = [];
  for (let value = Math.ceil(low / step) * step; value <= high; value += step) grid.push(value);
  const words = view.sides.map((side, n) => t('match.chartSpoken', { side: side.name, totals: lines[n].slice(1).join(', ') })).join('. ');
  return html`<figure class="chart">
    <svg viewBox=${`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label=${`${t('match.chart')}. ${words}`}>
      ${grid.map((value) => html`<g key=${value}><line class="chart-grid" x1=${LEFT} x2=${WIDTH - RIGHT} y1=${y(value)} y2=${y(value)} />
        <text class="chart-text" x=${LEFT - 8} y=${y(value) + 5} text-anchor="end">${points(value)}</text></g>`)}
      ${view.target && html`<g><line class="chart-target" x1=${LEFT} x2=${WIDTH - RIGHT} y1=${y(view.target)} y2=${y(view.target)} />
        <text class="chart-text" x=${WIDTH - RIGHT} y=${y(view.target) - 6} text-anchor="end">${view.target}</text></g>`}
      ${lines.map((line, side) => html`<g key=${side} class=${`chart-side side-${side}`}>
        <polyline class="chart-line" points=${line.map((value, n) => `${x(n).toFixed(1)},${y(value).toFixed(1)}`).join(' ')} />
        ${line.map((value, n) => n > 0 && html`<circle key=${n} class="chart-dot" cx=${x(n)} cy=${y(value)} r=${rows.length > 30 ? 2 : 4.5} />`)}
      </g>`)}
    </svg>
    <figcaption class="chart-names">${view.sides.map((side, n) => html`<span key=${n} class=${`chart-name side-${n}`}>${side.name}</span>`)}</figcaption>
  </figure>`;
}
