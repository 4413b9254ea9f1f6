// Color maps that stay readable without color vision: lightness rises from end to end.
// SPDX-License-Identifier: Apache-2.0

// Points at equal steps; between them colors are interpolated. viridis and cividis are matplotlib's.
const points = {
  gray: ['000000', 'ffffff'],
  viridis: ['440154', '482878', '3e4a89', '31688e', '26828e', '1f9e89', '35b779', '6ece58', 'b5de2b', 'fde725'],
  cividis: ['00224e', '123570', '3b496c', '575d6d', '707173', '8a8678', 'a59c74', 'c3b369', 'e1cc55', 'fee838'],
};

export const maps = Object.keys(points);

function at(list, share) {
  const x = share * (list.length - 1), i = Math.min(Math.floor(x), list.length - 2);
  return [0, 2, 4].map((k) => {
    const [a, b] = [list[i], list[i + 1]].map((hex) => parseInt(hex.slice(k, k + 2), 16));
    return Math.round(a + (b - a) * (x - i));
  });
}

/** The color at 0 (dark) to 1 (bright), [r, g, b]. */
export function color(map, share) {
  return at(points[map], Math.min(Math.max(share, 0), 1));
}

/** RGBA of each of the 65536 levels: 255 (1 + dB / range), as saccade beamform's pictures have it. */
export function table(map, dynamicRange, gain, sentRange) {
  const shades = Array.from({ length: 256 }, (_, i) => {
    const [r, g, b] = color(map, i / 255);
    return (0xff000000 | (b << 16) | (g << 8) | r) >>> 0;
  });
  const out = new Uint32Array(65536);
  for (let level = 0; level < 65536; level++) {
    const db = (level / 65535 - 1) * sentRange + gain;
    out[level] = shades[Math.min(Math.max(Math.round(255 * (1 + db / dynamicRange)), 0), 255)];
  }
  return out;
}
