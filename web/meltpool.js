// Frames of a melt pool, of a file or of a loop that runs: ROI, pool and ellipse, features and
// predictions over time, the pores of a layer, and how long frames take.
// SPDX-License-Identifier: Apache-2.0
import { chart, removeChart } from './charts.js';
import { color, maps } from './colors.js';

export const legend = 'Analysis';
export const work = 'to read and show';
export const about = 'The command that makes these records. What the charts and the map show is not in it.';

export const html = {
  frames: '<div class="row"><label for="made">analysed</label><output id="made"></output></div>',
  display: `<fieldset id="display">
      <legend>Display</legend>
      <div class="row"><label for="value">over time</label><select id="value"></select></div>
      <div class="row" id="span-row"><label for="span">seconds</label><select id="span"></select></div>
      <div class="row"><label for="density">map of</label><select id="density"><option value="both">all pores</option><option value="lof">lack of fusion</option><option value="keyhole">keyhole</option></select></div>
      <div class="row"><label for="colors">colors</label><select id="colors"></select></div>
      <label class="row"><input type="checkbox" id="drawn" checked> ROI, pool and ellipse</label>
    </fieldset>`,
};

const blue = '#1f77b4', orange = '#b35900';
const columns = 600; // of a chart, POOL_COLUMNS
const rowNames = ['min', 'mean', 'max', 'lof', 'keyhole', 'truth_lof', 'truth_keyhole'];

/** A time of so many ns, in three digits. */
function time(ns) {
  const [unit, scale] = ns < 1e3 ? ['ns', 1] : ns < 1e6 ? ['us', 1e3] : ns < 1e9 ? ['ms', 1e6] : ['s', 1e9];
  return `${+(ns / scale).toPrecision(3)} ${unit}`;
}

const short = (x) => (x === null || Number.isNaN(x) ? 'none' : `${+x.toPrecision(4)}`);

/** The rows of the charts, by name; null where there is nothing. */
function rowsOf(panel) {
  const floats = new Float32Array(panel.levels.slice().buffer);
  return Object.fromEntries(rowNames.map((name, k) => [name,
    Array.from(floats.subarray(k * columns, (k + 1) * columns), (x) => (Number.isNaN(x) ? null : x))]));
}

/** Lines around the ROI, the ellipse, and the place around which the pool was searched. */
function marksOf({ outline }, side) {
  if (!outline) return [];
  const [x, y] = outline.roi.map((first) => first - 0.5), out = [];
  out.push({ kind: 'path', points: [[x, y], [x + side, y], [x + side, y + side], [x, y + side], [x, y]] });
  if (outline.pool) {
    const [a, b] = outline.semi_axes, c = Math.cos(outline.angle_rad), s = Math.sin(outline.angle_rad);
    out.push({ kind: 'path', points: Array.from({ length: 49 }, (_, i) => {
      const u = a * Math.cos((i * Math.PI) / 24), v = b * Math.sin((i * Math.PI) / 24);
      return [outline.pool[0] + u * c - v * s, outline.pool[1] + u * s + v * c];
    }) });
  }
  out.push({ kind: 'cross', x: outline.centre[0], y: outline.centre[1] });
  return out;
}

