// Board: an SVG drawing with a button over each cell, made from the server's description.

import { h, s } from '../core/dom.js';
import { t, tg } from '../core/i18n.js';
import { boardMargins, CELL_SIZE, drawSurface, HEXAGON_HALF } from './board-surface.js';
import { drawMarks, drawPreview } from './marks.js';
import { materialDefinitions, pawnShape } from './materials.js';
import { animateAlong, fadeIn, fadeOut, pathsOf, stopMotion, translate } from './motion.js';
import { effectText, valueLabel } from './step-effects.js';

export { STEP_MS } from './motion.js';

/** @import { Effect } from './step-effects.js' */
/** @import { Path, Point } from './motion.js' */
/** @typedef {Record<string, string>} Marks The pawns: `w` or `b` by cell, in capitals for kings. */
/** @typedef {{ name: string, look: Api.BoardAppearance }} BoardGame The game whose board it is. */
/** @typedef {{ mark: string, element: SVGGElement }} Pawn */
/** @typedef {{ from: string, to: string, kind: string }} Arrow Drawn as a ring if both are one cell. */

/**
 * @typedef {object} BoardListeners
 * @property {(cell: string) => void} click
 * @property {(cell: string) => boolean} canDrag
 * @property {(cell: string) => void} drag called when a pawn begins to be dragged
 * @property {(from: string, to: string) => void} drop
 */

/**
 * @typedef {object} Value The value of moving to a cell, or of moving the pawn on it.
 * @property {string} cell
 * @property {string} kind
 * @property {string} text
 * @property {'best' | 'rest'} [rank] the best value is shown in full, the others as a sign
 */

/**
 * @typedef {object} View The marks on a board.
 * @property {string[]} [sources] pawns that can be chosen
 * @property {string[]} [targets] cells that the chosen pawn can go to
 * @property {string[]} [placements] targets where a pawn is placed
 * @property {Record<string, Effect>} [effects] by target, and possible effects by source
 * @property {string[]} [direct] cells where one click plays a step: targets, and pawns with one target
 * @property {string[]} [takes] pawns that would be captured
 * @property {string | null} [active] the pawn that is being moved
 * @property {string | null} [selected]
 * @property {string[]} [closed] cells that it may not go to in this move
 * @property {string[]} [lifted]
 * @property {{ cell: string, mark: string }[]} [floating] pawns off the board, over the cell they left
 * @property {string[]} [drags] pawns that can be dragged
 * @property {string[]} [last] cells that the last move changed
 * @property {string[]} [taken] cells where it captured
 * @property {string[]} [pattern] cells that decided the game
 * @property {[string, string][]} [barred] cells between which a step is barred
 * @property {string[]} [resting] pawns that must rest
 * @property {Arrow[]} [arrows]
 * @property {Value[]} [values]
 */

/**
 * Return the side of a pawn or a king.
 *
 * @param {string | undefined} mark
 */
export const sideOf = (mark) => mark?.toLowerCase();

const WIDE_RATIO = 1.5; // ratio of width to height above which a board has a row of its own

/**
 * Return the pawns after a step.
 *
 * @param {Marks} marks
 * @param {Record<string, string>} changes the new mark of each changed cell; `.` for an empty one
 * @returns {Marks}
 */
export function applyChanges(marks, changes) {
  const after = { ...marks };
  for (const [cell, mark] of Object.entries(changes)) {
    if (mark === '.') delete after[cell];
    else after[cell] = mark;
  }
  return after;
}

/**
 * Return the cell that an event is about.
 *
 * @param {Event} event
 */
const cellOf = (event) => /** @type {HTMLElement} */ (event.target).dataset.cell;

