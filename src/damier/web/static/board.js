// A board as SVG with a button over each cell: drawn from the server's description alone.

import { calm, h, s } from './dom.js';
import { t, tg } from './i18n.js';

/** @typedef {Record<string, string>} Marks What stands where: `w` or `b` by cell. */

/**
 * @typedef {object} View What is marked on the board. Each meaning has a shape of its own.
 * @property {string[]} [sources] pawns that can be chosen
 * @property {string[]} [targets] where the chosen one can go
 * @property {Record<string, string[]>} [captures] of targets, those that capture, and what
 * @property {string[]} [takes] what would be captured
 * @property {string | null} [active] the pawn in play
 * @property {string | null} [selected]
 * @property {string[]} [closed] cells that it may not go to in this turn
 * @property {string[]} [lifted]
 * @property {string[]} [drags] pawns that a finger can drag
 * @property {string[]} [last] cells that the last turn changed
 * @property {string[]} [taken] where it captured
 * @property {string[]} [pattern] what shows how the game ended
 * @property {[string, string][]} [barred] cells between which a step is barred
 * @property {string[]} [resting] pawns that must rest
 * @property {Arrow[]} [arrows]
 * @property {{ cell: string, kind: string, text: string }[]} [values]
 */

/** @typedef {{ from: string, to: string, kind: string }} Arrow A ring where both are one cell. */
/** @typedef {{ name: string, look: Api.LookOut }} Named The game whose board it is. */
/** @typedef {(...elements: Element[]) => void} Add */

const U = 100; // units a cell
const STRIP = 24; // below the lines of a board, for the letters of its files
const WIDE = 1.5; // as wide to its height, or wider: shown in a row of its own
const CROSS = 'M-22 -22 22 22M22 -22-22 22';
export const STEP_MS = 260;

const STAR = Array.from({ length: 10 }, (_, k) => {
  const r = k % 2 ? 11 : 26;
  const angle = (k * Math.PI) / 5;
  return `${(r * Math.sin(angle)).toFixed(1)},${(-r * Math.cos(angle)).toFixed(1)}`;
}).join(' ');

/**
 * @param {Marks} marks
 * @param {Record<string, string>} changes
 * @returns {Marks}
 */
export function applied(marks, changes) {
  const after = { ...marks };
  for (const [cell, mark] of Object.entries(changes)) {
    if (mark === '.') delete after[cell];
    else after[cell] = mark;
  }
  return after;
}

/**
 * The cell that an event is about.
 *
 * @param {Event} event
 */
const cellOf = (event) => /** @type {HTMLElement} */ (event.target).dataset.cell;

export class Board {
  /**
   * @param {Api.BoardOut} description
   * @param {Named} game
   * @param {{ label?: string, still?: boolean }} [how]
   */
  constructor(description, game, { label = '', still = false } = {}) {
    this.is = description;
    this.game = game;
    this.flipped = false;
    /** @type {Map<string, { mark: string, element: SVGGElement }>} */
    this.pawns = new Map();
    /** @type {Marks} */
    this.marks = {};
    /** @type {View} */
    this.view = {};
    /** @type {Map<string, string>} */
    this.places = new Map();
    for (const [place, cells] of Object.entries(description.places)) {
      for (const cell of cells) this.places.set(cell, place);
    }
    /** @type {(cell: string) => void} */
    this.onCell = () => {};
    /** @type {(cell: string | null) => void} */
    this.onPoint = () => {};
    /** @type {(cell: string) => void} */
    this.onDrag = () => {};
    /** @type {(from: string, to: string) => void} */
    this.onDrop = () => {};
    /** @type {(cell: string) => boolean} */
    this.canDrag = () => false;
    const { ranks, files, lines } = description;
    this.lined = lines.length > 0;
    this.high = ranks * U + (this.lined ? STRIP : 0);
    this.shape = (files * U) / this.high;
    this.ground = s('g', { class: 'ground' });
    this.under = s('g', { class: 'under' });
    this.layer = s('g', { class: 'pawns' });
    this.over = s('g', { class: 'over' });
    this.svg = s(
      'svg',
      { viewBox: `0 0 ${files * U} ${this.high}`, 'aria-hidden': 'true', class: 'drawing' },
      ...[this.ground, this.under, this.layer, this.over],
    );
    this.grid = still ? null : h('div', { class: 'cells', role: 'group', 'aria-label': label });
    /** @type {Map<string, HTMLButtonElement>} */
    this.buttons = new Map();
    this.stop = ''; // the cell that the Tab key leads to
    const kinds = ['board', game.name, this.lined ? 'lined' : 'squared', files / ranks > WIDE ? 'wide' : ''];
    this.element = h('div', { class: kinds.join(' ') }, this.svg, this.grid);
    this.element.style.aspectRatio = String(this.shape);
    for (const [part, [light, dark]] of Object.entries(game.look.page)) {
      this.element.style.setProperty(`--${part}`, `light-dark(${light}, ${dark})`);
    }
    this.draw();
    if (this.grid) this.listen(this.grid);
  }

