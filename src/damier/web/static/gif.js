// Animations as GIF files, which every program that shows pictures also plays.

/** @typedef {{ bins: number[], channel: number, worth: number }} Box Colours by their first bits. */

const SEE_THROUGH = 255; // the one place of the palette that is no colour
const CLEAR = 256; // codes for "forget" and "end" come after those of the colours
const MOST_CODES = 4096;

/** @type {(bin: number, channel: number) => number} */
const part = (bin, channel) => (bin >> (10 - 5 * channel)) & 31;

// The colours of an animation: at most 255, chosen by median cut from some of its pictures.
export class Palette {
  constructor() {
    this.seen = new Float64Array(4 << 15); // by bin: the sums of red, green and blue, and how many
    this.colours = new Uint8Array(3 * 256);
    this.places = new Int16Array(1 << 15).fill(-1);
    this.size = 0;
  }

  /** @param {Uint8ClampedArray} points */
  look(points) {
    for (let i = 0; i < points.length; i += 4) {
      const bin = ((points[i] >> 3) << 10) | ((points[i + 1] >> 3) << 5) | (points[i + 2] >> 3);
      for (let c = 0; c < 3; c++) this.seen[4 * bin + c] += points[i + c];
      this.seen[4 * bin + 3]++;
    }
  }

  /** @type {(bins: number[], channel: number) => number} */
  sum = (bins, channel) => bins.reduce((sum, bin) => sum + this.seen[4 * bin + channel], 0);

  /** @type {(bins: number[]) => Box} */
  box = (bins) => {
    const spans = [0, 1, 2].map((c) => {
      const parts = bins.map((bin) => part(bin, c));
      return Math.max(...parts) - Math.min(...parts);
    });
    const span = Math.max(...spans);
    return { bins, channel: spans.indexOf(span), worth: span * Math.sqrt(this.sum(bins, 3)) };
  };

  choose() {
    const boxes = [this.box([...this.places.keys()].filter((bin) => this.seen[4 * bin + 3]))];
    while (boxes.length < SEE_THROUGH) {
      const best = boxes.reduce((a, b) => (b.worth > a.worth ? b : a));
      if (!best.worth) break;
      const bins = best.bins.sort((a, b) => part(a, best.channel) - part(b, best.channel));
      let [half, cut] = [this.sum(bins, 3) / 2, 0];
      while (half > 0 && cut < bins.length - 1) half -= this.seen[4 * bins[cut++] + 3];
      boxes.splice(boxes.indexOf(best), 1, this.box(bins.slice(0, cut)), this.box(bins.slice(cut)));
    }
    this.size = boxes.length;
    for (const [k, { bins }] of boxes.entries()) {
      for (let c = 0; c < 3; c++) this.colours[3 * k + c] = this.sum(bins, c) / this.sum(bins, 3);
    }
  }

  /** @param {number} bin */
  nearest(bin) {
    let [place, least] = [0, Infinity];
    for (let k = 0; k < this.size; k++) {
      const [r, g, b] = [0, 1, 2].map((c) => 8 * part(bin, c) + 4 - this.colours[3 * k + c]);
      const far = 2 * r * r + 4 * g * g + b * b;
      if (far < least) [place, least] = [k, far];
    }
    return place;
  }

  /** @param {Uint8ClampedArray} points */
  read(points) {
    return new Uint8Array(points.length / 4).map((_, k) => {
      const i = 4 * k;
      const bin = ((points[i] >> 3) << 10) | ((points[i + 1] >> 3) << 5) | (points[i + 2] >> 3);
      if (this.places[bin] < 0) this.places[bin] = this.nearest(bin);
      return this.places[bin];
    });
  }
}

/** @type {(...numbers: number[]) => number[]} */
const words = (...numbers) => numbers.flatMap((n) => [n & 255, n >> 8]);

/** @type {(text: string) => number[]} */
const letters = (text) => [...text].map((c) => c.charCodeAt(0));

export class Gif {
  /**
   * @param {number} width
   * @param {number} height
   * @param {Palette} palette
   */
  constructor(width, height, palette) {
    this.width = width;
    this.height = height;
    this.palette = palette;
    /** @type {Uint8Array | null} */
    this.shown = null;
    const head = [...letters('GIF89a'), ...words(width, height), 0xf7, 0, 0];
    const forever = [0x21, 0xff, 11, ...letters('NETSCAPE2.0'), 3, 1, 0, 0, 0];
    this.parts = [Uint8Array.from([...head, ...palette.colours, ...forever])];
  }

  /**
   * Add a picture: of what it shows only what differs from the last one.
   *
   * @param {Uint8ClampedArray} points
   * @param {number} seconds
   */
  add(points, seconds) {
    const { width, height, shown } = this;
    const now = this.palette.read(points);
    let [left, top, right, bottom] = shown ? [width, height, 0, 0] : [0, 0, width - 1, height - 1];
    for (let at = 0; shown && at < now.length; at++) {
      if (now[at] === shown[at]) continue;
      const [x, y] = [at % width, Math.floor(at / width)];
      [left, right, top, bottom] = [Math.min(left, x), Math.max(right, x), Math.min(top, y), y];
    }
    if (left > right) [left, top, right, bottom] = [0, 0, 0, 0]; // it is shown for its time
    const [wide, high] = [right - left + 1, bottom - top + 1];
    const piece = new Uint8Array(wide * high).map((_, k) => {
      const at = (top + Math.floor(k / wide)) * width + left + (k % wide);
      return shown?.[at] === now[at] ? SEE_THROUGH : now[at];
    });
    this.shown = now;
    const control = [0x21, 0xf9, 4, 0b101, ...words(Math.round(100 * seconds)), SEE_THROUGH, 0];
    const place = [0x2c, ...words(left, top, wide, high), 0];
    this.parts.push(Uint8Array.from([...control, ...place, 8, ...packed(piece)]));
  }

  file() {
    return new Blob([...this.parts, Uint8Array.of(0x3b)], { type: 'image/gif' });
  }
}

/**
 * Points packed by LZW, in blocks of 255 bytes.
 *
 * @param {Uint8Array} points
 */
function packed(points) {
  const codes = new Int16Array(MOST_CODES << 8); // of a run and the point after it
  /** @type {number[]} */
  const bytes = [];
  let [bits, held, size, next] = [0, 0, 9, CLEAR + 2];
  const write = (/** @type {number} */ code) => {
    bits |= code << held;
    for (held += size; held >= 8; held -= 8) {
      bytes.push(bits & 255);
      bits >>>= 8;
    }
    if (next === 1 << size && size < 12) size++;
  };
  write(CLEAR);
  let run = points[0];
  for (const point of points.subarray(1)) {
    const longer = (run << 8) | point;
    if (codes[longer]) {
      run = codes[longer];
      continue;
    }
    write(run);
    if (next === MOST_CODES) {
      write(CLEAR);
      codes.fill(0);
      [size, next] = [9, CLEAR + 2];
    } else codes[longer] = next++;
    run = point;
  }
  write(run);
  write(CLEAR + 1);
  if (held) bytes.push(bits & 255);
  const blocks = [];
  for (let i = 0; i < bytes.length; i += 255) {
    const block = bytes.slice(i, i + 255);
    blocks.push(block.length, ...block);
  }
  return [...blocks, 0];
}