export class Board {
  /**
   * @param {Api.BoardDescription} description
   * @param {BoardGame} game
   * @param {{ label?: string, still?: boolean }} [how]
   */
  constructor(description, game, { label = '', still = false } = {}) {
    this.description = description;
    this.game = game;
    this.flipped = false;
    /** @type {Map<string, Pawn>} */
    this.pawns = new Map();
    /** @type {Marks} */
    this.marks = {};
    /** @type {View} */
    this.view = {};
    /** @type {string | null} */
    this.previewedCell = null;
    /** @type {Map<string, string>} */
    this.places = new Map();
    for (const [place, cells] of Object.entries(description.places)) {
      for (const cell of cells) this.places.set(cell, place);
    }
    /** @type {BoardListeners} */
    this.listeners = { click: () => {}, canDrag: () => false, drag: () => {}, drop: () => {} };
    const { ranks, files, lines } = description;
    this.hasLines = lines.length > 0;
    this.margins = boardMargins(description);
    const { margin, crop } = this.margins;
    this.width = description.width * CELL_SIZE + 2 * margin;
    this.height = description.height * CELL_SIZE + 2 * margin;
    this.shape = this.width / this.height;
    const { definitions, paint } = materialDefinitions();
    this.paint = paint;
    this.surface = s('g', { class: 'ground' });
    this.marksBelow = s('g', { class: 'marks-below' });
    this.pawnLayer = s('g', { class: 'pawns' });
    this.marksAbove = s('g', { class: 'marks-above' });
    this.preview = s('g', { class: 'marks-above preview' });
    this.svg = s(
      'svg',
      { viewBox: `0 0 ${this.width} ${this.height}`, 'aria-hidden': 'true', class: 'drawing' },
      ...[definitions, this.surface, this.marksBelow, this.pawnLayer, this.marksAbove, this.preview],
    );
    this.grid = still ? null : h('div', { class: 'cells', role: 'group', 'aria-label': label });
    /** @type {Map<string, HTMLButtonElement>} */
    this.buttons = new Map();
    this.tabCell = ''; // the cell that the Tab key leads to
    const kinds = ['board', game.name, this.hasLines ? 'lined' : 'squared'];
    if (files / ranks > WIDE_RATIO) kinds.push('wide');
    if (crop) kinds.push('tight');
    this.element = h('div', { class: kinds.join(' ') }, this.svg, this.grid);
    this.setSizes(crop);
    for (const [part, [light, dark]] of Object.entries(game.look.page)) {
      this.element.style.setProperty(`--look-${part}`, `light-dark(${light}, ${dark})`);
    }
    this.draw();
    if (this.grid) this.addListeners(this.grid);
  }

  /**
   * Set the CSS variables that depend on the size of the board.
   *
   * @param {number} crop
   */
  setSizes(crop) {
    const { style } = this.element;
    const { margin, rail } = this.margins;
    const seen = this.width - 2 * crop;
    style.borderRadius = `${1800 / this.width}% / ${1800 / this.height}%`; // of the frame
    const sizes = {
      shape: this.shape,
      'tight-shape': seen / this.height,
      crop: `${(-100 * crop) / seen}%`,
      'frame-width': `${margin}px`,
      'name-shift': `${crop + rail / 2 - margin / 2}px`,
    };
    for (const [name, value] of Object.entries(sizes)) style.setProperty(`--${name}`, String(value));
  }

  /**
   * Return the centre of a cell, in units.
   *
   * @param {string} cell
   * @returns {Point}
   */
  at = (cell) => {
    const { at, width, height, hexagonal } = this.description;
    const low = hexagonal ? HEXAGON_HALF : 0.5; // from the lower edge to the middle of the lowest cells
    const [right, up] = [at[cell][0] + 0.5, at[cell][1] + low];
    const [x, y] = this.flipped ? [width - right, up] : [right, height - up];
    return [this.margins.margin + x * CELL_SIZE, this.margins.margin + y * CELL_SIZE];
  };

  /**
   * Return whether a cell has none of its eight neighbours: its button can be larger.
   *
   * @param {string} cell
   */
  isIsolated(cell) {
    const [file, rank] = this.description.at[cell];
    return !Object.values(this.description.at).some(
      ([f, r]) => (f !== file || r !== rank) && Math.max(Math.abs(f - file), Math.abs(r - rank)) <= 1,
    );
  }

  /** @param {boolean} flipped */
  flip(flipped) {
    if (flipped === this.flipped) return;
    this.flipped = flipped;
    this.draw();
    for (const [cell, pawn] of this.pawns) this.putAt(pawn.element, cell);
  }

