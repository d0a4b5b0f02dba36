// A board as SVG with a button over each cell: drawn from the server's description alone.

import { calm, h, s } from './dom.js';
import { t } from './i18n.js';

const U = 100; // units a cell
const STRIP = 24; // below the lines of a board, for the letters of its files
export const STEP_MS = 260;

const STAR = Array.from({ length: 10 }, (_, k) => {
  const r = k % 2 ? 11 : 26;
  return `${(r * Math.sin((k * Math.PI) / 5)).toFixed(1)},${(-r * Math.cos((k * Math.PI) / 5)).toFixed(1)}`;
}).join(' ');

// Which marks stand on which cells, from the rows of a position's text.
export function readRows(position, board) {
  const rows = position.split(' ')[0].split('/');
  const marks = {};
  for (const cell of board.cells) {
    const mark = rows[board.ranks - Number(cell.slice(1))]?.[cell.charCodeAt(0) - 97];
    if (mark === 'w' || mark === 'b') marks[cell] = mark;
  }
  return marks;
}

export function applied(marks, changes) {
  const after = { ...marks };
  for (const [cell, mark] of Object.entries(changes)) {
    if (mark === '.') delete after[cell];
    else after[cell] = mark;
  }
  return after;
}

export class Board {
  constructor(description, { label = '', still = false, name = '' } = {}) {
    this.is = description;
    this.flipped = false;
    this.pawns = new Map(); // cell → { mark, element }
    this.marks = {};
    this.places = new Map();
    for (const [place, cells] of Object.entries(description.places)) {
      for (const cell of cells) this.places.set(cell, place);
    }
    this.onCell = this.onDrop = this.onPoint = () => {};
    this.canDrag = () => false;
    const { ranks, files, lines } = description;
    this.high = ranks * U + (lines.length ? STRIP : 0);
    this.shape = (files * U) / this.high;
    this.ground = s('g', { class: 'ground' });
    this.under = s('g', { class: 'under' });
    this.layer = s('g', { class: 'pawns' });
    this.over = s('g', { class: 'over' });
    this.svg = s('svg', { viewBox: `0 0 ${files * U} ${this.high}`, 'aria-hidden': 'true', class: 'drawing' }, this.ground, this.under, this.layer, this.over);
    this.grid = still ? null : h('div', { class: 'cells', role: 'group', 'aria-label': label });
    this.element = h('div', { class: `board ${name} ${lines.length ? 'lined' : 'squared'}` }, this.svg, this.grid);
    this.element.style.aspectRatio = String(this.shape);
    this.draw();
    if (!still) this.listen();
  }

  // The middle of a cell, in units.
  at(cell) {
    let x = cell.charCodeAt(0) - 97;
    let y = this.is.ranks - Number(cell.slice(1));
    if (this.flipped) [x, y] = [this.is.files - 1 - x, this.is.ranks - 1 - y];
    return [(x + 0.5) * U, (y + 0.5) * U];
  }

  flip(flipped) {
    if (flipped === this.flipped) return;
    this.flipped = flipped;
    this.draw();
    for (const [cell, pawn] of this.pawns) this.place(pawn.element, cell);
  }

  draw() {
    const { is } = this;
    this.ground.replaceChildren();
    const add = (...elements) => this.ground.append(...elements);
    add(s('rect', { class: 'table', width: is.files * U, height: this.high, rx: 14 }));
    if (is.lines.length) {
      for (const [a, b] of is.lines) {
        const [[x1, y1], [x2, y2]] = [this.at(a), this.at(b)];
        add(s('line', { class: 'line', x1, y1, x2, y2 }));
      }
      for (const cell of is.cells) {
        const [cx, cy] = this.at(cell);
        add(s('circle', { class: 'joint', cx, cy, r: 6 }));
      }
    } else {
      for (const [a, b] of is.arrows) this.drawTrack(add, a, b);
      for (const cell of is.cells) this.drawSquare(add, cell);
      for (const [a, b] of is.arrows) this.drawArrow(add, a, b);
    }
    this.drawNames(add);
    if (this.grid) this.drawCells();
  }

