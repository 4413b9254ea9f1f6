// The page of saccade view: what the server sends is shown, what the user changes is sent.
// SPDX-License-Identifier: Apache-2.0
import { chart, hasCharts, removeChart } from './charts.js';
import { maps, table } from './colors.js';
import { Controls } from './controls.js';
import { Link } from './link.js';
import { mm, Panel } from './picture.js';
import { savePng, saveSvg } from './save.js';

const $ = (id) => document.getElementById(id);
const panels = [];
let state, picture, shades, shadesOf, lookDrawn, distance, cystCenter, statusTimer, pointed;
let waiting = 0; // pictures that came and are not drawn
let dropped = 0;
const times = []; // when the last pictures were drawn

const link = new Link({
  open: () => { waiting = 0; trouble(''); },
  lost: () => trouble('The connection to saccade is lost. It is tried again.'),
  refusal: (message) => {
    trouble(message.error);
    if (state) showState(state, true);
  },
  state: (message) => {
    trouble(message.error || '');
    showState(message, Boolean(message.error));
    if (JSON.stringify(look()) !== lookDrawn) redraw(); // what else changed comes with its picture
  },
  picture: (message) => {
    picture = message;
    if (waiting++ === 0) requestAnimationFrame(drawNew);
    else dropped++;
  },
});
const controls = new Controls($('options'), (name, value) => link.set(name, value));

function trouble(text) {
  $('trouble').textContent = text;
  $('trouble').hidden = !text;
}

window.viewed = { panels, get state() { return state; }, get picture() { return picture; } }; // for tests, and for who looks closer
const option = (name) => state.controls.find((c) => c.name === name).value;

function unlessHeld(input, value) {
  if (document.activeElement !== input || input.type === 'checkbox') input.value = value;
}

function showState(message, force) {
  state = message;
  $('source').textContent = state.source;
  document.title = `${state.source} - saccade view`;
  controls.show(state.controls, force);
  $('frame').max = state.n_frames - 1;
  for (const id of ['frame', 'play', 'step', 'back', 'rate', 'loop']) $(id).disabled = state.n_frames < 2;
  $('transmit').max = state.n_transmits - 1;
  $('transmit').disabled = state.n_transmits < 2;
  unlessHeld($('transmit'), state.transmit);
  unlessHeld($('rate'), state.rate_hz);
  unlessHeld($('frame'), state.frame);
  $('loop').checked = state.loops;
  $('delays').checked = state.delays;
  $('play').textContent = state.plays ? 'Pause' : 'Play';
  $('play').ariaPressed = state.plays;
  const c = state.c_m_s || state.file_c_m_s;
  $('c').min = Math.round(0.85 * state.file_c_m_s);
  $('c').max = Math.round(1.15 * state.file_c_m_s);
  unlessHeld($('c'), c);
  unlessHeld($('c-number'), c);
  $('command').textContent = state.command;
}

/** Of the page alone: kept by this browser. */
const look = () => ({ map: $('colors').value, gain: +$('gain').value, range: +option('dynamic-range'), marks: marks() });

function marks() {
  const out = [];
  if (state.point_mm.length) out.push({ kind: 'cross', at: state.point_mm });
  if (state.cyst_mm.length) out.push({ kind: 'circle', at: state.cyst_mm, r: state.cyst_mm[3] });
  if (cystCenter) out.push({ kind: 'cross', at: cystCenter });
  if (distance?.length === 1) out.push({ kind: 'cross', at: distance[0] });
  if (distance?.length === 2) out.push({ kind: 'line', at: distance[0], to: distance[1] });
  return out;
}

function redraw() {
  if (!picture || !state) return;
  const now = look(), key = [now.map, now.gain, now.range].join();
  if (key !== shadesOf) shades = table(now.map, now.range, now.gain, picture.range_db);
  shadesOf = key;
  lookDrawn = JSON.stringify(now);
  while (panels.length > picture.panels.length) panels.pop().canvas.remove();
  picture.panels.forEach((info, k) => {
    panels[k] ??= new Panel($('panels'), onPanel);
    panels[k].show({ ...info, small: picture.panels.length > 1 });
    panels[k].draw(shades, now);
  });
  showMeasures();
  showCharts();
  showCursor();
}

function drawNew() {
  const n = waiting;
  waiting = 0;
  redraw();
  for (let i = 0; i < n; i++) link.send('drawn');
  const now = performance.now();
  times.push(now);
  while (times[0] < now - 1000) times.shift();
  unlessHeld($('frame'), picture.frame);
  $('frame-number').textContent = `${state ? state.first_frame + picture.frame : picture.frame}`;
  statusTimer ??= setTimeout(showStatus, 200); // nobody reads faster
}

function showStatus() {
  statusTimer = undefined;
  const ms = (ns) => `${(ns / 1e6).toPrecision(3)} ms`;
  $('status').textContent = `${times.length} picture${times.length === 1 ? '' : 's'}/s, ${ms(picture.run_ns)} to beamform`
    + `${picture.open_ns ? ` and ${ms(picture.open_ns)} to open` : ''}, ${picture.device}, ${picture.variant}, ${dropped} dropped`;
}

/** The level under the cursor, of the picture that is shown. */
function showCursor() {
  if (!pointed?.cursor || !panels.includes(pointed)) return;
  const [column, row] = pointed.nearest(...pointed.cursor);
  const place = pointed.place(column, row), names = [pointed.info.across, pointed.info.down];
  $('cursor').textContent = `${names.map((k, i) => `${'xyz'[k]} ${mm(place[i])} mm`).join(', ')}: ${pointed.db(column, row, picture.range_db).toFixed(1)} dB`;
}

