// Charts, by uPlot where the build has it.
// SPDX-License-Identifier: Apache-2.0

export const hasCharts = () => typeof window.uPlot === 'function';

const charts = new Map();

function make(id, title, label, series) {
  const style = getComputedStyle(document.documentElement);
  const text = style.getPropertyValue('--text'), line = style.getPropertyValue('--line');
  const axis = { stroke: text, grid: { stroke: line, width: 0.3 }, ticks: { stroke: line, width: 0.5 } };
  const chart = new window.uPlot({
    id, title, width: 350, height: 170,
    scales: { x: { time: false } },
    axes: [{ ...axis, label, labelSize: 18, size: 34 }, { ...axis, size: 56 },
      ...(series[1]?.scale ? [{ ...axis, side: 1, scale: series[1].scale, grid: { show: false }, size: 44 }] : [])],
    series: [{ label }, ...series],
  }, [[], ...series.map(() => [])], document.getElementById('charts'));
  charts.set(id, chart);
  return chart;
}

/** Lines over x; the second may have a scale of its own. */
export function chart(id, title, label, series, data) {
  if (hasCharts()) (charts.get(id) ?? make(id, title, label, series)).setData(data);
}

export function removeChart(id) {
  charts.get(id)?.destroy();
  charts.delete(id);
}
