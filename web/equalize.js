// Pictures and videos: before and after equalization, with histograms.
// SPDX-License-Identifier: Apache-2.0
import { chart } from './charts.js';
import { display, panelsOf, timesOf } from './video.js';

export const legend = 'Equalization';
export const work = 'to equalize';
export const about = "The command that writes this, of a video frame 7 as equalized-0007.ppm. Size and pixels sent are this page's alone.";

export const html = { display };

export function open(page) {
  const { $ } = page;
  const pixels = panelsOf(page);

  /** Bins that are used, and the middle of the pixels: between which V half of them are. */
  function tell(counts) {
    const all = counts.reduce((a, b) => a + b, 0), used = counts.filter((n) => n).length;
    const upTo = (share) => { let sum = 0; return counts.findIndex((n) => (sum += n) >= share * all); };
    return `median ${upTo(0.5)}, half of the pixels from ${upTo(0.25)} to ${upTo(0.75)}, ${used} of ${counts.length} bins used`;
  }

  function showCharts({ before, after }) {
    const sums = (counts) => { let sum = 0; const all = counts.reduce((a, b) => a + b, 0); return counts.map((n) => (sum += n) / all); };
    const series = [{ label: 'pixels', stroke: '#1f77b4', width: 1.5, points: { show: false } },
      { label: 'sum', scale: 's', stroke: '#b35900', width: 1.5, dash: [5, 3], points: { show: false } }];
    const x = before.map((_, i) => i);
    chart('before-chart', 'Histogram of V = max(R, G, B), before', 'bin', series, [x, before, sums(before)]);
    chart('after-chart', 'After', 'bin', series, [x, after, sums(after)]);
  }

  $('no-charts').textContent = 'The histograms are charts, which this build has not: it was built without npm (uPlot).';
  return {
    showState: pixels.showState,
    look: pixels.look,
    draw(picture) {
      pixels.show(picture);
      page.measures([['before', tell(picture.before)], ['after', tell(picture.after)], ...timesOf(picture, [['equalize', picture.run_ns]])]);
      showCharts(picture);
    },
    frameText: pixels.frameText,
  };
}