  /**
   * The middle of a cell, in units.
   *
   * @param {string} cell
   * @returns {[number, number]}
   */
  at(cell) {
    const [file, rank] = this.is.at[cell];
    const [x, y] = this.flipped ? [this.is.files - 1 - file, rank] : [file, this.is.ranks - 1 - rank];
    return [(x + 0.5) * U, (y + 0.5) * U];
  }

  /**
   * Whether there is room around a cell: none of its eight neighbours is there.
   *
   * @param {string} cell
   */
  alone(cell) {
    const [file, rank] = this.is.at[cell];
    return !Object.values(this.is.at).some(
      ([f, r]) => (f !== file || r !== rank) && Math.max(Math.abs(f - file), Math.abs(r - rank)) === 1,
    );
  }

  /** @param {boolean} flipped */
  flip(flipped) {
    if (flipped === this.flipped) return;
    this.flipped = flipped;
    this.draw();
    for (const [cell, pawn] of this.pawns) this.place(pawn.element, cell);
  }

  draw() {
    const { is } = this;
    this.ground.replaceChildren();
    /** @type {Add} */
    const add = (...elements) => this.ground.append(...elements);
    add(s('rect', { class: 'table', width: is.files * U, height: this.high, rx: 14 }));
    if (this.lined) {
      for (const [a, b] of is.lines) add(this.straight('line', a, b));
      for (const cell of is.cells) {
        const [cx, cy] = this.at(cell);
        add(s('circle', { class: 'joint', cx, cy, r: 6 }));
      }
    } else {
      for (const [a, b] of is.arrows) add(this.straight('track', a, b));
      for (const cell of is.cells) this.drawSquare(add, cell);
      for (const [a, b] of is.arrows) this.drawArrow(add, a, b);
    }
    this.drawNames(add);
    if (this.grid) this.drawCells(this.grid);
  }

  /**
   * @param {Add} add
   * @param {string} cell
   */
  drawSquare(add, cell) {
    const [x, y] = this.at(cell);
    const [file, rank] = this.is.at[cell];
    const place = this.places.get(cell) ?? 'plain';
    if (this.alone(cell)) {
      add(s('circle', { class: `square ${place} alone`, cx: x, cy: y, r: 78 }));
      add(s('circle', { class: 'ring', cx: x, cy: y, r: 62 }));
      return;
    }
    const odd = (file + rank) % 2 ? 'odd' : '';
    const square = s('rect', {
      class: `square ${place} ${odd}`,
      x: x - 47,
      y: y - 47,
      width: 94,
      height: 94,
      rx: 10,
    });
    if (place in this.game.look.page) square.style.fill = `var(--${place})`;
    add(square);
    if (place === 'unused') {
      add(s('path', { class: 'sign', d: CROSS, transform: `translate(${x} ${y})` }));
    }
    if (place === 'refuge') {
      for (const r of [40, 32]) add(s('circle', { class: 'sign', cx: x, cy: y, r }));
    }
  }