  drawSquare(add, cell) {
    const [x, y] = this.at(cell);
    const place = this.places.get(cell) ?? 'plain';
    if (place === 'centre') {
      add(s('circle', { class: 'square centre', cx: x, cy: y, r: 78 }), s('circle', { class: 'ring', cx: x, cy: y, r: 62 }));
      return;
    }
    const odd = (cell.charCodeAt(0) + Number(cell.slice(1))) % 2 ? 'odd' : '';
    add(s('rect', { class: `square ${place} ${odd}`, x: x - 47, y: y - 47, width: 94, height: 94, rx: 10 }));
    if (place === 'unused') {
      add(s('path', { class: 'sign', d: `M${x - 22} ${y - 22}L${x + 22} ${y + 22}M${x + 22} ${y - 22}L${x - 22} ${y + 22}` }));
    }
    if (place === 'refuge') {
      add(s('circle', { class: 'sign', cx: x, cy: y, r: 40 }), s('circle', { class: 'sign', cx: x, cy: y, r: 32 }));
    }
  }

  drawTrack(add, a, b) {
    const [[x1, y1], [x2, y2]] = [this.at(a), this.at(b)];
    add(s('line', { class: 'track', x1, y1, x2, y2 }));
  }

  drawArrow(add, a, b) {
    const [[x, y], [cx, cy]] = [this.at(a), this.at(b)];
    const turn = (Math.atan2(cy - y, cx - x) * 180) / Math.PI;
    add(s('path', { class: 'sign arrow', d: 'M-30 -26H6V-44L46 0 6 44V26H-30Z', transform: `translate(${x} ${y}) rotate(${turn})` }));
  }

  drawNames(add) {
    const { is } = this;
    const lined = is.lines.length > 0;
    for (let f = 0; f < is.files; f++) {
      const shown = String.fromCharCode(97 + (this.flipped ? is.files - 1 - f : f));
      add(s('text', { class: 'name file', x: f * U + (lined ? 50 : 89), y: this.high - (lined ? 8 : 9), text: shown }));
    }
    for (let r = 0; r < is.ranks; r++) {
      const shown = this.flipped ? r + 1 : is.ranks - r;
      add(s('text', { class: 'name rank', x: lined ? 9 : 11, y: r * U + (lined ? 57 : 21), text: String(shown) }));
    }
  }

  drawCells() {
    const { is } = this;
    const focused = this.grid.contains(document.activeElement) ? document.activeElement.dataset.cell : null;
    this.buttons ??= new Map();
    for (const cell of is.cells) {
      let b = this.buttons.get(cell);
      if (!b) {
        b = h('button', { type: 'button', class: 'cell', 'data-cell': cell, tabindex: '-1' });
        this.buttons.set(cell, b);
      }
      const [x, y] = this.at(cell);
      const wide = this.places.get(cell) === 'centre' ? 1.5 : 1;
      b.style.left = `${((x / U - wide / 2) / is.files) * 100}%`;
      b.style.top = `${((y - (wide * U) / 2) / this.high) * 100}%`;
      b.style.width = `${(wide / is.files) * 100}%`;
      b.style.height = `${((wide * U) / this.high) * 100}%`;
    }
    // In reading order, from the top left.
    const order = [...is.cells].sort((a, b) => this.at(a)[1] - this.at(b)[1] || this.at(a)[0] - this.at(b)[0]);
    this.grid.replaceChildren(...order.map((cell) => this.buttons.get(cell)));
    this.stop ??= order[Math.floor(order.length / 2)];
    this.buttons.get(this.stop).tabIndex = 0;
    if (focused) this.focus(focused);
  }

  place(element, cell, [dx, dy] = [0, 0]) {
    const [x, y] = this.at(cell);
    element.style.transform = `translate(${x + dx}px, ${y + dy}px)`;
  }

  newPawn(mark, cell) {
    const r = this.is.lines.length ? 33 : 36;
    const element = s('g', { class: `pawn ${mark}` },
      s('circle', { class: 'shade', r, cy: 5 }),
      s('circle', { class: 'body', r }),
      s('circle', { class: 'rim', r: mark === 'b' ? r - 14 : r - 9 }),
      mark === 'b' ? s('circle', { class: 'rim', r: 10 }) : null,
      s('path', { class: 'shine', d: `M${-0.72 * r} ${-0.34 * r}A${0.8 * r} ${0.8 * r} 0 0 1 ${-0.1 * r} ${-0.79 * r}` }));
    this.place(element, cell);
    this.layer.append(element);
    return { mark, element };
  }

  // Show other pawns. What left one cell and came to another is the same pawn, moving.
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

