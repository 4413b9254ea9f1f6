// A panel: an image with axes, a bar of colors, marks, and a cursor.
// SPDX-License-Identifier: Apache-2.0
import { color } from './colors.js';

const margin = { left: 52, top: 22, right: 16, bottom: 40 };
const barWidth = 50;
const most = { w: 640, h: 500 };
const titleWidth = 190; // "plane x z at y = -12.34 mm" fits in

/** Ticks at round numbers, at most about n of them. */
function ticks(low, high, n) {
  const rough = (high - low) / n, power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((k) => k * power).find((s) => s >= rough) || power;
  const out = [];
  for (let x = Math.ceil(low / step - 1e-9) * step; x <= high + 1e-9 * step; x += step) out.push(+x.toFixed(9));
  return out;
}

export class Panel {
  /** on(event, panel, [across, down]): event is 'cursor' or 'click'. */
  constructor(parent, on) {
    this.canvas = document.createElement('canvas');
    this.canvas.tabIndex = 0;
    this.canvas.setAttribute('role', 'application');
    this.image = document.createElement('canvas');
    this.on = on;
    parent.append(this.canvas);
    this.canvas.addEventListener('pointermove', (e) => this.pointAt(e, 'cursor'));
    this.canvas.addEventListener('click', (e) => this.pointAt(e, 'click'));
    this.canvas.addEventListener('keydown', (e) => this.key(e));
  }

  /**
   * What the image is: w and h samples, whose outer ones lie at left, right, top and bottom (panels
   * of a picture's message have these); title, label of the axes, aria (who does not see it hears
   * this); zoom: of the usual size, smooth: false shows samples as squares; bar: { map, ticks: [[share, text], ...], unit }, or none.
   */
  show(info) {
    const { w, h } = info;
    this.info = info;
    if (this.image.width !== w || this.image.height !== h) {
      this.image.width = w;
      this.image.height = h;
      this.pixels = new ImageData(w, h);
      this.words = new Uint32Array(this.pixels.data.buffer);
    }
    const wide = Math.abs(info.right - info.left) || 1, high = Math.abs(info.bottom - info.top) || 1;
    this.scale = Math.min(most.w / wide, most.h / high) * (info.zoom ?? 1);
    this.w = Math.max(24, Math.round(wide * this.scale));
    this.h = Math.max(24, Math.round(high * this.scale));
    const size = [Math.max(this.w + margin.left + margin.right + (info.bar ? barWidth : 0), titleWidth), this.h + margin.top + margin.bottom];
    if (this.canvas.width !== size[0]) this.canvas.width = size[0];
    if (this.canvas.height !== size[1]) this.canvas.height = size[1];
    this.canvas.setAttribute('aria-label', info.aria);
  }

  /**
   * paint(words, info) fills in the image, 32 bits a sample. look.marks, in the units of the axes:
   * { kind: 'cross', x, y }, { kind: 'line', x, y, toX, toY }, { kind: 'circle', x, y, r },
   * { kind: 'path', points: [[x, y], ...] }.
   */
  draw(paint, look) {
    paint(this.words, this.info);
    this.image.getContext('2d').putImageData(this.pixels, 0, 0);
    this.look = look;
    const c = this.canvas.getContext('2d');
    const style = getComputedStyle(document.documentElement);
    this.back = style.getPropertyValue('--back');
    this.text = style.getPropertyValue('--text');
    c.fillStyle = this.back;
    c.fillRect(0, 0, this.canvas.width, this.canvas.height);
    c.imageSmoothingEnabled = this.info.smooth !== false || this.scale < 1;
    c.drawImage(this.image, margin.left, margin.top, this.w, this.h);
    for (const item of this.items()) this.put(c, item);
  }

  /** All that is not the image, as lines, circles, boxes and texts: for the canvas and for SVG. */
  items() {
    const { info, look } = this, out = [];
    const x0 = margin.left, y0 = margin.top, x1 = x0 + this.w, y1 = y0 + this.h;
    const text = (x, y, s, align = 'center') => out.push({ kind: 'text', x, y, s, align });
    const line = (a, b, c, d, mark) => out.push({ kind: 'line', x1: a, y1: b, x2: c, y2: d, mark });
    for (const x of ticks(Math.min(info.left, info.right), Math.max(info.left, info.right), this.w / 70)) {
      const [px] = this.toPixels(x, info.top);
      line(px, y1, px, y1 + 4);
      text(px, y1 + 16, `${x}`);
    }
    for (const y of ticks(Math.min(info.top, info.bottom), Math.max(info.top, info.bottom), this.h / 50)) {
      const py = this.toPixels(info.left, y)[1];
      line(x0 - 4, py, x0, py);
      text(x0 - 8, py + 4, `${y}`, 'right');
    }
    text(this.canvas.width / 2, y0 - 7, info.title);
    text((x0 + x1) / 2, y1 + 33, info.label);
    if (info.bar) this.addBar(out, info.bar, text);
    for (const mark of look.marks) this.addMark(out, mark, line);
    return out;
  }

