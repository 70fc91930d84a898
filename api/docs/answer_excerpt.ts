/** Shortens responses for people: fewer fields and items at each deeper level, with a line for each cut. */

/** Fields shown of an object, by its depth; the last one is for all deeper objects. */
const FIELDS = [40, 6, 4, 3];
/** Items shown of a list. */
const ITEMS = 1;
const MAX_TEXT = 90;

export interface Excerpt {
  readonly text: string;
  readonly isShortened: boolean;
}

/** The answer as indented JSON in which … marks what is left out. */
export function excerptOf(answer: unknown): Excerpt {
  let isShortened = false;
  const cut = (line: string): string => {
    isShortened = true;
    return line;
  };
  const block = (lines: readonly string[], [open, close]: readonly [string, string], indent: string): string =>
    lines.length === 0
      ? open + close
      : `${open}\n${lines.map((line) => `${indent}  ${line}`).join(',\n')}\n${indent}${close}`;
  const textOf = (value: unknown, depth: number, indent: string): string => {
    if (typeof value === 'string' && value.length > MAX_TEXT)
      return cut(`${JSON.stringify(value.slice(0, MAX_TEXT)).slice(0, -1)}…"`);
    if (typeof value !== 'object' || value === null) return JSON.stringify(value);
    const inner = `${indent}  `;
    if (Array.isArray(value)) {
      const lines = value.slice(0, ITEMS).map((item) => textOf(item, depth + 1, inner));
      return block(
        value.length > ITEMS ? [...lines, cut(`… ${value.length - ITEMS} more`)] : lines,
        ['[', ']'],
        indent,
      );
    }
    const entries = Object.entries(value);
    const most = FIELDS[Math.min(depth, FIELDS.length - 1)] ?? 0;
    const lines = entries
      .slice(0, most)
      .map(([name, of]) => `${JSON.stringify(name)}: ${textOf(of, depth + 1, inner)}`);
    const left = entries.length - most;
    return block(
      left > 0 ? [...lines, cut(`… ${left} more ${left === 1 ? 'field' : 'fields'}`)] : lines,
      ['{', '}'],
      indent,
    );
  };
  return { text: textOf(answer, 0, ''), isShortened };
}
