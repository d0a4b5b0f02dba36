// Building of elements, buttons and dialogs. No element is made by parsing text, so that typed text is
// never interpreted as HTML.

/** @typedef {Node | string | number | null | undefined | false} Child */
/** @typedef {Child | readonly Child[] | readonly (Child | readonly Child[])[]} Children */
/** @typedef {Record<string, any>} Attributes Attributes, `on…` listeners, and `text` and `value`. */

export const SVG = 'http://www.w3.org/2000/svg';

/**
 * @template {Element} E
 * @param {E} element
 * @param {Attributes} attributes
 * @param {Children[]} children
 * @returns {E}
 */
function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith('on')) element.addEventListener(name.slice(2), value);
    else if (name === 'text') element.textContent = value;
    else if (name === 'value' && 'value' in element) element.value = value;
    else element.setAttribute(name, value === true ? '' : value);
  }
  for (const child of /** @type {Child[]} */ (children.flat(Infinity))) {
    if (child !== null && child !== undefined && child !== false) element.append(/** @type {any} */ (child));
  }
  return element;
}

/**
 * @template {keyof HTMLElementTagNameMap} K
 * @param {K} tag
 * @param {Attributes} [attributes]
 * @param {...Children} children
 */
export const h = (tag, attributes = {}, ...children) =>
  fill(document.createElement(tag), attributes, children);

/**
 * @template {keyof SVGElementTagNameMap} K
 * @param {K} tag
 * @param {Attributes} [attributes]
 * @param {...Children} children
 */
export const s = (tag, attributes = {}, ...children) =>
  fill(document.createElementNS(SVG, tag), attributes, children);

/**
 * Return the first element that matches a selector. Throws if there is none.
 *
 * @param {string} selector
 * @param {ParentNode} [root]
 * @returns {HTMLElement}
 */
export function getElement(selector, root = document) {
  const found = root.querySelector(selector);
  if (!(found instanceof HTMLElement)) throw new Error(`no ${selector}`);
  return found;
}

/**
 * Return the value of the field that an event is about.
 *
 * @param {Event} event
 */
export const inputValue = (event) => /** @type {HTMLInputElement} */ (event.target).value;

/** @type {Record<string, string>} */
const ICONS = {
  back: 'M9 5 3 11l6 6M3 11h11a6 6 0 0 1 0 12h-3',
  hint: 'M9 18h6M10 22h4M12 2a7 7 0 0 0-4 12.7V16h8v-1.3A7 7 0 0 0 12 2z',
  flip: 'M7 3v18M7 3 3 7m4-4 4 4M17 21V3m0 18-4-4m4 4 4-4',
  flag: 'M5 22V3m0 1h13l-3 4.5L18 13H5',
  more: 'M4 6h16M4 12h16M4 18h16',
  plus: 'M12 4v16M4 12h16',
  chart: 'M3 3v18h18M7 15l4-5 4 3 5-7',
  download: 'M12 3v13m0 0 5-5m-5 5-5-5M5 21h14',
  share: 'M12 3v13M12 3 7 8m5-5 5 5M5 14v7h14v-7',
  book: 'M4 4h6a2 2 0 0 1 2 2v14a2 2 0 0 0-2-2H4zM20 4h-6a2 2 0 0 0-2 2v14a2 2 0 0 1 2-2h6z',
  moon: 'M20 14.5A8.5 8.5 0 0 1 9.5 4 8.5 8.5 0 1 0 20 14.5z',
  sun: 'M12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8zM12 1v3m0 16v3M1 12h3m16 0h3M4 4l2 2m12 12 2 2M20 4l-2 2M6 18l-2 2',
  sound: 'M4 9v6h4l5 5V4L8 9zM17 8a6 6 0 0 1 0 8M20 5a10 10 0 0 1 0 14',
  mute: 'M4 9v6h4l5 5V4L8 9zM17 9l5 6M22 9l-5 6',
  first: 'M6 5v14M19 5l-9 7 9 7z',
  prev: 'M16 5l-9 7 9 7z',
  next: 'M8 5l9 7-9 7z',
  last: 'M18 5v14M5 5l9 7-9 7z',
  play: 'M7 4l13 8-13 8z',
  pause: 'M8 4v16M16 4v16',
  edit: 'M4 20h4L19 9l-4-4L4 16zM13 7l4 4',
  check: 'M4 12l6 6L20 6',
  cross: 'M6 6l12 12M18 6 6 18',
  restart: 'M4 12a8 8 0 1 1 3 6.2M4 21v-5h5',
  palette: 'M12 3a9 9 0 1 0 0 18c3 0 1-3 2-4s7 1 7-5-4-9-9-9zM7.5 12h.01M10 7.5h.01M15 7.5h.01',
  people:
    'M9 4a4 4 0 1 0 0 8 4 4 0 0 0 0-8zM2 21c0-4 3-6 7-6s7 2 7 6M16 4.3a4 4 0 0 1 0 7.4M18 15.6c3 1 4 3 4 5.4',
  draw: 'M5 9h14M5 15h14',
  link: 'M10 14a5 5 0 0 0 7 0l3-3a5 5 0 0 0-7-7l-1.5 1.5M14 10a5 5 0 0 0-7 0l-3 3a5 5 0 0 0 7 7l1.5-1.5',
  bell: 'M6 17V11a6 6 0 0 1 12 0v6l2 2H4zM10 22h4',
  grid: 'M4 4h16v16H4zM4 9.5h16M4 14.5h16M9.5 4v16M14.5 4v16',
  bin: 'M4 7h16M9 7V4h6v3M6 7l1 14h10l1-14',
  gear: 'M4 7h10M18 7h2M4 17h2M10 17h10M16 4.5v5M8 14.5v5',
};

