/** Elements that several pages share. */
import { element, html, isWebAddress, type Attributes, type Html, type Piece } from './html.ts';

export const link = (href: string, label: Piece, attributes: Attributes = {}): Html =>
  element('a', { href, ...attributes }, label);

/** A link to another site, without a referrer; plain text if the address is no http URL. */
export const externalLink = (address: string, label: Piece): Piece =>
  isWebAddress(address) ? link(address, label, { rel: 'noreferrer nofollow' }) : label;

export const h2 = (title: Piece, id?: string): Html => element('h2', { id }, title);

/** The page above this one, over its title. */
export const above = (href: string, label: Piece): Html => html`<p class="eyebrow">${link(href, label)}</p>`;

export const list = (items: readonly Piece[], className?: string): Html =>
  element(
    'ul',
    { class: className },
    items.map((item) => html`<li>${item}</li>`),
  );

/** Commas between the pieces. */
export const listed = (pieces: readonly Piece[]): Piece =>
  pieces.flatMap((piece, i): Piece[] => (i === 0 ? [piece] : [', ', piece]));

export type Tone = 'good' | 'thin' | 'bad' | 'plain';
export const tag = (tone: Tone, text: Piece): Html => html`<span class="tag ${tone}">${text}</span>`;
export const outcome = (tone: Tone, ...text: readonly Piece[]): Html => html`<p class="outcome ${tone}">${text}</p>`;

/** A second line of a cell, smaller. */
export const sub = (...text: readonly Piece[]): Html => html`<span class="sub">${text}</span>`;

/** What is rarely read, behind a line. */
export const fold = (summary: Piece, ...content: readonly Piece[]): Html =>
  html`<details>
    <summary>${summary}</summary>
    ${content}
  </details>`;

/** Text to copy: code, a URL, a command. With JavaScript it has a button that copies it. */
export const code = (label: string, text: Piece): Html =>
  html`<figure class="code-box">
    <figcaption>${label}</figcaption>
    <pre class="code" tabindex="0" role="region" aria-label="${label}"><code>${text}</code></pre>
  </figure>`;

export interface TableColumn {
  readonly label: string;
  /** A column of figures, set to the right. */
  readonly isNumeric?: boolean;
}
type Columns = readonly (string | TableColumn)[];
type Rows = readonly (readonly Piece[])[];

/** A column of figures. */
export const num = (label: string): TableColumn => ({ label, isNumeric: true });

/** Anything that scrolls sideways on a narrow screen, also by keyboard. */
export const wideTable = (label: string, table: Html): Html =>
  html`<div class="wide" role="region" aria-label="${label}" tabindex="0">${table}</div>`;

/**
 * A table. The first cell of a row is its header; caption '' is none. Rows of cards have explicit roles, because
 * browsers drop the semantics of a table that is laid out as blocks.
 */
function tableOf(isCards: boolean, caption: Piece, columns: Columns, rows: Rows): Html {
  const known = columns.map((column) => (typeof column === 'string' ? { label: column } : column));
  const cell = (name: 'th' | 'td', role: string, i: number, content: Piece, more: Attributes): Html => {
    const isNumeric = i > 0 && known[i]?.isNumeric === true;
    return element(name, { ...more, role: isCards && role, class: isNumeric && 'num' }, content);
  };
  const row = (cells: readonly Html[]): Html => element('tr', { role: isCards && 'row' }, cells);
  const group = (name: string, inside: Piece): Html => element(name, { role: isCards && 'rowgroup' }, inside);
  const head = row(known.map(({ label }, i) => cell('th', 'columnheader', i, label, { scope: 'col' })));
  const body = rows.map(([first, ...others]) => {
    const more = others.map((content, i) =>
      cell('td', 'cell', i + 1, content, { 'data-label': isCards && (known[i + 1]?.label ?? '') }),
    );
    return row([cell('th', 'rowheader', 0, first, { scope: 'row' }), ...more]);
  });
  return element(
    'table',
    { class: isCards && 'cards', role: isCards && 'table' },
    caption !== '' && element('caption', {}, caption),
    group('thead', head),
    group('tbody', body),
  );
}

/** A table that scrolls sideways on a narrow screen. */
export const plainTable = (caption: Piece, label: string, columns: Columns, rows: Rows): Html =>
  wideTable(label, tableOf(false, caption, columns, rows));

/** A table whose rows become cards on a narrow screen. */
export const cardTable = (caption: Piece, columns: Columns, rows: Rows): Html => tableOf(true, caption, columns, rows);

/** The row of figures at the top of a page. */
export const figures = (...items: readonly (readonly [label: Piece, value: Piece, note?: Piece])[]): Html =>
  html`<dl class="figures">
    ${items.map(
      ([label, value, note]) =>
        html`<div>
          <dt>${label}</dt>
          <dd>${value}${note !== undefined && html`<small>${note}</small>`}</dd>
        </div>`,
    )}
  </dl>`;

/** Terms, each with what is said of it and an anchor. `pairs` has figures at the right, the others have text. */
export const terms = (kind: 'pairs' | 'page-facts' | 'formulas', rows: Rows): Html =>
  html`<dl class="${kind}">
    ${rows.map(([term, about, id]) =>
      element(
        'div',
        { id: typeof id === 'string' ? id : undefined },
        element('dt', {}, term),
        element('dd', {}, about),
      ),
    )}
  </dl>`;

/** The terms of a record of texts. */
export const facts = (texts: Readonly<Record<string, Piece>>): Html => terms('page-facts', Object.entries(texts));