  // What is marked on the board: { sources, targets, takes, active, closed, selected, lifted, drags,
  // last, taken, pattern, barred, resting, arrows, values }. Each meaning has a shape of its own.
  mark(view) {
    this.view = view;
    this.under.replaceChildren();
    this.over.replaceChildren();
    const under = (...e) => this.under.append(...e);
    const over = (...e) => this.over.append(...e);
    const at = (cell, element) => {
      const [x, y] = this.at(cell);
      element.setAttribute('transform', `translate(${x} ${y})`);
      return element;
    };
    for (const cell of view.last ?? []) under(at(cell, s('rect', { class: 'last', x: -46, y: -46, width: 92, height: 92, rx: this.is.lines.length ? 46 : 16 })));
    for (const cell of view.taken ?? []) under(at(cell, s('path', { class: 'taken', d: 'M-13 -13 13 13M13 -13-13 13' })));
    for (const [a, b] of view.barred ?? []) under(...this.barrier(a, b));
    for (const cell of view.pattern ?? []) under(at(cell, s('circle', { class: 'pattern', r: 46 })));
    for (const cell of view.sources ?? []) under(at(cell, s('circle', { class: 'source', r: 42 })));
    for (const cell of view.targets ?? []) {
      const held = this.marks[cell];
      over(at(cell, s('circle', { class: held ? 'target held' : 'target', r: held ? 43 : 15 })));
    }
    for (const cell of view.takes ?? []) over(at(cell, s('path', { class: 'take', d: 'M-18 -18 18 18M18 -18-18 18' })));
    for (const cell of view.closed ?? []) over(at(cell, s('polygon', { class: 'star', points: STAR })));
    for (const cell of view.resting ?? []) over(at(cell, s('path', { class: 'resting', d: 'M-9 -14V14M9 -14V14' })));
    for (const [cell, kind, text] of view.values ?? []) {
      over(at(cell, s('g', { class: `value ${kind}` }, s('circle', { cx: 30, cy: -30, r: 19 }), s('text', { x: 30, y: -23, text }))));
    }
    for (const [a, b, kind] of view.arrows ?? []) over(this.arrow(a, b, kind));
    for (const [cell, pawn] of this.pawns) {
      pawn.element.classList.toggle('active', cell === view.active);
      pawn.element.classList.toggle('picked', cell === view.selected);
      pawn.element.classList.toggle('lifted', (view.lifted ?? []).includes(cell));
      const place = (view.pattern ?? []).indexOf(cell);
      pawn.element.classList.toggle('wins', place >= 0);
      pawn.element.style.setProperty('--place', place);
    }
    if (this.grid) this.nameCells(view);
  }

  arrow(a, b, kind) {
    const [[x1, y1], [x2, y2]] = [this.at(a), this.at(b)];
    if (a === b) return s('circle', { class: `pointer ring ${kind}`, cx: x1, cy: y1, r: 44 });
    const length = Math.hypot(x2 - x1, y2 - y1);
    const turn = (Math.atan2(y2 - y1, x2 - x1) * 180) / Math.PI;
    const end = length - 18;
    return s('path', { class: `pointer ${kind}`, transform: `translate(${x1} ${y1}) rotate(${turn})`, d: `M14 -6H${end - 26}V-20L${end} 0 ${end - 26} 20V6H14Z` });
  }

  // A swap that may not be taken back: a broken line between its two cells.
  barrier(a, b) {
    const [[x1, y1], [x2, y2]] = [this.at(a), this.at(b)];
    const [x, y] = [(x1 + x2) / 2, (y1 + y2) / 2];
    return [s('line', { class: 'barred', x1, y1, x2, y2 }), s('path', { class: 'barred sign', d: `M${x - 13} ${y - 13}l26 26m0 -26l-26 26` })];
  }

  nameCells(view) {
    const has = (set, cell) => (set ?? []).includes(cell);
    for (const [cell, b] of this.buttons) {
      const place = this.places.get(cell);
      const said = [cell, t(`cell.${this.marks[cell] ?? 'empty'}`)];
      if (place && place !== 'normal') said.push(t(`place.${place}`));
      if (cell === view.active || cell === view.selected) said.push(t('cell.active'));
      else if (has(view.targets, cell)) said.push(t('cell.target'));
      else if (has(view.sources, cell)) said.push(t('cell.source'));
      if (has(view.takes, cell)) said.push(t('cell.take'));
      if (has(view.last, cell)) said.push(t('cell.last'));
      if (has(view.taken, cell)) said.push(t('cell.taken'));
      if (has(view.closed, cell)) said.push(t('cell.closed'));
      if (has(view.resting, cell)) said.push(t('cell.resting'));
      if (has(view.pattern, cell)) said.push(t('cell.pattern'));
      b.setAttribute('aria-label', said.join(', '));
      const can = has(view.targets, cell) || has(view.sources, cell) || has(view.takes, cell) || cell === view.active;
      b.classList.toggle('can', can);
      b.classList.toggle('drag', has(view.drags, cell));
    }
  }