  /**
   * @param {string} kind
   * @param {string} a
   * @param {string} b
   */
  straight(kind, a, b) {
    const [[x1, y1], [x2, y2]] = [this.at(a), this.at(b)];
    return s('line', { class: kind, x1, y1, x2, y2 });
  }

  /**
   * @param {Add} add
   * @param {string} a
   * @param {string} b
   */
  drawArrow(add, a, b) {
    const [[x, y], [cx, cy]] = [this.at(a), this.at(b)];
    const turn = (Math.atan2(cy - y, cx - x) * 180) / Math.PI;
    const transform = `translate(${x} ${y}) rotate(${turn})`;
    add(s('path', { class: 'sign arrow', d: 'M-30 -26H6V-44L46 0 6 44V26H-30Z', transform }));
  }

  /** @param {Add} add */
  drawNames(add) {
    const { files, ranks } = this.is;
    const { lined } = this;
    for (let f = 0; f < files; f++) {
      const text = String.fromCharCode(97 + (this.flipped ? files - 1 - f : f));
      add(
        s('text', { class: 'name file', x: f * U + (lined ? 50 : 89), y: this.high - (lined ? 8 : 9), text }),
      );
    }
    for (let r = 0; r < ranks; r++) {
      const text = String(this.flipped ? r + 1 : ranks - r);
      add(s('text', { class: 'name rank', x: lined ? 9 : 11, y: r * U + (lined ? 57 : 21), text }));
    }
  }

  /** @param {HTMLElement} grid */
  drawCells(grid) {
    const { is } = this;
    const { activeElement } = document;
    const focused =
      activeElement instanceof HTMLElement && grid.contains(activeElement) && activeElement.dataset.cell;
    for (const cell of is.cells) {
      const button = this.buttons.get(cell) ?? h('button', { type: 'button', class: 'cell', tabindex: '-1' });
      button.dataset.cell = cell;
      this.buttons.set(cell, button);
      const [x, y] = this.at(cell);
      const wide = !this.lined && this.alone(cell) ? 1.5 : 1;
      button.style.left = `${((x / U - wide / 2) / is.files) * 100}%`;
      button.style.top = `${((y - (wide * U) / 2) / this.high) * 100}%`;
      button.style.width = `${(wide / is.files) * 100}%`;
      button.style.height = `${((wide * U) / this.high) * 100}%`;
    }
    // In reading order, from the top left.
    const places = is.cells.map((cell) => ({ cell, at: this.at(cell) }));
    places.sort((a, b) => a.at[1] - b.at[1] || a.at[0] - b.at[0]);
    const order = places.map(({ cell }) => cell);
    grid.replaceChildren(...order.map((cell) => this.button(cell)));
    this.stop ||= order[Math.floor(order.length / 2)];
    this.button(this.stop).tabIndex = 0;
    if (focused) this.focus(focused);
  }

  /** @param {string} cell */
  button(cell) {
    return /** @type {HTMLButtonElement} */ (this.buttons.get(cell));
  }

  /**
   * @param {SVGElement} element
   * @param {string} cell
   * @param {[number, number]} [aside]
   */
  place(element, cell, [dx, dy] = [0, 0]) {
    const [x, y] = this.at(cell);
    element.style.transform = `translate(${x + dx}px, ${y + dy}px)`;
  }

  /**
   * @param {string} mark
   * @param {string} cell
   */
  newPawn(mark, cell) {
    const r = this.lined ? 33 : 36;
    const bright = `M${-0.72 * r} ${-0.34 * r}A${0.8 * r} ${0.8 * r} 0 0 1 ${-0.1 * r} ${-0.79 * r}`;
    const element = s(
      'g',
      { class: `pawn ${mark}` },
      s('circle', { class: 'shade', r, cy: 5 }),
      s('circle', { class: 'body', r }),
      s('circle', { class: 'rim', r: mark === 'b' ? r - 14 : r - 9 }),
      mark === 'b' ? s('circle', { class: 'rim', r: 10 }) : null,
      s('path', { class: 'shine', d: bright }),
    );
    this.place(element, cell);
    this.layer.append(element);
    return { mark, element };
  }

