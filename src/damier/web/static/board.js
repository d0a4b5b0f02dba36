// A board as SVG with a button over each cell: drawn from the server's description alone.

import { h, s } from './dom.js';
import { effectWords } from './effects.js';
import { drawGround, marginsOf, U } from './ground.js';
import { t, tg } from './i18n.js';
import { drawMarks, drawPreview } from './marks.js';
import { materials, pawnShape } from './materials.js';
import { appear, halt, pathsOf, translate, travel, vanish } from './motion.js';

export { STEP_MS } from './motion.js';

/** @import { Effect } from './effects.js' */
/** @import { Path, Point } from './motion.js' */
/** @typedef {Record<string, string>} Marks What stands where: `w` or `b` by cell. */
/** @typedef {{ name: string, look: Api.LookOut }} Named The game whose board it is. */
/** @typedef {{ mark: string, element: SVGGElement }} Pawn */
/** @typedef {{ from: string, to: string, kind: string }} Arrow A ring where both are one cell. */

/**
 * @typedef {object} Value What a cell is worth to whoever goes there or moves the pawn on it.
 * @property {string} cell
 * @property {string} kind
 * @property {string} text
 * @property {'best' | 'rest'} [rank] of several values: only of the best all is said
 */

/**
 * @typedef {object} View What is marked on the board.
 * @property {string[]} [sources] pawns that can be chosen
 * @property {string[]} [targets] where the chosen one can go
 * @property {Record<string, Effect>} [does] what going to a target does, and what a source may do
 * @property {string[]} [direct] what a click does at once: targets, and pawns with one way to go
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
 * @property {Value[]} [values]
 */

