// Encoder of animated GIF files.

/** @typedef {{ bins: number[], channel: number, priority: number }} Box Colour bins, for median cut. */

const TRANSPARENT = 255; // palette index of transparent pixels
const CLEAR_CODE = 256; // LZW codes: clear, then end, after the 256 colours
const MAX_CODES = 4096;

/** @type {(bin: number, channel: number) => number} */
const channelOf = (bin, channel) => (bin >> (10 - 5 * channel)) & 31;

// Palette of an animation: at most 255 colours, chosen by median cut from some of its frames.
export class Palette {
  constructor() {
    this.histogram = new Float64Array(4 << 15); // by bin: sums of red, green and blue, and the count
    this.colours = new Uint8Array(3 * 256);
    this.nearestIndex = new Int16Array(1 << 15).fill(-1);
    this.size = 0;
  }

  /** @param {Uint8ClampedArray} pixels */
  addPixels(pixels) {
    for (let i = 0; i < pixels.length; i += 4) {
      const bin = ((pixels[i] >> 3) << 10) | ((pixels[i + 1] >> 3) << 5) | (pixels[i + 2] >> 3);
      for (let c = 0; c < 3; c++) this.histogram[4 * bin + c] += pixels[i + c];
      this.histogram[4 * bin + 3]++;
    }
  }

  /** @type {(bins: number[], channel: number) => number} */
  sum = (bins, channel) => bins.reduce((sum, bin) => sum + this.histogram[4 * bin + channel], 0);

  /** @type {(bins: number[]) => Box} */
  box = (bins) => {
    const spans = [0, 1, 2].map((c) => {
      const parts = bins.map((bin) => channelOf(bin, c));
      return Math.max(...parts) - Math.min(...parts);
    });
    const span = Math.max(...spans);
    return { bins, channel: spans.indexOf(span), priority: span * Math.sqrt(this.sum(bins, 3)) };
  };

  computeColours() {
    const boxes = [this.box([...this.nearestIndex.keys()].filter((bin) => this.histogram[4 * bin + 3]))];
    while (boxes.length < TRANSPARENT) {
      const best = boxes.reduce((a, b) => (b.priority > a.priority ? b : a));
      if (!best.priority) break;
      const bins = best.bins.sort((a, b) => channelOf(a, best.channel) - channelOf(b, best.channel));
      let [half, cut] = [this.sum(bins, 3) / 2, 0];
      while (half > 0 && cut < bins.length - 1) half -= this.histogram[4 * bins[cut++] + 3];
      boxes.splice(boxes.indexOf(best), 1, this.box(bins.slice(0, cut)), this.box(bins.slice(cut)));
    }
    this.size = boxes.length;
    for (const [k, { bins }] of boxes.entries()) {
      for (let c = 0; c < 3; c++) this.colours[3 * k + c] = this.sum(bins, c) / this.sum(bins, 3);
    }
  }

  /** @param {number} bin */
  nearest(bin) {
    let [index, minDistance] = [0, Infinity];
    for (let k = 0; k < this.size; k++) {
      const [r, g, b] = [0, 1, 2].map((c) => 8 * channelOf(bin, c) + 4 - this.colours[3 * k + c]);
      const distance = 2 * r * r + 4 * g * g + b * b;
      if (distance < minDistance) [index, minDistance] = [k, distance];
    }
    return index;
  }

  /** @param {Uint8ClampedArray} pixels */
  toIndexes(pixels) {
    return new Uint8Array(pixels.length / 4).map((_, k) => {
      const i = 4 * k;
      const bin = ((pixels[i] >> 3) << 10) | ((pixels[i + 1] >> 3) << 5) | (pixels[i + 2] >> 3);
      if (this.nearestIndex[bin] < 0) this.nearestIndex[bin] = this.nearest(bin);
      return this.nearestIndex[bin];
    });
  }
}

/** @type {(...numbers: number[]) => number[]} */
const littleEndian = (...numbers) => numbers.flatMap((n) => [n & 255, n >> 8]);

/** @type {(text: string) => number[]} */
const charCodes = (text) => [...text].map((c) => c.charCodeAt(0));

/** GIF file that is built frame by frame. */
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
    this.previous = null;
    const head = [...charCodes('GIF89a'), ...littleEndian(width, height), 0xf7, 0, 0];
    const loopForever = [0x21, 0xff, 11, ...charCodes('NETSCAPE2.0'), 3, 1, 0, 0, 0];
    this.parts = [Uint8Array.from([...head, ...palette.colours, ...loopForever])];
  }

  /**
   * Add a frame; only the rectangle that differs from the previous frame is stored.
   *
   * @param {Uint8ClampedArray} pixels
   * @param {number} seconds
   */
  add(pixels, seconds) {
    const { width, height, previous } = this;
    const now = this.palette.toIndexes(pixels);
    let [left, top, right, bottom] = previous ? [width, height, 0, 0] : [0, 0, width - 1, height - 1];
    for (let at = 0; previous && at < now.length; at++) {
      if (now[at] === previous[at]) continue;
      const [x, y] = [at % width, Math.floor(at / width)];
      [left, right, top, bottom] = [Math.min(left, x), Math.max(right, x), Math.min(top, y), y];
    }
    if (left > right) [left, top, right, bottom] = [0, 0, 0, 0]; // no difference: one pixel
    const [frameWidth, frameHeight] = [right - left + 1, bottom - top + 1];
    const changed = new Uint8Array(frameWidth * frameHeight).map((_, k) => {
      const at = (top + Math.floor(k / frameWidth)) * width + left + (k % frameWidth);
      return previous?.[at] === now[at] ? TRANSPARENT : now[at];
    });
    this.previous = now;
    const control = [0x21, 0xf9, 4, 0b101, ...littleEndian(Math.round(100 * seconds)), TRANSPARENT, 0];
    const descriptor = [0x2c, ...littleEndian(left, top, frameWidth, frameHeight), 0];
    this.parts.push(Uint8Array.from([...control, ...descriptor, 8, ...compress(changed)]));
  }

  file() {
    return new Blob([...this.parts, Uint8Array.of(0x3b)], { type: 'image/gif' });
  }
}

/**
 * Compress pixels by LZW, in blocks of 255 bytes.
 *
 * @param {Uint8Array} pixels
 */
function compress(pixels) {
  const codes = new Int16Array(MAX_CODES << 8); // by prefix code and next pixel
  /** @type {number[]} */
  const bytes = [];
  let [bits, bitCount, size, next] = [0, 0, 9, CLEAR_CODE + 2];
  const write = (/** @type {number} */ code) => {
    bits |= code << bitCount;
    for (bitCount += size; bitCount >= 8; bitCount -= 8) {
      bytes.push(bits & 255);
      bits >>>= 8;
    }
    if (next === 1 << size && size < 12) size++;
  };
  write(CLEAR_CODE);
  let prefix = pixels[0];
  for (const pixel of pixels.subarray(1)) {
    const key = (prefix << 8) | pixel;
    if (codes[key]) {
      prefix = codes[key];
      continue;
    }
    write(prefix);
    if (next === MAX_CODES) {
      write(CLEAR_CODE);
      codes.fill(0);
      [size, next] = [9, CLEAR_CODE + 2];
    } else codes[key] = next++;
    prefix = pixel;
  }
  write(prefix);
  write(CLEAR_CODE + 1);
  if (bitCount) bytes.push(bits & 255);
  const blocks = [];
  for (let i = 0; i < bytes.length; i += 255) {
    const block = bytes.slice(i, i + 255);
    blocks.push(block.length, ...block);
  }
  return [...blocks, 0];
}
