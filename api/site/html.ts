/** Markup with everything put into it escaped, so that no text of a public page can become an element of ours. */

/** Markup that is finished: it is put into other markup as it is. */
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
const escaped = (text: string): string => text.replaceAll(/[&<>"']/g, (c) => ESCAPES[c] ?? c);

function textOf(piece: Piece): string {
  if (piece === null || piece === undefined || piece === false) return '';
  if (piece instanceof Html) return piece.text;
  if (typeof piece === 'object') return piece.map(textOf).join('');
  return escaped(String(piece));
}

/** Markup of a template; values are escaped unless they are markup themselves. Attributes must stand in double quotes. */
export const html = (strings: TemplateStringsArray, ...pieces: readonly Piece[]): Html =>
  new Html(strings.map((s, i) => s + textOf(pieces[i])).join(''));

/** Whether an address that somebody else published may be linked to. */
export const isWebAddress = (address: string): boolean => /^https?:\/\//i.test(address);