  draw() {
    drawSurface(this);
    if (this.grid) this.drawCells(this.grid);
  }

  /**
   * @param {string} kind
   * @param {string} a
   * @param {string} b
   */
  lineElement(kind, a, b) {
    const [[x1, y1], [x2, y2]] = [this.at(a), this.at(b)];
    return s('line', { class: kind, x1, y1, x2, y2 });
  }

  /** @param {HTMLElement} grid */
  drawCells(grid) {
    const { description: is } = this;
    const { activeElement } = document;
    const focused =
      activeElement instanceof HTMLElement && grid.contains(activeElement) && activeElement.dataset.cell;
    for (const cell of is.cells) {
      const button = this.buttons.get(cell) ?? h('button', { type: 'button', class: 'cell', tabindex: '-1' });
      button.dataset.cell = cell;
      this.buttons.set(cell, button);
      const [x, y] = this.at(cell);
      const size = (this.hasLines || !this.isIsolated(cell) ? 1 : 1.5) * CELL_SIZE;
      button.style.left = `${((x - size / 2) / this.width) * 100}%`;
      button.style.top = `${((y - size / 2) / this.height) * 100}%`;
      button.style.width = `${(size / this.width) * 100}%`;
      button.style.height = `${(size / this.height) * 100}%`;
    }
    // In reading order, from the top left.
    const places = is.cells.map((cell) => ({ cell, at: this.at(cell) }));
    places.sort((a, b) => a.at[1] - b.at[1] || a.at[0] - b.at[0]);
    const order = places.map(({ cell }) => cell);
    grid.replaceChildren(...order.map((cell) => this.button(cell)));
    this.tabCell ||= order[Math.floor(order.length / 2)];
    this.button(this.tabCell).tabIndex = 0;
    if (focused) this.focus(focused);
  }

  /** @param {string} cell */
  button(cell) {
    return /** @type {HTMLButtonElement} */ (this.buttons.get(cell));
  }

  /**
   * Put a pawn on a cell, or at an offset from it, without animation.
   *
   * @param {SVGElement} element
   * @param {string} cell
   * @param {Point} [aside]
   */
  putAt(element, cell, [dx, dy] = [0, 0]) {
    const [x, y] = this.at(cell);
    stopMotion(element);
    element.style.transform = translate([x + dx, y + dy]);
  }

  /**
   * @param {string} mark
   * @param {string} cell
   * @returns {Pawn}
   */
  newPawn(mark, cell) {
    const element = pawnShape(mark, this.hasLines ? 35 : 37, this.paint);
    this.putAt(element, cell);
    this.pawnLayer.append(element);
    return { mark, element };
  }

  /**
   * Show other pawns. A pawn that left one cell and appeared on another is animated: along the path of
   * the step or, without a step, from the nearest cell that became empty.
   *
   * @param {Marks} marks
   * @param {boolean} [moved]
   * @param {Api.StepDescription | null} [step]
   */
  show(marks, moved = true, step = null) {
    this.marks = marks;
    const left = new Map([...this.pawns].filter(([cell, pawn]) => marks[cell] !== pawn.mark));
    const appeared = Object.entries(marks).filter(([cell, mark]) => this.pawns.get(cell)?.mark !== mark);
    if (!moved) for (const { element } of this.pawns.values()) stopMotion(element);
    for (const cell of left.keys()) this.pawns.delete(cell);
    const paths = step ? pathsOf(step) : [];
    let moving = false;
    for (const [cell, mark] of appeared) {
      const path = moved ? this.pathTo(cell, mark, left, paths) : null;
      let pawn = (path && left.get(path.from)) ?? this.newPawn(mark, path?.from ?? cell);
      if (pawn.mark !== mark) pawn = this.promotePawn(pawn, mark);
      this.pawns.set(cell, pawn);
      if (path) {
        moving = true;
        left.delete(path.from);
        this.pawnLayer.append(pawn.element); // on top of the others while it moves
        animateAlong(pawn.element, this.at(cell), path.way);
      } else if (moved) fadeIn(pawn.element);
    }
    for (const pawn of left.values()) {
      if (moved) fadeOut(pawn.element, moving);
      else pawn.element.remove();
    }
  }