  /**
   * Show other pawns. What left one cell and came to another is the same pawn, moving.
   *
   * @param {Marks} marks
   * @param {boolean} [moved]
   */
  show(marks, moved = true) {
    this.marks = marks;
    const left = [...this.pawns].filter(([cell, p]) => marks[cell] !== p.mark);
    const come = Object.entries(marks).filter(([cell, m]) => this.pawns.get(cell)?.mark !== m);
    for (const [cell] of left) this.pawns.delete(cell);
    for (const [cell, mark] of come) {
      const k = moved ? left.findIndex(([, p]) => p.mark === mark) : -1;
      if (k >= 0) {
        const [[, pawn]] = left.splice(k, 1);
        this.layer.append(pawn.element); // on top of the others while it moves
        pawn.element.getBoundingClientRect(); // begin the movement where it stood
        this.place(pawn.element, cell);
        this.pawns.set(cell, pawn);
      } else {
        const pawn = this.newPawn(mark, cell);
        if (moved && !calm()) pawn.element.classList.add('new');
        this.pawns.set(cell, pawn);
      }
    }
    for (const [, pawn] of left) {
      if (!moved || calm()) pawn.element.remove();
      else {
        pawn.element.classList.add('gone');
        setTimeout(() => pawn.element.remove(), STEP_MS);
      }
    }
  }

  /** @param {View} view */
  mark(view) {
    this.view = view;
    this.under.replaceChildren();
    this.over.replaceChildren();
    /**
     * @param {SVGGElement} layer
     * @param {string[] | undefined} cells
     * @param {(cell: string) => SVGElement} make
     */
    const put = (layer, cells, make) => {
      for (const cell of cells ?? []) {
        const element = make(cell);
        element.setAttribute('transform', `translate(${this.at(cell).join(' ')})`);
        layer.append(element);
      }
    };
    const rx = this.lined ? 46 : 16;
    put(this.under, view.last, () => s('rect', { class: 'last', x: -46, y: -46, width: 92, height: 92, rx }));
    put(this.under, view.taken, () => s('path', { class: 'taken', d: 'M-13 -13 13 13M13 -13-13 13' }));
    for (const [a, b] of view.barred ?? []) this.under.append(...this.barrier(a, b));
    put(this.under, view.pattern, () => s('circle', { class: 'pattern', r: 46 }));
    put(this.under, view.sources, () => s('circle', { class: 'source', r: 42 }));
    put(this.over, view.targets, (cell) => {
      if (this.marks[cell]) return s('circle', { class: 'target held', r: 43 });
      if (!view.captures?.[cell]) return s('circle', { class: 'target', r: 15 });
      const aim = s('circle', { class: 'target', r: 25 });
      return s('g', { class: 'capturing' }, aim, s('circle', { class: 'ring', r: 12 }));
    });
    put(this.over, view.takes, () => s('path', { class: 'take', d: 'M-18 -18 18 18M18 -18-18 18' }));
    put(this.over, view.closed, () => s('polygon', { class: 'star', points: STAR }));
    put(this.over, view.resting, () => s('path', { class: 'resting', d: 'M-9 -14V14M9 -14V14' }));
    for (const { cell, kind, text } of view.values ?? []) {
      const shown = [s('circle', { cx: 30, cy: -30, r: 19 }), s('text', { x: 30, y: -23, text })];
      put(this.over, [cell], () => s('g', { class: `value ${kind}` }, shown));
    }
    for (const arrow of view.arrows ?? []) this.over.append(this.arrow(arrow));
    for (const [cell, pawn] of this.pawns) {
      pawn.element.classList.toggle('active', cell === view.active);
      pawn.element.classList.toggle('picked', cell === view.selected);
      pawn.element.classList.toggle('lifted', !!view.lifted?.includes(cell));
      const place = (view.pattern ?? []).indexOf(cell);
      pawn.element.classList.toggle('wins', place >= 0);
      pawn.element.style.setProperty('--place', String(place));
    }
    if (this.grid) this.nameCells(view);
  }