  addBar(out, bar, text) {
    const x1 = margin.left + this.w, y0 = margin.top, y1 = y0 + this.h;
    for (let i = 0; i < 64; i++) {
      const top = y0 + (this.h * (63 - i)) / 64;
      out.push({ kind: 'box', x: x1 + 12, y: top, w: 12, h: this.h / 64 + 0.5, fill: `rgb(${color(bar.map, i / 63)})` });
    }
    for (const [share, label] of bar.ticks) text(x1 + 28, y1 - share * this.h + (share === 1 ? 9 : 0), label, 'left');
    text(x1 + 28, y1 + 16, bar.unit, 'left');
  }

  addMark(out, mark, line) {
    if (mark.kind === 'path') {
      out.push({ kind: 'path', points: mark.points.map(([x, y]) => this.toPixels(x, y)), mark: true });
      return;
    }
    const [x, y] = this.toPixels(mark.x, mark.y);
    if (mark.kind === 'line') {
      line(x, y, ...this.toPixels(mark.toX, mark.toY), true);
    } else if (mark.kind === 'cross') {
      line(x - 8, y, x + 8, y, true);
      line(x, y - 8, x, y + 8, true);
    } else {
      out.push({ kind: 'circle', x, y, r: mark.r * this.scale, mark: true });
    }
  }

  put(c, item) {
    c.font = '12px system-ui, sans-serif';
    if (item.kind === 'text') {
      c.fillStyle = this.text;
      c.textAlign = item.align;
      c.fillText(item.s, item.x, item.y);
    } else if (item.kind === 'box') {
      c.fillStyle = item.fill;
      c.fillRect(item.x, item.y, item.w, item.h);
    } else {
      c.beginPath();
      if (item.kind === 'circle') c.arc(item.x, item.y, item.r, 0, 2 * Math.PI);
      else if (item.kind === 'path') item.points.forEach(([x, y]) => c.lineTo(x, y));
      else {
        c.moveTo(item.x1, item.y1);
        c.lineTo(item.x2, item.y2);
      }
      const strokes = item.mark ? [['#000', 3.5], ['#ffd60a', 1.5]] : [[this.text, 1]];
      for (const [stroke, width] of strokes) { // marks are seen on black and on white
        c.strokeStyle = stroke;
        c.lineWidth = width;
        c.stroke();
      }
    }
  }

  toPixels(across, down) {
    const { info } = this;
    return [margin.left + ((across - info.left) / (info.right - info.left || 1)) * this.w,
      margin.top + ((down - info.top) / (info.bottom - info.top || 1)) * this.h];
  }

  /** The point of the grid that is nearest, [column, row], to a place in mm. */
  nearest(across, down) {
    const { info } = this;
    const index = (x, a, b, n) => Math.min(Math.max(Math.round(((x - a) / (b - a || 1)) * (n - 1)), 0), n - 1);
    return [index(across, info.left, info.right, info.w), index(down, info.top, info.bottom, info.h)];
  }

  place(column, row) {
    const { info } = this;
    return [info.left + (info.w > 1 ? (column / (info.w - 1)) * (info.right - info.left) : 0),
      info.top + (info.h > 1 ? (row / (info.h - 1)) * (info.bottom - info.top) : 0)];
  }

  pointAt(event, what) {
    if (!this.info) return;
    const box = this.canvas.getBoundingClientRect(), shrunk = this.canvas.width / box.width;
    const x = ((event.clientX - box.left) * shrunk - margin.left) / this.w;
    const y = ((event.clientY - box.top) * shrunk - margin.top) / this.h;
    if (x < 0 || x > 1 || y < 0 || y > 1) return;
    const { info } = this;
    this.tell(what, info.left + x * (info.right - info.left), info.top + y * (info.bottom - info.top));
  }

  tell(what, across, down) {
    this.cursor = [across, down];
    this.on(what, this, this.cursor);
  }

  key(event) {
    const steps = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
    if (!this.info || (!steps && event.key !== 'Enter')) return;
    event.preventDefault();
    const n = event.shiftKey ? 10 : 1, { w, h } = this.info;
    let [column, row] = this.cursor ? this.nearest(...this.cursor) : [w >> 1, h >> 1];
    if (steps) {
      column = Math.min(Math.max(column + n * steps[0], 0), w - 1);
      row = Math.min(Math.max(row + n * steps[1], 0), h - 1);
    }
    this.tell(steps ? 'cursor' : 'click', ...this.place(column, row));
  }
}