  /**
   * Replace a pawn that is promoted, at its place.
   *
   * @param {Pawn} pawn
   * @param {string} mark
   * @returns {Pawn}
   */
  promotePawn(pawn, mark) {
    const element = pawnShape(mark, this.hasLines ? 35 : 37, this.paint);
    element.style.transform = pawn.element.style.transform;
    pawn.element.replaceWith(element);
    return { mark, element };
  }

  /**
   * Return the path by which a pawn came to a cell, if it came from another.
   *
   * @param {string} cell
   * @param {string} mark
   * @param {Map<string, Pawn>} left
   * @param {Path[]} paths
   * @returns {Path | null}
   */
  pathTo(cell, mark, left, paths) {
    const match = paths.find(
      ({ to, from }) => to === cell && sideOf(left.get(from)?.mark ?? mark) === sideOf(mark),
    );
    if (match) return match;
    const distanceTo = (/** @type {string} */ from) => {
      const [[x1, y1], [x2, y2]] = [this.at(from), this.at(cell)];
      return Math.hypot(x1 - x2, y1 - y2);
    };
    const [from] = [...left.keys()]
      .filter((other) => left.get(other)?.mark === mark)
      .sort((a, b) => distanceTo(a) - distanceTo(b));
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
    this.previewEffects(this.previewedCell);
  }