function onPanel(what, panel, at) {
  at = at.map((x, i) => x ?? state.point_mm[i] ?? 0); // a maximum has no place along its axis
  if (what === 'cursor') {
    pointed = panel;
    showCursor();
    return;
  }
  const tool = document.querySelector('input[name=tool]:checked').value;
  if (tool === 'point') {
    link.set('point', at.map((x) => x.toFixed(4)).join(' '));
  } else if (tool === 'distance') {
    distance = distance?.length === 1 ? [distance[0], at] : [at];
  } else if (!cystCenter) {
    cystCenter = at;
  } else {
    const r = Math.hypot(at[0] - cystCenter[0], at[2] - cystCenter[2]);
    link.set('cyst', [...cystCenter, r].map((x) => x.toFixed(4)).join(' '));
    cystCenter = undefined;
  }
  redraw();
}

function showMeasures() {
  const rows = [], { point, cyst } = picture;
  const mm = (x) => (x === null ? 'beyond the picture' : `${x.toFixed(3)} mm`);
  if (distance?.length === 2) {
    rows.push(['distance', `${Math.hypot(...distance[1].map((x, i) => x - distance[0][i])).toFixed(2)} mm`]);
  }
  if (point) {
    rows.push(['brightest near the point', point.error ?? `${point.peak_mm.map(mm).join(', ')} mm: ${point.peak_db.toFixed(1)} dB`]);
    if (!point.error) rows.push(['width at -6 dB', `lateral ${mm(point.width_mm[0])}, axial ${mm(point.width_mm[2])}${state.is_volume ? `, elevation ${mm(point.width_mm[1])}` : ''}`]);
  }
  if (cyst) {
    const db = (x) => (x === null ? 'none' : `${x.toFixed(1)} dB`);
    rows.push(['cyst', cyst.error ?? `contrast ${db(cyst.contrast_db)}, CNR ${db(cyst.cnr_db)}, gCNR ${cyst.gcnr.toFixed(3)}, speckle SNR ${cyst.speckle_snr?.toFixed(2) ?? 'none'}`]);
  }
  $('measures').replaceChildren(...rows.flatMap(([name, value]) => [
    Object.assign(document.createElement('dt'), { textContent: name }),
    Object.assign(document.createElement('dd'), { textContent: value })]));
}

function profile(panel, isRow) {
  const { info } = panel, at = state.point_mm;
  const [column, row] = panel.nearest(at[info.across], at[info.down]), n = isRow ? info.w : info.h;
  const x = [], y = [];
  for (let i = 0; i < n; i++) {
    const [c, r] = isRow ? [i, row] : [column, i];
    x.push(panel.place(c, r)[isRow ? 0 : 1]);
    y.push(panel.db(c, r, picture.range_db));
  }
  return [x, y];
}

function showCharts() {
  const line = { label: 'dB', stroke: '#1f77b4', width: 1.5, points: { show: false } };
  $('no-charts').hidden = hasCharts();
  if (state.point_mm.length) {
    for (const [id, isRow] of [['across', true], ['down', false]]) {
      const axis = 'xyz'[picture.panels[0][id]];
      chart(`profile-${id}`, `Profile along ${axis}`, `${axis} (mm)`, [line], profile(panels[0], isRow));
    }
  } else {
    ['profile-across', 'profile-down'].forEach(removeChart);
  }
  if (picture.delays_us) {
    const x = picture.delays_us.map((_, i) => i);
    chart('delays-chart', `Delays of transmit ${picture.transmit}, and aperture`, 'element',
      [{ label: 'us', stroke: '#1f77b4', width: 1.5 }, { label: 'weight', scale: 'w', stroke: '#b35900', width: 1.5, dash: [5, 3] }],
      [x, picture.delays_us, picture.weights]);
  } else {
    removeChart('delays-chart');
  }
}

function bind(id, event, send) {
  $(id).addEventListener(event, () => send($(id)));
}

const stepBy = (n) => () => link.set('frame', (picture.frame + n + state.n_frames) % state.n_frames);
bind('frame', 'input', (e) => link.set('frame', e.value));
bind('rate', 'change', (e) => link.set('rate', e.value));
bind('loop', 'change', (e) => link.set('loop', e.checked ? 1 : 0));
bind('play', 'click', () => link.set('play', state.plays ? 0 : 1));
bind('step', 'click', stepBy(1));
bind('back', 'click', stepBy(-1));
bind('transmit', 'change', (e) => link.set('transmit', e.value));
bind('delays', 'change', (e) => link.set('delays', e.checked ? 1 : 0));
bind('c', 'input', (e) => link.set('c', ($('c-number').value = e.value)));
bind('c-number', 'change', (e) => link.set('c', ($('c').value = e.value)));
bind('c-reset', 'click', () => link.set('c', ''));
bind('clear', 'click', () => {
  distance = cystCenter = undefined;
  link.set('point', '');
  link.set('cyst', '');
  redraw();
});
bind('save-png', 'click', () => savePng(panels));
bind('save-svg', 'click', () => saveSvg(panels));
bind('copy', 'click', () => navigator.clipboard.writeText(state.command).catch(() => {
  getSelection().selectAllChildren($('command')); // a browser may refuse: then it is a key away
}));
bind('gain', 'input', (e) => {
  $('gain-text').textContent = `${e.value} dB`;
  redraw();
});
bind('colors', 'change', redraw);
$('colors').append(...maps.map((name) => new Option(name)));
$('form').addEventListener('submit', (e) => e.preventDefault());
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', redraw);
