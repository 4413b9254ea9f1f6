// Recordings of ultrasound: B-mode panels, gain and colors, points, distances, cysts, profiles.
// SPDX-License-Identifier: Apache-2.0
import { chart, removeChart } from './charts.js';
import { maps, table } from './colors.js';

export const legend = 'Beamforming';
export const work = 'to beamform';
export const about = "The command that writes this picture. Gain, colors and marks are this page's alone.";
const aboutLive = "The command that listens, and writes such pictures. Gain, colors and marks are this page's alone.";

export const html = {
  tools: `<fieldset id="tools">
      <legend>A click, or Enter, sets</legend>
      <label><input type="radio" name="tool" value="point" checked> point</label>
      <label><input type="radio" name="tool" value="distance"> distance</label>
      <label><input type="radio" name="tool" value="cyst"> cyst: center, then rim</label>
      <button type="button" id="clear">Clear marks</button>
    </fieldset>`,
  frames: '<div class="row"><label for="transmit">transmit</label><input type="number" id="transmit" min="0" value="0"></div>',
  display: `<fieldset id="display">
      <legend>Display</legend>
      <div class="row"><label for="gain">gain</label><input type="range" id="gain" min="-40" max="40" step="1" value="0"><output id="gain-text" for="gain">0 dB</output></div>
      <div class="row"><label for="colors">colors</label><select id="colors"></select></div>
    </fieldset>`,
  options: '<p id="own" hidden>For this view alone: what the command that runs writes keeps the options it was started with.</p>'
    + '<div class="row"><label for="c">c (m/s)</label><input type="range" id="c" step="1"><input type="number" id="c-number" min="100" max="20000" step="any" aria-label="c, m/s"><button type="button" id="c-reset">file\'s</button></div>',
  more: '<label class="row"><input type="checkbox" id="delays"> delays and aperture of the point</label>',
};

/** Millimetres with two places, and no minus before 0.00. */
const mm = (x) => x.toFixed(2).replace(/^-0\.00$/, '0.00');