  /** @param {Arrow} arrow */
  arrow({ from, to, kind }) {
    const [[x1, y1], [x2, y2]] = [this.at(from), this.at(to)];
    if (from === to) return s('circle', { class: `pointer ring ${kind}`, cx: x1, cy: y1, r: 44 });
    const turn = (Math.atan2(y2 - y1, x2 - x1) * 180) / Math.PI;
    const end = Math.hypot(x2 - x1, y2 - y1) - 18;
    return s('path', {
      class: `pointer ${kind}`,
      transform: `translate(${x1} ${y1}) rotate(${turn})`,
      d: `M14 -6H${end - 26}V-20L${end} 0 ${end - 26} 20V6H14Z`,
    });
  }

  /**
   * A step that may not be taken back: a broken line between its two cells.
   *
   * @param {string} a
   * @param {string} b
   */
  barrier(a, b) {
    const [[x1, y1], [x2, y2]] = [this.at(a), this.at(b)];
    const [x, y] = [(x1 + x2) / 2, (y1 + y2) / 2];
    const d = `M${x - 13} ${y - 13}l26 26m0 -26l-26 26`;
    return [this.straight('barred', a, b), s('path', { class: 'barred sign', d })];
  }

  /** @param {View} view */
  nameCells(view) {
    for (const [cell, button] of this.buttons) {
      const place = this.places.get(cell);
      const has = (/** @type {string[] | undefined} */ set) => !!set?.includes(cell);
      const active = cell === view.active || cell === view.selected;
      const said = [cell, t(`cell.${this.marks[cell] ?? 'empty'}`)];
      // What most cells are, which a board may call `normal`, need not be said of each.
      if (place && place !== 'normal') said.push(tg(this.game.name, `place.${place}`, {}, place));
      if (active) said.push(t('cell.active'));
      else if (has(view.targets)) said.push(t('cell.target'));
      const captured = view.captures?.[cell];
      if (captured) said.push(t('cell.takes', { cells: captured.join(', ') }));
      else if (has(view.sources)) said.push(t('cell.source'));
      if (has(view.takes)) said.push(t('cell.take'));
      if (has(view.last)) said.push(t('cell.last'));
      if (has(view.taken)) said.push(t('cell.taken'));
      if (has(view.closed)) said.push(t('cell.closed'));
      if (has(view.resting)) said.push(t('cell.resting'));
      if (has(view.pattern)) said.push(t('cell.pattern'));
      button.setAttribute('aria-label', said.join(', '));
      const can = has(view.targets) || has(view.sources) || has(view.takes) || cell === view.active;
      button.classList.toggle('can', can);
      button.classList.toggle('drag', has(view.drags));
    }
  }

  /** @param {string} cell */
  focus(cell) {
    if (!this.buttons.has(cell)) return;
    this.lead(cell);
    this.button(cell).focus();
  }

  /** @param {string} cell the one that the Tab key leads to from now on */
  lead(cell) {
    this.button(this.stop).tabIndex = -1;
    this.stop = cell;
    this.button(cell).tabIndex = 0;
  }

