// Laboratory page: the published report on a game, and a short run for any rules.

import { link } from '../core/address.js';
import { gameList, RequestError, request } from '../core/api.js';
import { button, h, loadStyleSheet } from '../core/dom.js';
import { formatNumber, gameName, t } from '../core/i18n.js';
import { ruleOptions } from '../play/new-game.js';

/** @import { Address } from '../core/address.js' */

/**
 * Build the laboratory page of a game.
 *
 * @param {Address} address
 */
export async function labPage(address) {
  await loadStyleSheet('lab.css');
  const { games } = await gameList();
  const rules = games.find(({ name }) => name === address.game) ?? games[0];
  const leaving = new AbortController();
  const pictures = new Pictures();
  const report = h('div', { class: 'report' });
  const show = (/** @type {Api.LabReport} */ content) => {
    pictures.forget();
    report.replaceChildren(...describeReport(content, pictures));
  };
  const links = games.map(({ name }) =>
    h(
      'a',
      { href: link('lab', name, []), 'aria-current': name === rules.name ? 'page' : null },
      gameName(name),
    ),
  );
  const element = h(
    'div',
    { class: 'lab-page' },
    h('nav', { class: 'games', 'aria-label': t('rules.games') }, links),
    h('h1', {}, t('lab.title', { game: gameName(rules.name) })),
    h('p', { class: 'faint' }, t('lab.about')),
    runForm(rules, { ...address.options }, show, leaving.signal),
    report,
  );
  if (!Object.keys(address.options).length) {
    const published = await request('lab/report', { game: rules.name }, leaving.signal).catch((error) => {
      if (!(error instanceof RequestError) || error.status !== 404) throw error;
      return null;
    });
    if (published) show(published);
  }
  const leave = () => {
    leaving.abort();
    pictures.forget();
  };
  return { element, leave };
}

/**
 * Build the form that starts a short run, with its progress.
 *
 * @param {Api.GameDescription} rules
 * @param {Record<string, string>} options
 * @param {(report: Api.LabReport) => void} show
 * @param {AbortSignal} leaving
 */
function runForm(rules, options, show, leaving) {
  const message = h('p', { class: 'feedback', role: 'status' });
  const bar = h('progress', { max: '1', 'aria-label': t('lab.progress') });
  /** @type {AbortController | null} */
  let running = null;
  const begin = button(t('lab.run'), 'play', () => start().catch(() => {}), { cls: 'main' });
  const stop = button(t('lab.stop'), 'pause', () => running?.abort());
  const draw = () => {
    begin.hidden = running !== null;
    stop.hidden = running === null;
    bar.hidden = running === null;
  };

  async function start() {
    running = new AbortController();
    bar.value = 0;
    message.textContent = t('lab.begun');
    draw();
    stop.focus();
    try {
      const signal = AbortSignal.any([running.signal, leaving]);
      show(await shortRun({ game: rules.name, options: { ...options } }, signal, showProgress));
      message.textContent = t('lab.done');
    } catch (error) {
      if (running.signal.aborted) message.textContent = t('lab.stopped');
      else if (error instanceof RequestError) message.textContent = error.message;
      else throw error;
    } finally {
      running = null;
      draw();
      begin.focus();
    }
  }

  /**
   * @param {number} part
   * @param {number} seconds
   */
  function showProgress(part, seconds) {
    bar.value = part;
    const left = Math.ceil((seconds * (1 - part)) / Math.max(part, 0.01));
    message.textContent = t('lab.left', { seconds: formatNumber(left) });
  }

  draw();
  return h(
    'section',
    { class: 'run', 'aria-label': t('lab.run') },
    ruleOptions(rules, options),
    h('div', { class: 'row' }, begin, stop, bar),
    message,
  );
}

/**
 * Run the laboratory in stretches until the report is complete. This page keeps the results between them.
 *
 * @param {{ game: string, options: Record<string, string> }} rules
 * @param {AbortSignal} signal
 * @param {(part: number, seconds: number) => void} onProgress
 * @returns {Promise<Api.LabReport>}
 */
async function shortRun(rules, signal, onProgress) {
  const begun = performance.now();
  /** @type {Record<string, string>} */
  const results = {};
  for (;;) {
    const stretch = await request('lab/run', { ...rules, results }, signal);
    if (stretch.report) return stretch.report;
    Object.assign(results, stretch.results);
    onProgress(stretch.part, (performance.now() - begun) / 1000);
  }
}

// Addresses of pictures, which live until they are forgotten.
class Pictures {
  constructor() {
    /** @type {string[]} */
    this.addresses = [];
  }

  /**
   * Return an image of an SVG text.
   *
   * @param {Api.LabPicture} picture
   */
  show({ svg, text }) {
    const src = URL.createObjectURL(new Blob([svg], { type: 'image/svg+xml' }));
    this.addresses.push(src);
    return h('figure', {}, h('img', { src, alt: text }), h('figcaption', {}, text));
  }

  forget() {
    for (const address of this.addresses.splice(0)) URL.revokeObjectURL(address);
  }
}

/**
 * Build the elements of a report.
 *
 * @param {Api.LabReport} report
 * @param {Pictures} pictures
 */
function describeReport({ title, summary, about, sections }, pictures) {
  const list = h(
    'ul',
    { class: 'summary' },
    summary.map((sentence) => h('li', {}, sentence)),
  );
  const paragraphs = about.map((text) => h('p', { class: 'faint' }, text));
  return [h('h2', {}, title), list, ...paragraphs, ...sections.map((one) => describeSection(one, pictures))];
}

/**
 * @param {Api.LabSection} section
 * @param {Pictures} pictures
 */
function describeSection({ title, note, tables, pictures: shown }, pictures) {
  const figures = tables.length - 1;
  return h(
    'section',
    {},
    h('h3', {}, title),
    h('p', {}, note),
    tables.map((table, k) =>
      k < figures
        ? [h('h4', {}, table.title), describeTable(table)]
        : h('details', {}, h('summary', {}, t('lab.figures')), describeTable(table)),
    ),
    h(
      'div',
      { class: 'pictures' },
      shown.map((picture) => pictures.show(picture)),
    ),
  );
}

/** @param {Api.LabTable} table */
function describeTable({ title, head, rows }) {
  const heads = head.map((text) => h('th', { scope: 'col' }, text));
  const body = rows.map(([name, ...cells]) =>
    h(
      'tr',
      {},
      h('th', { scope: 'row' }, name),
      cells.map((cell) => h('td', {}, cell)),
    ),
  );
  const table = h('table', {}, h('thead', {}, h('tr', {}, heads)), h('tbody', {}, body));
  return h('div', { class: 'scroll', role: 'region', 'aria-label': title, tabindex: '0' }, table);
}
