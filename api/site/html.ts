/** HTML templates that escape their values, so that text of a public page cannot become markup. */

/** Finished markup, which is inserted without escaping. */
export class Html {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

export type Piece = Html | string | number | null | undefined | false | readonly Piece[];

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};
const escaped = (text: string): string => text.replaceAll(/[&<>"']/g, (character) => ESCAPES[character] ?? character);

function textOf(piece: Piece): string {
  if (piece === null || piece === undefined || piece === false) return '';
  if (piece instanceof Html) return piece.text;
  if (typeof piece === 'object') return piece.map(textOf).join('');
  return escaped(String(piece));
}

/** Elements around which white space has no effect. */
const BLOCKS =
  'html|head|body|meta|link|script|title|main|header|footer|nav|aside|section|div|p|h[1-6]|ul|ol|li|dl|dt|dd|table|' +
  'caption|thead|tbody|tr|th|td|form|select|option|details|summary|figure|figcaption|picture|source|rect|circle|text';
const AROUND_BLOCKS = new RegExp(`\\n(?=</?(?:${BLOCKS})\\b)|(?<=</?(?:${BLOCKS})\\b[^<>]*>)\\n`, 'g');

/** A template without its indentation, which is a third of a page. Values keep their lines, because some are code. */
const withoutIndentation = (literal: string): string =>
  literal
    .replaceAll(/\s*\n\s*/g, '\n')
    .replaceAll(/\n(?=\/?>)/g, '')
    .replaceAll(AROUND_BLOCKS, '');

const templates = new WeakMap<TemplateStringsArray, readonly string[]>();

function literalsOf(strings: TemplateStringsArray): readonly string[] {
  let literals = templates.get(strings);
  if (!literals) templates.set(strings, (literals = strings.map(withoutIndentation)));
  return literals;
}

/** Markup from a template; values are escaped unless they are Html. Attributes must be in double quotes. */
export const html = (strings: TemplateStringsArray, ...pieces: readonly Piece[]): Html =>
  new Html(
    literalsOf(strings)
      .map((literal, i) => literal + textOf(pieces[i]))
      .join(''),
  );

const VOID: ReadonlySet<string> = new Set(['input', 'link', 'meta']);

/** Computed attributes. Absent and false ones are left out; true has no value. */
export type Attributes = Readonly<Record<string, string | number | boolean | undefined>>;

/** An element with computed attributes. */
export function element(name: string, attributes: Attributes, ...content: readonly Piece[]): Html {
  const shown = Object.entries(attributes).map(([attribute, value]) => {
    if (value === undefined || value === false) return '';
    return value === true ? ` ${attribute}` : ` ${attribute}="${escaped(String(value))}"`;
  });
  return new Html(`<${name}${shown.join('')}>${textOf(content)}${VOID.has(name) ? '' : `</${name}>`}`);
}

/** Whether a published address is an http URL, which may be linked. */
export const isWebAddress = (address: string): boolean => /^https?:\/\//i.test(address);