export function open(page) {
  const { $, link, panels, bind, unlessHeld, redraw } = page;
  let shades, shadesOf, distance, cystCenter, pointed;

  function showState(state) {
    $('transmit').max = state.n_transmits - 1;
    $('transmit').disabled = state.n_transmits < 2;
    unlessHeld($('transmit'), state.transmit);
    $('delays').checked = state.delays;
    const c = state.c_m_s || state.file_c_m_s;
    $('c').min = Math.round(0.85 * state.file_c_m_s);
    $('c').max = Math.round(1.15 * state.file_c_m_s);
    unlessHeld($('c'), c);
    unlessHeld($('c-number'), c);
    $('own').hidden = !state.is_live;
    if (state.is_live) $('about-command').textContent = aboutLive;
    if (state.is_live && !page.picture) $('status').textContent = 'no frame came yet';
  }

  /** Of the page alone: kept by this browser. */
  const look = () => ({ map: $('colors').value, gain: +$('gain').value, range: +page.option('dynamic-range'), marks: marks() });

  function marks() {
    const { state } = page, out = [];
    if (state.point_mm.length) out.push({ kind: 'cross', at: state.point_mm });
    if (state.cyst_mm.length) out.push({ kind: 'circle', at: state.cyst_mm, r: state.cyst_mm[3] });
    if (cystCenter) out.push({ kind: 'cross', at: cystCenter });
    if (distance?.length === 1) out.push({ kind: 'cross', at: distance[0] });
    if (distance?.length === 2) out.push({ kind: 'line', at: distance[0], to: distance[1] });
    return out;
  }

  /** Marks as a panel has them. A cyst is round in x and z. */
  function marksIn({ across, down }, all) {
    return all.flatMap(({ kind, at, to, r }) => {
      const mark = { kind, x: at[across], y: at[down] };
      if (kind === 'line') return [{ ...mark, toX: to[across], toY: to[down] }];
      if (kind === 'cross') return [mark];
      return across === 0 && down === 2 ? [0.8, 1.2, 1.44].map((share) => ({ ...mark, r: r * share })) : [];
    });
  }

  function texts({ name, across, down, third, at, left, right, top, bottom }) {
    const [x, y] = ['xyz'[across], 'xyz'[down]];
    return {
      title: name + (name === 'image' || at === undefined ? '' : ` at ${'xyz'[third]} = ${mm(at)} mm`),
      label: `${x} (mm), ${y} down`,
      aria: `${name}, ${x} ${left.toFixed(1)} to ${right.toFixed(1)} mm, ${y} ${top.toFixed(1)} to ${bottom.toFixed(1)} mm`,
    };
  }

  function draw(picture, now) {
    const key = [now.map, now.gain, now.range].join();
    if (key !== shadesOf) shades = table(now.map, now.range, now.gain, picture.range_db);
    shadesOf = key;
    const ticks = [0, 0.5, 1].map((share) => [share, `${Math.round((share - 1) * now.range - now.gain)}`]);
    const paint = (words, { levels }) => { for (let i = 0; i < levels.length; i++) words[i] = shades[levels[i]]; };
    page.keep(picture.panels.length);
    picture.panels.forEach((info, k) => {
      const panel = page.panel(k, onPanel);
      panel.show({ ...info, ...texts(info), zoom: picture.panels.length > 1 ? 0.5 : 1, bar: { map: now.map, ticks, unit: 'dB' } });
      panel.draw(paint, { ...now, marks: marksIn(info, now.marks) });
    });
    showMeasures(picture);
    showCharts(picture);
    showCursor();
  }

  const db = ({ info }, column, row) => (info.levels[row * info.w + column] / 65535 - 1) * page.picture.range_db;

  /** The level under the cursor, of the picture that is shown. */
  function showCursor() {
    if (!pointed?.cursor || !panels.includes(pointed)) return;
    const [column, row] = pointed.nearest(...pointed.cursor);
    const place = pointed.place(column, row), names = [pointed.info.across, pointed.info.down];
    $('cursor').textContent = `${names.map((k, i) => `${'xyz'[k]} ${mm(place[i])} mm`).join(', ')}: ${db(pointed, column, row).toFixed(1)} dB`;
  }

  function onPanel(what, panel, [across, down]) {
    pointed = panel;
    if (what === 'cursor') {
      showCursor();
      return;
    }
    const { info } = panel, place = [0, 0, 0];
    place[info.across] = across;
    place[info.down] = down;
    place[info.third] = info.at;
    const at = place.map((x, i) => x ?? page.state.point_mm[i] ?? 0); // a maximum has no place along its axis
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

  function showMeasures({ point, cyst }) {
    const rows = [];
    const length = (x) => (x === null ? 'beyond the picture' : `${x.toFixed(3)} mm`);
    if (distance?.length === 2) {
      rows.push(['distance', `${Math.hypot(...distance[1].map((x, i) => x - distance[0][i])).toFixed(2)} mm`]);
    }
    if (point) {
      rows.push(['brightest near the point', point.error ?? `${point.peak_mm.map(length).join(', ')} mm: ${point.peak_db.toFixed(1)} dB`]);
      if (!point.error) rows.push(['width at -6 dB', `lateral ${length(point.width_mm[0])}, axial ${length(point.width_mm[2])}${page.state.is_volume ? `, elevation ${length(point.width_mm[1])}` : ''}`]);
    }
    if (cyst) {
      const value = (x) => (x === null ? 'none' : `${x.toFixed(1)} dB`);
      rows.push(['cyst', cyst.error ?? `contrast ${value(cyst.contrast_db)}, CNR ${value(cyst.cnr_db)}, gCNR ${cyst.gcnr.toFixed(3)}, speckle SNR ${cyst.speckle_snr?.toFixed(2) ?? 'none'}`]);
    }
    page.measures(rows);
  }

  function profile(panel, isRow) {
    const { info } = panel, at = page.state.point_mm;
    const [column, row] = panel.nearest(at[info.across], at[info.down]), n = isRow ? info.w : info.h;
    const x = [], y = [];
    for (let i = 0; i < n; i++) {
      const [c, r] = isRow ? [i, row] : [column, i];
      x.push(panel.place(c, r)[isRow ? 0 : 1]);
      y.push(db(panel, c, r));
    }
    return [x, y];
  }

  function showCharts(picture) {
    const line = { label: 'dB', stroke: '#1f77b4', width: 1.5, points: { show: false } };
    if (page.state.point_mm.length) {
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

  /** Of a command that listens. */
  function statusText({ live }) {
    const ms = (ns) => (ns === null ? 'none' : `${(ns / 1e6).toPrecision(3)} ms`);
    return live ? `. Frames: ${live.received} received, ${live.processed} processed, ${live.refused} refused, ${live.dropped} dropped, `
      + `${live.late} late, ${live.lost} lost, ${live.not_shown} not shown; latency p50 ${ms(live.p50_ns)}, p99 ${ms(live.p99_ns)}` : '';
  }

  $('no-charts').textContent = 'Profiles and delays are charts, which this build has not: it was built without npm (uPlot).';
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
  bind('gain', 'input', (e) => {
    $('gain-text').textContent = `${e.value} dB`;
    redraw();
  });
  bind('colors', 'change', redraw);
  $('colors').append(...maps.map((name) => new Option(name)));
  return { showState, look, draw, statusText, frameText: (picture) => `${page.state.first_frame + picture.frame}` };
}