  /**
   * Show the effects on other pawns: those of a target under the pointer, or the possible ones of a
   * pawn that is chosen or under the pointer.
   *
   * @param {string | null} cell
   */
  previewEffects(cell) {
    const { effects, direct, selected } = this.view;
    this.previewedCell = cell;
    const known = cell !== null && !!effects?.[cell];
    const effect = effects?.[(known ? cell : selected) ?? ''] ?? null;
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
      const mark = this.marks[cell];
      const kind = mark && mark !== sideOf(mark) ? `${sideOf(mark)}.king` : (mark ?? 'empty');
      const words = [cell, t(`cell.${kind}`)];
      // Most cells are of the kind `normal`, which is not read aloud.
      if (place && place !== 'normal') words.push(tg(this.game.name, `place.${place}`, {}, place));
      for (const pawn of view.floating ?? [])
        if (pawn.cell === cell) words.push(t(`cell.floating.${pawn.mark}`));
      if (active) words.push(t('cell.active'));
      else if (has(view.targets)) words.push(t(has(view.placements) ? 'cell.placement' : 'cell.target'));
      if (has(view.sources)) words.push(t('cell.source'));
      if (has(view.direct)) words.push(...effectText(view.effects?.[cell]));
      if (has(view.takes)) words.push(t('cell.take'));
      words.push(...(view.values ?? []).filter((value) => value.cell === cell).map(valueLabel));
      if (has(view.last)) words.push(t('cell.last'));
      if (has(view.taken)) words.push(t('cell.taken'));
      if (has(view.closed)) words.push(t('cell.closed'));
      if (has(view.resting)) words.push(t('cell.resting'));
      if (has(view.pattern)) words.push(t('cell.pattern'));
      button.setAttribute('aria-label', words.join(', '));
      const isSelectable = has(view.targets) || has(view.sources) || has(view.takes) || cell === view.active;
      button.classList.toggle('selectable', isSelectable);
      button.classList.toggle('drag', has(view.drags));
    }
  }

  /** @param {string} cell */
  focus(cell) {
    if (!this.buttons.has(cell)) return;
    this.moveTabStop(cell);
    this.button(cell).focus();
  }

  /** @param {string} cell the one that the Tab key leads to from now on */
  moveTabStop(cell) {
    this.button(this.tabCell).tabIndex = -1;
    this.tabCell = cell;
    this.button(cell).tabIndex = 0;
  }

  /**
   * Return the nearest cell in a direction; a board may have holes.
   *
   * @param {string} cell
   * @param {[number, number]} way
   */
  nearestCell(cell, [dx, dy]) {
    const [x, y] = this.at(cell);
    let best = null;
    let least = Infinity;
    for (const other of this.description.cells) {
      const [ox, oy] = this.at(other);
      const ahead = (ox - x) * dx + (oy - y) * dy;
      const sideways = Math.abs((ox - x) * dy) + Math.abs((oy - y) * dx);
      if (ahead > 0 && sideways <= ahead * 1.01 && ahead + 3 * sideways < least) {
        [best, least] = [other, ahead + 3 * sideways];
      }
    }
    return best;
  }

  /** @param {PointerEvent} event */
  cellUnder(event) {
    const box = this.svg.getBoundingClientRect();
    const x = ((event.clientX - box.left) / box.width) * this.width;
    const y = ((event.clientY - box.top) / box.height) * this.height;
    const distanceTo = (/** @type {string} */ cell) => Math.hypot(this.at(cell)[0] - x, this.at(cell)[1] - y);
    const nearest = [...this.description.cells].sort((a, b) => distanceTo(a) - distanceTo(b))[0];
    return distanceTo(nearest) < 0.8 * CELL_SIZE ? nearest : null;
  }

  /** @param {Partial<BoardListeners>} listeners */
  listen(listeners) {
    this.listeners = { ...this.listeners, ...listeners };
  }

  /** @param {HTMLElement} grid */
  addListeners(grid) {
    /** @type {Record<string, [number, number]>} */
    const KEYS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
    grid.addEventListener('keydown', (event) => {
      const cell = cellOf(event);
      const way = KEYS[event.key];
      if (!cell || !way || event.altKey || event.ctrlKey || event.metaKey) return;
      event.preventDefault();
      event.stopPropagation();
      const next = this.nearestCell(cell, way);
      if (next) this.focus(next);
    });
    for (const kind of ['pointerover', 'focusin']) {
      grid.addEventListener(kind, (event) => this.previewEffects(cellOf(event) ?? null));
    }
    for (const kind of ['pointerleave', 'focusout'])
      grid.addEventListener(kind, () => this.previewEffects(null));
    grid.addEventListener('focusin', (event) => {
      const cell = cellOf(event);
      if (cell && cell !== this.tabCell) this.moveTabStop(cell);
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
      if (cell && !dragged) this.listeners.click(cell);
      dragged = false;
    });
    grid.addEventListener('pointerdown', (event) => {
      const cell = cellOf(event);
      dragged = false;
      if (!cell || event.button !== 0 || !this.pawns.has(cell) || !this.listeners.canDrag(cell)) return;
      drag = { cell, x: event.clientX, y: event.clientY, id: event.pointerId };
    });
    grid.addEventListener('pointermove', (event) => {
      if (!drag || event.pointerId !== drag.id) return;
      const [dx, dy] = [event.clientX - drag.x, event.clientY - drag.y];
      if (!dragged && Math.hypot(dx, dy) < 8) return;
      if (!dragged) {
        dragged = true;
        grid.setPointerCapture(drag.id);
        this.listeners.drag(drag.cell);
      }
      const pawn = this.pawns.get(drag.cell);
      if (!pawn) return;
      const scale = this.width / this.svg.getBoundingClientRect().width;
      pawn.element.classList.add('dragged');
      this.pawnLayer.append(pawn.element);
      this.putAt(pawn.element, drag.cell, [dx * scale, dy * scale]);
    });
    const onRelease = (/** @type {PointerEvent} */ event) => {
      if (!drag || event.pointerId !== drag.id) return;
      const { cell } = drag;
      drag = null;
      if (!dragged) return;
      const pawn = this.pawns.get(cell);
      pawn?.element.classList.remove('dragged');
      const target = event.type === 'pointerup' ? this.cellUnder(event) : null;
      if (target && target !== cell) this.listeners.drop(cell, target); // animated from where it was dropped
      if (pawn && this.pawns.get(cell) === pawn) animateAlong(pawn.element, this.at(cell), 'slide');
      setTimeout(() => {
        dragged = false;
      }, 0);
    };
    grid.addEventListener('pointerup', onRelease);
    grid.addEventListener('pointercancel', onRelease);
  }
}
