// Videos: the original, what changes as a heat map and beyond a threshold, and what the changes
// would take as a delta stream.
// SPDX-License-Identifier: Apache-2.0
import { chart, removeChart } from './charts.js';
import { display, panelsOf, timesOf } from './video.js';

export const legend = 'Motion';
export const work = 'for heat map and noise view';
export const about = "The commands that write these pictures, frame 7 as heatmap-0007.ppm. Size and pixels sent are this page's alone.";

export const html = {
  display,
  more: '<label class="row"><input type="checkbox" id="stream"> delta stream: bandwidth and compression of what is played</label>',
};

export function open(page) {
  const { $, link, bind } = page;
  const pixels = panelsOf(page);

  function rows(picture) {
    const share = (100 * picture.changed_share).toPrecision(3);
    const out = [
      [`changed by more than ${page.option('threshold')}`, `${picture.changed_pixels} pixels, ${share} %`],
      ['difference', `mean ${picture.difference_mean.toPrecision(3)}, largest ${picture.difference_max}, not 0 in ${picture.difference_pixels} pixels`],
      ...timesOf(picture, [['heat map', picture.heat_ns], ['noise view', picture.noise_ns]]),
    ];
    const { delta } = picture;
    if (delta?.error) out.push(['delta stream', delta.error]);
    else if (delta) {
      const n = delta.last - delta.first + 1, seconds = n * delta.frame_ns / 1e9;
      out.push(['delta stream', `${delta.bytes} bytes in ${n} frame${n === 1 ? '' : 's'}, ${(8e-6 * delta.bytes / seconds).toPrecision(3)} Mbit/s, `
        + `${(n * delta.raw_bytes / delta.bytes).toPrecision(3)} times smaller than raw, ${delta.keyframes} keyframe${delta.keyframes === 1 ? '' : 's'}, ${(delta.run_ns / 1e6).toPrecision(3)} ms to encode`]);
    }
    return out;
  }

  function showChart({ delta }) {
    if (!delta?.sizes?.length) {
      removeChart('stream-chart');
      return;
    }
    const { sizes, last, frame_ns, raw_bytes } = delta;
    const series = [{ label: 'Mbit/s', stroke: '#1f77b4', width: 1.5 }, { label: 'raw / stream', scale: 'r', stroke: '#b35900', width: 1.5, dash: [5, 3] }];
    chart('stream-chart', 'Delta stream', 'frame', series, [
      sizes.map((_, i) => last - sizes.length + 1 + i),
      sizes.map((size) => 8e3 * size / frame_ns),
      sizes.map((size) => raw_bytes / size)]);
  }

  bind('stream', 'change', (e) => link.set('stream', e.checked ? 1 : 0));
  $('no-charts').textContent = 'The delta stream over time is a chart, which this build has not: it was built without npm (uPlot).';
  return {
    showState(state) {
      pixels.showState(state);
      $('stream').checked = state.stream;
    },
    look: pixels.look,
    draw(picture) {
      pixels.show(picture);
      page.measures(rows(picture));
      showChart(picture);
    },
    frameText: pixels.frameText,
  };
}