  /**
   * The nearest cell in a direction: boards have holes.
   *
   * @param {string} cell
   * @param {[number, number]} way
   */
  beside(cell, [dx, dy]) {
    const [x, y] = this.at(cell);
    let best = null;
    let least = Infinity;
    for (const other of this.is.cells) {
      const [ox, oy] = this.at(other);
      const ahead = (ox - x) * dx + (oy - y) * dy;
      const aside = Math.abs((ox - x) * dy) + Math.abs((oy - y) * dx);
      if (ahead > 0 && aside <= ahead * 1.01 && ahead + 3 * aside < least) {
        [best, least] = [other, ahead + 3 * aside];
      }
    }
    return best;
  }

  /** @param {PointerEvent} event */
  cellUnder(event) {
    const box = this.svg.getBoundingClientRect();
    const x = ((event.clientX - box.left) / box.width) * this.is.files * U;
    const y = ((event.clientY - box.top) / box.height) * this.high;
    const far = (/** @type {string} */ cell) => Math.hypot(this.at(cell)[0] - x, this.at(cell)[1] - y);
    const nearest = [...this.is.cells].sort((a, b) => far(a) - far(b))[0];
    return far(nearest) < 0.8 * U ? nearest : null;
  }

  /** @param {HTMLElement} grid */
  listen(grid) {
    /** @type {Record<string, [number, number]>} */
    const KEYS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
    grid.addEventListener('keydown', (event) => {
      const cell = cellOf(event);
      const way = KEYS[event.key];
      if (!cell || !way || event.altKey || event.ctrlKey || event.metaKey) return;
      event.preventDefault();
      event.stopPropagation();
      const next = this.beside(cell, way);
      if (next) this.focus(next);
    });
    for (const kind of ['pointerover', 'focusin']) {
      grid.addEventListener(kind, (event) => this.onPoint(cellOf(event) ?? null));
    }
    for (const kind of ['pointerleave', 'focusout']) grid.addEventListener(kind, () => this.onPoint(null));
    grid.addEventListener('focusin', (event) => {
      const cell = cellOf(event);
      if (cell && cell !== this.stop) this.lead(cell);
    });
    this.listenToPointers(grid);
  }

  /** @param {HTMLElement} grid */
  listenToPointers(grid) {
    /** @type {{ cell: string, x: number, y: number, id: number } | null} */
    let drag = null;
    let dragged = false;
    grid.addEventListener('click', (event) => {
      const cell = cellOf(event);
      if (cell && !dragged) this.onCell(cell);
      dragged = false;
    });
    grid.addEventListener('pointerdown', (event) => {
      const cell = cellOf(event);
      dragged = false;
      if (!cell || event.button !== 0 || !this.pawns.has(cell) || !this.canDrag(cell)) return;
      drag = { cell, x: event.clientX, y: event.clientY, id: event.pointerId };
    });
    grid.addEventListener('pointermove', (event) => {
      if (!drag || event.pointerId !== drag.id) return;
      const [dx, dy] = [event.clientX - drag.x, event.clientY - drag.y];
      if (!dragged && Math.hypot(dx, dy) < 8) return;
      if (!dragged) {
        dragged = true;
        grid.setPointerCapture(drag.id);
        this.onDrag(drag.cell);
      }
      const pawn = this.pawns.get(drag.cell);
      if (!pawn) return;
      const scale = (this.is.files * U) / this.svg.getBoundingClientRect().width;
      pawn.element.classList.add('dragged');
      this.layer.append(pawn.element);
      this.place(pawn.element, drag.cell, [dx * scale, dy * scale]);
    });
    const up = (/** @type {PointerEvent} */ event) => {
      if (!drag || event.pointerId !== drag.id) return;
      const { cell } = drag;
      drag = null;
      if (!dragged) return;
      const pawn = this.pawns.get(cell);
      pawn?.element.classList.remove('dragged');
      const target = event.type === 'pointerup' ? this.cellUnder(event) : null;
      if (pawn) this.place(pawn.element, cell);
      if (target && target !== cell) this.onDrop(cell, target);
      setTimeout(() => {
        dragged = false;
      }, 0);
    };
    grid.addEventListener('pointerup', up);
    grid.addEventListener('pointercancel', up);
  }
}