export function open(page) {
  const { $, link, panels, bind, redraw } = page;
  let valueChart, pointed;

  function showState(state) {
    if (!$('value').options.length) {
      $('value').append(...state.values.map((name) => new Option(name)));
      $('span').append(...state.spans.map((s) => new Option(s)));
    }
    $('value').value = state.value;
    $('span').value = state.span;
    $('density').value = state.density;
    $('span-row').hidden = !state.is_live;
    for (const id of ['options', 'made']) (id === 'made' ? $(id).parentElement : $(id)).hidden = state.is_live;
  }

  const look = () => ({ map: $('colors').value, drawn: $('drawn').checked });

  function drawFrame(picture, now) {
    const info = picture.panels.find((p) => p.name === 'frame'), pool = picture.panels.find((p) => p.name === 'pool');
    const flags = picture.flags?.length ? `: ${picture.flags.join(', ')}` : '';
    const panel = page.panel(0, onPanel);
    panel.show({ ...info, zoom: 0.6, smooth: false, left: 0, right: info.w - 1, top: 0, bottom: info.h - 1, title: `frame ${picture.frame}${flags}`,
      label: 'column, row down (pixels)', aria: `frame ${picture.frame} of ${info.w} by ${info.h} pixels${flags}` });
    const paint = (words, { levels, w }) => {
      for (let i = 0; i < levels.length; i++) words[i] = (0xff000000 | (levels[i] * 0x010101)) >>> 0;
      if (!pool || !now.drawn) return;
      const [x0, y0] = picture.outline.roi;
      pool.levels.forEach((is, k) => { // the pool is tinted
        const i = (y0 + Math.floor(k / pool.w)) * w + x0 + (k % pool.w), g = levels[i];
        if (is) words[i] = (0xff000000 | ((g >> 1) << 16) | (Math.round(0.75 * g) << 8) | Math.max(g, 96)) >>> 0;
      });
    };
    panel.draw(paint, { ...now, marks: now.drawn ? marksOf(picture, pool?.w) : [] });
  }

  /** A map of a layer; 0 is where no frame was. */
  function drawMap(picture, now, info, k) {
    const [[x, y], side] = info.name === 'before' ? [picture.before_first, picture.before_side] : [picture.map_first, picture.map_side];
    const half = side / info.w / 2, name = { map: 'predicted', truth: 'truth', before: 'predicted' }[info.name];
    const title = info.name === 'before' ? `layer ${picture.layer}: ${name}` : `layer ${picture.layer + 1}: ${name}`;
    const ticks = [0, 0.5, 1].map((share) => [share, short(share * picture.top)]);
    const shades = Array.from({ length: 256 }, (_, i) => {
      const [r, g, b] = color(now.map, i / 255);
      return (0xff000000 | (b << 16) | (g << 8) | r) >>> 0;
    });
    const panel = page.panel(k, onPanel);
    panel.show({ ...info, zoom: 0.36, smooth: false, left: x + half, right: x + side - half, top: y + side - half, bottom: y + half, title,
      label: 'x, y up (as the signals)', aria: `${title} pores of the layer`, bar: { map: now.map, ticks, unit: '/mm²' } });
    panel.draw((words, { levels }) => {
      for (let i = 0; i < levels.length; i++) words[i] = levels[i] ? shades[Math.round((levels[i] - 1) / 65534 * 255)] : 0;
    }, { ...now, marks: [] });
  }

  function draw(picture, now) {
    const over = picture.panels.filter((p) => p.type === 'level');
    page.keep(1 + over.length);
    drawFrame(picture, now);
    over.forEach((info, k) => drawMap(picture, now, info, 1 + k));
    showCharts(picture);
    showMeasures(picture);
    showCursor();
    $('made').textContent = picture.trouble ?? (picture.n_done === undefined ? '' : `${picture.n_done} of ${page.state.n_frames} frames`);
  }

  function showCharts(picture) {
    const rows = rowsOf(picture.panels.find((p) => p.name === 'columns'));
    const x = rows.mean.map((_, i) => picture.from_s + (i + 0.5) * picture.width_s);
    const line = (label, stroke, more) => ({ label, stroke, width: 1.5, points: { show: false }, ...more });
    const id = `value-${picture.value}`; // the state may be of the next one
    if (valueChart && valueChart !== id) removeChart(valueChart);
    valueChart = id;
    chart(id, picture.value, 'time (s)', [line('mean', blue), line('least', blue, { width: 0.5 }), line('most', blue, { width: 0.5 })],
      [x, rows.mean, rows.min, rows.max]);
    if (page.state.has_model) {
      const truth = rows.truth_lof.some((v) => v !== null);
      const of = ['lof', 'keyhole'].flatMap((name, k) => [line(name, [blue, orange][k])].concat(
        truth ? line(`${name}, truth`, [blue, orange][k], { dash: [4, 4] }) : []));
      chart(truth ? 'truths' : 'predictions', 'pores / mm²', 'time (s)', of,
        [x, ...['lof', 'keyhole'].flatMap((name) => [rows[name]].concat(truth ? [rows[`truth_${name}`]] : []))]);
    }
    const { times } = picture, last = times.bars.findLastIndex((n) => n > 0), first = times.bars.findIndex((n) => n > 0);
    if (last >= 0) {
      const from = Math.max(first - 1, 0), bars = times.bars.slice(from, last + 2);
      const us = bars.map((_, i) => Math.log10(times.first_ns * 2 ** ((from + i + 0.5) / times.an_octave) / 1e3));
      chart('times', `${times.of}: frames by log10 of us`, 'log10 (time / us)',
        [line('frames', blue, window.uPlot && { fill: '#1f77b466', paths: window.uPlot.paths.bars({ size: [0.9] }) })], [us, bars]);
    }
  }

  function showMeasures(picture) {
    const { times, counts } = picture, rows = [], k = page.state.values.indexOf(picture.value);
    const pair = (name, [a, b]) => rows.push([name, `${short(a)} lack of fusion, ${short(b)} keyhole, 1/mm²`]);
    if (picture.doubt) rows.push(['warning', picture.doubt]);
    if (picture.counter !== undefined) rows.push(['signals', `frame ${picture.counter}, laser at ${picture.at.join(', ')}`]);
    if (picture.outline?.pool) rows.push(['pool', `${picture.outline.area} pixels at ${picture.outline.pool.map((p) => p.toFixed(1)).join(', ')}; semi-axes ${picture.outline.semi_axes.map((a) => a.toFixed(1)).join(' and ')}`]);
    if (picture.features && k < picture.features.length) rows.push([picture.value, short(picture.features[k])]);
    if (picture.prediction) pair('predicted', picture.prediction);
    if (picture.truth) pair('truth', picture.truth);
    rows.push([times.of, times.n ? `p50 ${time(times.p50_ns)}, p99 ${time(times.p99_ns)}, p99.9 ${time(times.p999_ns)}, max ${time(times.max_ns)}` : 'none yet']);
    rows.push(['frames/s', `${short(picture.frames_s)}${picture.deadline_us ? `; deadline ${time(1e3 * picture.deadline_us)}` : ''}`]);
    rows.push(['frames', Object.entries(counts).map(([name, n]) => `${n} ${name}`).join(', ')]);
    page.measures(rows);
  }

  /** What is under the cursor. */
  function showCursor() {
    if (!pointed?.cursor || !panels.includes(pointed)) return;
    const [column, row] = pointed.nearest(...pointed.cursor), { info } = pointed, level = info.levels[row * info.w + column];
    const at = pointed.place(column, row).map(short).join(', ');
    $('cursor').textContent = info.name === 'frame' ? `column, row ${at}: ${level}`
      : `x, y ${at}: ${level ? `${short((level - 1) / 65534 * page.picture.top)} / mm²` : 'no frame was there'}`;
  }

  function onPanel(what, panel) {
    pointed = panel;
    showCursor();
  }

  $('no-charts').textContent = 'Features and times are charts, which this build has not: it was built without npm (uPlot).';
  bind('value', 'change', (e) => link.set('value', e.value));
  bind('span', 'change', (e) => link.set('span', e.value));
  bind('density', 'change', (e) => link.set('density', e.value));
  bind('colors', 'change', redraw);
  bind('drawn', 'change', redraw);
  $('colors').append(...maps.map((name) => new Option(name)));
  $('colors').value = 'viridis';
  const frameText = (picture) => `${picture.frame}${page.state.is_live ? '' : `, ${(picture.frame / page.state.camera_hz).toFixed(5)} s`}`;
  return { showState, look, draw, frameText };
}