  focus(cell) {
    if (!this.buttons.has(cell)) return;
    this.buttons.get(this.stop).tabIndex = -1;
    this.stop = cell;
    this.buttons.get(cell).tabIndex = 0;
    this.buttons.get(cell).focus();
  }

  // The nearest cell in a direction: boards have holes.
  beside(cell, dx, dy) {
    const [x, y] = this.at(cell);
    let best = null;
    let least = Infinity;
    for (const other of this.is.cells) {
      const [ox, oy] = this.at(other);
      const ahead = (ox - x) * dx + (oy - y) * dy;
      const aside = Math.abs((ox - x) * dy) + Math.abs((oy - y) * dx);
      if (ahead > 0 && aside <= ahead * 1.01 && ahead + 3 * aside < least) [best, least] = [other, ahead + 3 * aside];
    }
    return best;
  }

  cellUnder(event) {
    const box = this.svg.getBoundingClientRect();
    const x = ((event.clientX - box.left) / box.width) * this.is.files * U;
    const y = ((event.clientY - box.top) / box.height) * this.high;
    const far = (cell) => Math.hypot(this.at(cell)[0] - x, this.at(cell)[1] - y);
    const nearest = [...this.is.cells].sort((a, b) => far(a) - far(b))[0];
    return far(nearest) < 0.8 * U ? nearest : null;
  }

  listen() {
    const KEYS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
    let drag = null;
    let dragged = false;
    this.grid.addEventListener('click', (event) => {
      const cell = event.target.dataset.cell;
      if (cell && !dragged) this.onCell(cell, event.detail === 0);
      dragged = false;
    });
    this.grid.addEventListener('keydown', (event) => {
      const cell = event.target.dataset.cell;
      const way = KEYS[event.key];
      if (!cell || !way || event.altKey || event.ctrlKey || event.metaKey) return;
      event.preventDefault();
      event.stopPropagation();
      const next = this.beside(cell, ...way);
      if (next) this.focus(next);
    });
    for (const kind of ['pointerover', 'focusin']) this.grid.addEventListener(kind, (event) => this.onPoint(event.target.dataset.cell));
    for (const kind of ['pointerleave', 'focusout']) this.grid.addEventListener(kind, () => this.onPoint(null));
    this.grid.addEventListener('focusin', (event) => {
      const cell = event.target.dataset.cell;
      if (cell && cell !== this.stop) {
        this.buttons.get(this.stop).tabIndex = -1;
        this.stop = cell;
        event.target.tabIndex = 0;
      }
    });
    this.grid.addEventListener('pointerdown', (event) => {
      const cell = event.target.dataset.cell;
      dragged = false;
      if (!cell || event.button !== 0 || !this.pawns.has(cell) || !this.canDrag(cell)) return;
      drag = { cell, x: event.clientX, y: event.clientY, id: event.pointerId };
    });
    const move = (event) => {
      if (!drag || event.pointerId !== drag.id) return;
      const [dx, dy] = [event.clientX - drag.x, event.clientY - drag.y];
      if (!dragged && Math.hypot(dx, dy) < 8) return;
      if (!dragged) {
        dragged = true;
        this.grid.setPointerCapture(drag.id);
        this.onDrag?.(drag.cell);
      }
      const pawn = this.pawns.get(drag.cell);
      if (!pawn) return;
      const scale = (this.is.files * U) / this.svg.getBoundingClientRect().width;
      pawn.element.classList.add('dragged');
      this.layer.append(pawn.element);
      this.place(pawn.element, drag.cell, [dx * scale, dy * scale]);
    };
    const up = (event) => {
      if (!drag || event.pointerId !== drag.id) return;
      const { cell } = drag;
      drag = null;
      if (!dragged) return;
      const pawn = this.pawns.get(cell);
      pawn?.element.classList.remove('dragged');
      const target = event.type === 'pointerup' ? this.cellUnder(event) : null;
      if (pawn) this.place(pawn.element, cell);
      if (target && target !== cell) this.onDrop(cell, target);
      setTimeout(() => (dragged = false), 0);
    };
    this.grid.addEventListener('pointermove', move);
    this.grid.addEventListener('pointerup', up);
    this.grid.addEventListener('pointercancel', up);
  }
}