const WIDE = 1.5; // as wide to its height, or wider: shown in a row of its own

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
    /** @type {Map<string, Pawn>} */
    this.pawns = new Map();
    /** @type {Marks} */
    this.marks = {};
    /** @type {View} */
    this.view = {};
    /** @type {string | null} */
    this.pointed = null;
    /** @type {Map<string, string>} */
    this.places = new Map();
    for (const [place, cells] of Object.entries(description.places)) {
      for (const cell of cells) this.places.set(cell, place);
    }
    /** @type {(cell: string) => void} */
    this.onCell = () => {};
    /** @type {(cell: string) => void} */
    this.onDrag = () => {};
    /** @type {(from: string, to: string) => void} */
    this.onDrop = () => {};
    /** @type {(cell: string) => boolean} */
    this.canDrag = () => false;
    const { ranks, files, lines } = description;
    this.lined = lines.length > 0;
    this.margins = marginsOf(description);
    const { margin, crop } = this.margins;
    this.wide = files * U + 2 * margin;
    this.high = ranks * U + 2 * margin;
    this.shape = this.wide / this.high;
    const { definitions, paint } = materials();
    this.paint = paint;
    this.ground = s('g', { class: 'ground' });
    this.under = s('g', { class: 'under' });
    this.layer = s('g', { class: 'pawns' });
    this.over = s('g', { class: 'over' });
    this.preview = s('g', { class: 'over preview' });
    this.svg = s(
      'svg',
      { viewBox: `0 0 ${this.wide} ${this.high}`, 'aria-hidden': 'true', class: 'drawing' },
      ...[definitions, this.ground, this.under, this.layer, this.over, this.preview],
    );
    this.grid = still ? null : h('div', { class: 'cells', role: 'group', 'aria-label': label });
    /** @type {Map<string, HTMLButtonElement>} */
    this.buttons = new Map();
    this.stop = ''; // the cell that the Tab key leads to
    const kinds = ['board', game.name, this.lined ? 'lined' : 'squared'];
    if (files / ranks > WIDE) kinds.push('wide');
    if (crop) kinds.push('tight');
    this.element = h('div', { class: kinds.join(' ') }, this.svg, this.grid);
    this.size(crop);
    for (const [part, [light, dark]] of Object.entries(game.look.page)) {
      this.element.style.setProperty(`--look-${part}`, `light-dark(${light}, ${dark})`);
    }
    this.draw();
    if (this.grid) this.listen(this.grid);
  }

  /**
   * What the style sheet cannot know of this board.
   *
   * @param {number} crop
   */
  size(crop) {
    const { style } = this.element;
    const { margin, rail } = this.margins;
    const seen = this.wide - 2 * crop;
    style.borderRadius = `${1800 / this.wide}% / ${1800 / this.high}%`; // the frame's
    const sizes = {
      shape: this.shape,
      'tight-shape': seen / this.high,
      crop: `${(-100 * crop) / seen}%`,
      'frame-width': `${margin}px`,
      'name-shift': `${crop + rail / 2 - margin / 2}px`,
    };
    for (const [name, value] of Object.entries(sizes)) style.setProperty(`--${name}`, String(value));
  }

  /**
   * The middle of a cell, in units.
   *
   * @param {string} cell
   * @returns {Point}
   */
  at = (cell) => {
    const [file, rank] = this.is.at[cell];
    const [x, y] = this.flipped ? [this.is.files - 1 - file, rank] : [file, this.is.ranks - 1 - rank];
    return [this.margins.margin + (x + 0.5) * U, this.margins.margin + (y + 0.5) * U];
  };

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
    drawGround(this);
    if (this.grid) this.drawCells(this.grid);
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
      const size = (this.lined || !this.alone(cell) ? 1 : 1.5) * U;
      button.style.left = `${((x - size / 2) / this.wide) * 100}%`;
      button.style.top = `${((y - size / 2) / this.high) * 100}%`;
      button.style.width = `${(size / this.wide) * 100}%`;
      button.style.height = `${(size / this.high) * 100}%`;
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
   * Put a pawn where it belongs, or aside of there, without a movement.
   *
   * @param {SVGElement} element
   * @param {string} cell
   * @param {Point} [aside]
   */
  place(element, cell, [dx, dy] = [0, 0]) {
    const [x, y] = this.at(cell);
    halt(element);
    element.style.transform = translate([x + dx, y + dy]);
  }

  /**
   * @param {string} mark
   * @param {string} cell
   * @returns {Pawn}
   */
  newPawn(mark, cell) {
    const element = pawnShape(mark, this.lined ? 35 : 37, this.paint);
    this.place(element, cell);
    this.layer.append(element);
    return { mark, element };
  }

  /**
   * Show other pawns. What left one cell and came to another is the same pawn, moving as the step
   * says; without a step, the nearest one.
   *
   * @param {Marks} marks
   * @param {boolean} [moved]
   * @param {Api.StepOut | null} [step]
   */
  show(marks, moved = true, step = null) {
    this.marks = marks;
    const left = new Map([...this.pawns].filter(([cell, pawn]) => marks[cell] !== pawn.mark));
    const come = Object.entries(marks).filter(([cell, mark]) => this.pawns.get(cell)?.mark !== mark);
    if (!moved) for (const { element } of this.pawns.values()) halt(element);
    for (const cell of left.keys()) this.pawns.delete(cell);
    const paths = step ? pathsOf(step) : [];
    let moving = false;
    for (const [cell, mark] of come) {
      const path = moved ? this.pathTo(cell, mark, left, paths) : null;
      const pawn = (path && left.get(path.from)) ?? this.newPawn(mark, path?.from ?? cell);
      this.pawns.set(cell, pawn);
      if (path) {
        moving = true;
        left.delete(path.from);
        this.layer.append(pawn.element); // on top of the others while it moves
        travel(pawn.element, this.at(cell), path.way);
      } else if (moved) appear(pawn.element);
    }
    for (const pawn of left.values()) {
      if (moved) vanish(pawn.element, moving);
      else pawn.element.remove();
    }
  }

  /**
   * How the pawn came that now stands on a cell, if it came from anywhere.
   *
   * @param {string} cell
   * @param {string} mark
   * @param {Map<string, Pawn>} left
   * @param {Path[]} paths
   * @returns {Path | null}
   */
  pathTo(cell, mark, left, paths) {
    const told = paths.find(({ to, from }) => to === cell && (left.get(from)?.mark ?? mark) === mark);
    if (told) return told;
    const far = (/** @type {string} */ from) => {
      const [[x1, y1], [x2, y2]] = [this.at(from), this.at(cell)];
      return Math.hypot(x1 - x2, y1 - y2);
    };
    const [from] = [...left.keys()]
      .filter((other) => left.get(other)?.mark === mark)
      .sort((a, b) => far(a) - far(b));
    return from ? { from, to: cell, way: 'slide' } : null;
  }

  /** @param {View} view */
  mark(view) {
    this.view = view;
    drawMarks(this, view);
    for (const [cell, pawn] of this.pawns) {
      pawn.element.classList.toggle('active', cell === view.active);
      pawn.element.classList.toggle('picked', cell === view.selected);
      pawn.element.classList.toggle('lifted', !!view.lifted?.includes(cell));
      const place = (view.pattern ?? []).indexOf(cell);
      pawn.element.classList.toggle('wins', place >= 0);
      pawn.element.style.setProperty('--place', String(place));
    }
    this.point(this.pointed);
  }

  /**
   * Pointing at a target shows what going there would do to other pawns; pointing at a pawn, or
   * choosing it, what it may do to them.
   *
   * @param {string | null} cell
   */
  point(cell) {
    const { does, direct, selected } = this.view;
    this.pointed = cell;
    const known = cell !== null && !!does?.[cell];
    const effect = does?.[(known ? cell : selected) ?? ''] ?? null;
    const plain = known && !!direct?.includes(cell);
    drawPreview(this, effect, plain);
    const takes = [...(this.view.takes ?? []), ...((plain && effect?.takes) || [])];
    if (this.grid) this.nameCells({ ...this.view, takes });
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
      if (has(view.sources)) said.push(t('cell.source'));
      if (has(view.direct)) said.push(...effectWords(view.does?.[cell]));
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
    const x = ((event.clientX - box.left) / box.width) * this.wide;
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
      grid.addEventListener(kind, (event) => this.point(cellOf(event) ?? null));
    }
    for (const kind of ['pointerleave', 'focusout']) grid.addEventListener(kind, () => this.point(null));
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
      const scale = this.wide / this.svg.getBoundingClientRect().width;
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
      if (target && target !== cell) this.onDrop(cell, target); // it goes on from where it was let go
      if (pawn && this.pawns.get(cell) === pawn) travel(pawn.element, this.at(cell), 'slide');
      setTimeout(() => {
        dragged = false;
      }, 0);
    };
    grid.addEventListener('pointerup', up);
    grid.addEventListener('pointercancel', up);
  }
}