/** @param {string} name */
export const icon = (name) =>
  s('svg', { class: 'icon', viewBox: '0 0 24 24', 'aria-hidden': 'true' }, s('path', { d: ICONS[name] }));

/**
 * Return a button with an icon and a label; a quiet one has the label for screen readers only.
 *
 * @param {string} label
 * @param {string | null} name
 * @param {() => void} onclick
 * @param {{ quiet?: boolean, cls?: string }} [how]
 */
export function button(label, name, onclick, { quiet = false, cls = '' } = {}) {
  const spoken = quiet ? label : null;
  return h(
    'button',
    { type: 'button', class: cls, onclick: () => onclick(), title: spoken, 'aria-label': spoken },
    name ? icon(name) : null,
    quiet ? null : h('span', {}, label),
  );
}

/**
 * Save a file on the player's device.
 *
 * @param {string} name
 * @param {Blob} content
 */
export function saveFile(name, content) {
  const href = URL.createObjectURL(content);
  h('a', { href, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(href), 60_000);
}

/**
 * Return a button that saves a file. The file is made when the button is pressed.
 *
 * @param {string} label
 * @param {string} name
 * @param {() => Promise<Blob>} make
 */
export const saveButton = (label, name, make) =>
  button(label, 'download', async () => saveFile(name, await make()), {
    cls: `save ${name.split('.')[1]}`,
  });

/**
 * Open a dialog with a close button; it is removed from the page when closed.
 *
 * @param {string} title
 * @param {string} closeLabel
 * @param {...Children} content
 */
export function dialog(title, closeLabel, ...content) {
  const close = h(
    'button',
    { type: 'button', class: 'close', 'aria-label': closeLabel, onclick: () => box.close() },
    '×',
  );
  const box = h(
    'dialog',
    { class: 'box', 'aria-label': title },
    h('div', { class: 'box-head' }, h('h2', {}, title), close),
    ...content,
  );
  box.addEventListener('close', () => box.remove());
  box.addEventListener('click', (event) => {
    if (event.target === box) box.close();
  });
  document.body.append(box);
  box.showModal();
  return box;
}

/** @type {Map<string, Promise<void>>} */
const sheets = new Map();

/**
 * Load a style sheet once. The promise is also resolved if loading fails.
 *
 * @param {string} name
 */
export function loadStyleSheet(name) {
  const known = sheets.get(name);
  if (known) return known;
  const href = new URL(`../css/${name}`, import.meta.url).href;
  /** @type {Promise<void>} */
  const loaded = new Promise((done) => {
    const over = () => done();
    document.head.append(h('link', { rel: 'stylesheet', href, onload: over, onerror: over }));
  });
  sheets.set(name, loaded);
  return loaded;
}

export const prefersReducedMotion = () => matchMedia('(prefers-reduced-motion: reduce)').matches;

/**
 * Wait; an abort ends the waiting early and is no error.
 *
 * @param {number} ms
 * @param {AbortSignal} [signal]
 * @returns {Promise<void>}
 */
export const wait = (ms, signal) =>
  new Promise((done) => {
    const timer = setTimeout(done, signal?.aborted ? 0 : ms);
    const cut = () => {
      clearTimeout(timer);
      done();
    };
    signal?.addEventListener('abort', cut, { once: true });
  });
