// What views of videos share: panels of pixels, how large and how fine they are, and the cursor.
// SPDX-License-Identifier: Apache-2.0

/** A place `display` of a kind's html. */
export const display = `<fieldset id="display">
    <legend>Display</legend>
    <div class="row"><label for="zoom">size</label><select id="zoom"><option value="0">side by side</option><option value="0.5">small</option><option value="0.75">medium</option><option value="1">large</option></select></div>
    <div class="row"><label for="step-of">pixels sent</label><select id="step-of"><option value="0">as a screen shows</option><option value="1">all</option><option value="2">each 2nd, each way</option><option value="3">each 3rd</option><option value="4">each 4th</option><option value="8">each 8th</option></select></div>
  </fieldset>`;

const paints = {
  gray: (words, { levels }) => { for (let i = 0; i < levels.length; i++) words[i] = 0xff000000 | (levels[i] * 0x10101); },
  rgb: (words, { levels }) => {
    for (let i = 0, k = 0; i < words.length; i++, k += 3) words[i] = 0xff000000 | (levels[k + 2] << 16) | (levels[k + 1] << 8) | levels[k];
  },
};

/** Panels of a video; text(picture, column, row) tells more of the pixel under the cursor. */
export function panelsOf(page, text = () => '') {
  const { $, link, panels, bind, redraw } = page;
  let cursor; // as a pixel of the video, the same in every panel

  function onPanel(what, panel, [x, y]) {
    cursor = [x, y];
    for (const other of panels) other.cursor = cursor;
    redraw();
  }

  /** So that n panels stand side by side. */
  const fitting = (n) => Math.min(1, Math.max(0.25, (($('picture').clientWidth - 16 * (n - 1)) / n - 72) / 640));

  function show(picture) {
    const zoom = +$('zoom').value || fitting(picture.panels.length);
    page.keep(picture.panels.length);
    picture.panels.forEach((info, k) => {
      const panel = page.panel(k, onPanel), every = info.step > 1 ? `, each ${['2nd', '3rd'][info.step - 2] ?? `${info.step}th`} pixel` : '';
      panel.show({ ...info, zoom, smooth: false, title: info.name + every, label: 'x (pixels), y down',
        aria: `${info.name}, ${info.w} x ${info.h} pixels${every}` });
      panel.draw(paints[info.type], { marks: cursor && k < panels.length ? [{ kind: 'cross', x: cursor[0], y: cursor[1] }] : [] });
    });
    if (cursor) showCursor(picture);
  }

  function showCursor(picture) {
    const at = panels.map((panel) => panel.nearest(...cursor));
    const values = panels.map(({ info }, k) => {
      const n = info.type === 'rgb' ? 3 : 1, i = n * (at[k][1] * info.w + at[k][0]);
      return `${info.name} ${[...info.levels.subarray(i, i + n)].join(' ')}`;
    });
    const { step } = panels[0].info;
    $('cursor').textContent = `x ${at[0][0] * step}, y ${at[0][1] * step}: ${values.join(', ')}${text(picture, ...at[0])}`;
  }

  bind('zoom', 'change', redraw);
  addEventListener('resize', redraw);
  bind('step-of', 'change', (e) => link.set('step', e.value));
  $('cursor').textContent = 'Move over a picture, or focus it and use the arrow keys (Shift: ten pixels): the colors of that pixel.';
  return {
    show,
    showState: (state) => {
      page.unlessHeld($('step-of'), state.step);
      if ($('step-of').value === '') { // by a message of another page
        $('step-of').append(new Option(`each ${state.step}th`, state.step));
        $('step-of').value = state.step;
      }
    },
    look: () => ({ zoom: $('zoom').value }),
    frameText: ({ frame }) => {
      const { is_live, has_ended, n_frames } = page.state ?? {};
      return is_live ? `${frame}${has_ended ? ', the last' : ''}` : `${frame} of ${n_frames - 1}`;
    },
  };
}

const ms = (ns) => `${(ns / 1e6).toPrecision(3)} ms`;

const counted = (n, one) => `${n} ${one}${n === 1 ? '' : 's'}`;

/** Rows of measures: what each step took, of a live video how many frames nobody saw, and what did not come of a delta stream. */
export function timesOf(picture, steps) {
  const rows = [['time a frame', steps.map(([name, ns]) => `${name} ${ms(ns)}`).join(', ')]];
  if (picture.n_came !== undefined) rows.push(['live', `${picture.n_came} frames came, ${picture.n_missed} were not viewed`]);
  if (picture.n_missing !== undefined) {
    const { n_missing, n_refused, awaits_key } = picture;
    rows.push(['packets', `${counted(n_missing, 'frame')} missing, ${counted(n_refused, 'packet')} without a frame${awaits_key ? '; waiting for a keyframe' : ''}`]);
  }
  return rows;
}
