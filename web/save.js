// Pictures to files: what the canvas shows, as PNG, or as SVG with the image in it.
// SPDX-License-Identifier: Apache-2.0

function download(blob, name) {
  const link = Object.assign(document.createElement('a'), { href: URL.createObjectURL(blob), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

const escaped = (s) => s.replace(/[<>&"]/g, (c) => `&#${c.charCodeAt(0)};`);
const round = (x) => +x.toFixed(2);

function shape(panel, item) {
  if (item.kind === 'text') {
    const anchor = { left: 'start', center: 'middle', right: 'end' }[item.align];
    return `<text x="${round(item.x)}" y="${round(item.y)}" text-anchor="${anchor}" fill="${panel.text}">${escaped(item.s)}</text>`;
  }
  if (item.kind === 'box') return `<rect x="${round(item.x)}" y="${round(item.y)}" width="${round(item.w)}" height="${round(item.h)}" fill="${item.fill}"/>`;
  const where = item.kind === 'path' ? `polyline points="${item.points.map((p) => p.map(round)).join(' ')}"`
    : item.kind === 'circle' ? `circle cx="${round(item.x)}" cy="${round(item.y)}" r="${round(item.r)}"`
    : `line x1="${round(item.x1)}" y1="${round(item.y1)}" x2="${round(item.x2)}" y2="${round(item.y2)}"`;
  const strokes = item.mark ? [['#000', 3.5], ['#ffd60a', 1.5]] : [[panel.text, 1]];
  return strokes.map(([stroke, width]) => `<${where} fill="none" stroke="${stroke}" stroke-width="${width}"/>`).join('');
}

/** One panel as the text of an SVG. */
export function svg(panel) {
  const { width, height } = panel.canvas, [x, y] = panel.toPixels(panel.info.left, panel.info.top);
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" font-family="sans-serif" font-size="12">`
    + `<rect width="100%" height="100%" fill="${panel.back}"/>`
    + `<image x="${x}" y="${y}" width="${panel.w}" height="${panel.h}" preserveAspectRatio="none" href="${panel.image.toDataURL('image/png')}"/>`
    + `${panel.items().map((item) => shape(panel, item)).join('')}</svg>`;
}

/** Panel k of several has its number in the name. */
const nameOf = (k, n, ending) => (n > 1 ? `picture-${k}.${ending}` : `picture.${ending}`);

export function saveSvg(panels) {
  panels.forEach((panel, k) => download(new Blob([svg(panel)], { type: 'image/svg+xml' }), nameOf(k, panels.length, 'svg')));
}

export function savePng(panels) {
  panels.forEach((panel, k) => panel.canvas.toBlob((blob) => download(blob, nameOf(k, panels.length, 'png')), 'image/png'));
}
