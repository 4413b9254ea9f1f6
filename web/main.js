// The page of saccade view: what the server sends is shown, what the user changes is sent. This is
// what all kinds of source have; the state's `pipeline` names the module with the rest, NAME.js:
//
// - html: HTML by the name of a place of index.html (data-part), each optional;
// - legend: of the options; work: what a picture's time is of, 'to beamform';
//   about: what the command line under Save does;
// - open(page): called once, when html is in place and before the first state is shown. `page` is
//   below. Returns { showState(state), look(), draw(picture, look), frameText(picture),
//   statusText(picture) }: the kind's own members of a state; what a picture is drawn by beside
//   itself, to be compared by its JSON; the drawing, of all panels (page.panel) and numbers; and,
//   optional, a frame's number as text, and more for the end of the status line.
// SPDX-License-Identifier: Apache-2.0
import { hasCharts } from './charts.js';
import { Controls } from './controls.js';
import { Link } from './link.js';
import { Panel } from './picture.js';
import { savePng, saveSvg } from './save.js';

const $ = (id) => document.getElementById(id);
const panels = [];
let kind, opening, isStuck, state, picture, lookDrawn, statusTimer;
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
  state: async (message) => {
    if (isStuck || (state && state.pipeline !== message.pipeline)) { // another command serves this address now
      location.reload();
      return;
    }
    state = message;
    try {
      await (opening ??= openKind(message.pipeline));
    } catch (error) {
      console.error(error);
      isStuck = true; // browsers keep an import that failed: only a page that is loaded anew tries again
      trouble(`This page could not be loaded whole, and is loaded again: ${error.message}`);
      setTimeout(() => { if (link.isOpen) location.reload(); }, 1000); // else with the first state that comes
      return;
    }
    trouble(state.error || '');
    showState(state, Boolean(state.error));
    if (JSON.stringify(kind.look()) !== lookDrawn) redraw(); // what else changed comes with its picture
  },
  picture: (message) => {
    picture = message;
    if (waiting++ === 0) requestAnimationFrame(drawNew);
    else dropped++;
  },
});
const controls = new Controls($('options'), (name, value) => link.set(name, value));

const page = {
  $, link, panels, redraw, bind, unlessHeld,
  get state() { return state; },
  get picture() { return picture; },
  /** The value of an option, as text. */
  option: (name) => state.controls.find((c) => c.name === name).value,
  /** Panel k, made where there is none; on as of Panel. */
  panel: (k, on) => (panels[k] ??= new Panel($('panels'), on)),
  /** How many panels there are. */
  keep: (n) => { while (panels.length > n) panels.pop().canvas.remove(); },
  /** Rows of names and values beside the picture. */
  measures: (rows) => $('measures').replaceChildren(...rows.flatMap(([name, value]) => [
    Object.assign(document.createElement('dt'), { textContent: name }),
    Object.assign(document.createElement('dd'), { textContent: value })])),
};

async function openKind(name) {
  const module = await import(`./${name}.js`);
  for (const place of document.querySelectorAll('[data-part]')) {
    place.outerHTML = module.html[place.dataset.part] ?? '';
  }
  $('options').querySelector('legend').textContent = module.legend;
  $('about-command').textContent = module.about;
  kind = { work: module.work, ...module.open(page) };
}

function trouble(text) {
  $('trouble').textContent = text;
  $('trouble').hidden = !text;
}

window.viewed = { panels, get state() { return kind && state; }, get picture() { return picture; } }; // for tests, and for who looks closer

function unlessHeld(input, value) {
  if (document.activeElement !== input || input.type === 'checkbox') input.value = value;
}

function showState(message, force) {
  if (!kind) return;
  $('source').textContent = message.source;
  document.title = `${message.source} - saccade view`;
  controls.show(message.controls, force);
  $('frame').max = message.n_frames - 1;
  for (const id of ['frame', 'step', 'back', 'rate', 'loop']) $(id).disabled = message.is_live || message.n_frames < 2;
  $('play').disabled = !message.is_live && message.n_frames < 2;
  unlessHeld($('rate'), message.rate_hz);
  unlessHeld($('frame'), message.frame);
  $('loop').checked = message.loops;
  $('play').textContent = message.plays ? 'Pause' : 'Play';
  $('play').ariaPressed = message.plays;
  $('command').textContent = message.command;
  $('no-charts').hidden = hasCharts();
  kind.showState(message);
}

function redraw() {
  if (!picture || !kind) return;
  const look = kind.look();
  lookDrawn = JSON.stringify(look);
  kind.draw(picture, look);
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
  $('frame-number').textContent = kind?.frameText?.(picture) ?? `${picture.frame}`;
  statusTimer ??= setTimeout(showStatus, 200); // nobody reads faster
}

function showStatus() {
  statusTimer = undefined;
  const ms = (ns) => `${(ns / 1e6).toPrecision(3)} ms`;
  $('status').textContent = `${times.length} picture${times.length === 1 ? '' : 's'}/s, ${ms(picture.run_ns)} ${kind?.work ?? ''}`
    + `${picture.open_ns ? ` and ${ms(picture.open_ns)} to open` : ''}, ${picture.device}, ${picture.variant}, ${dropped} dropped`
    + (kind?.statusText?.(picture) ?? '');
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
bind('save-png', 'click', () => savePng(panels));
bind('save-svg', 'click', () => saveSvg(panels));
bind('copy', 'click', () => navigator.clipboard.writeText(state.command).catch(() => {
  getSelection().selectAllChildren($('command')); // a browser may refuse: then it is a key away
}));
$('form').addEventListener('submit', (e) => e.preventDefault());
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', redraw);
