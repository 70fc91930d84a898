/** The small part of SoQL that the Colorado register is asked with. What it does not know is an error, as at the real site. */

export class SoqlError extends Error {}

type Row = Readonly<Record<string, string>>;
type Test = (row: Row) => boolean;
type Token = { readonly kind: 'word' | 'text' | 'number' | 'sign'; readonly text: string };

function tokens(query: string): Token[] {
  const found: Token[] = [];
  const pattern = /\s*(?:'((?:[^']|'')*)'|([A-Za-z_:][\w:]*)|(\d+(?:\.\d+)?)|(<=|>=|!=|<>|=|<|>|\(|\)|,))/uy;
  while (pattern.lastIndex < query.trimEnd().length) {
    const at = pattern.lastIndex;
    const match = pattern.exec(query);
    if (!match) throw new SoqlError(`Could not parse SoQL query "${query}" at line 1 character ${at + 1}`);
    const [, text, word, number, sign] = match;
    found.push(text !== undefined ? { kind: 'text', text: text.replaceAll('\'\'', '\'') }
      : word !== undefined ? { kind: 'word', text: word } : number !== undefined ? { kind: 'number', text: number } : { kind: 'sign', text: sign ?? '' });
  }
  return found;
}

/** Dates compare with or without their time. */
const comparable = (column: string, value: string): string => (column.endsWith('date') && /^\d{4}-\d{2}-\d{2}$/u.test(value) ? `${value}T00:00:00.000` : value);

const COMPARE: Readonly<Record<string, (a: string, b: string) => boolean>> = {
  '=': (a, b) => a === b, '!=': (a, b) => a !== b, '<>': (a, b) => a !== b, '<': (a, b) => a < b, '<=': (a, b) => a <= b, '>': (a, b) => a > b, '>=': (a, b) => a >= b,
};

/**
 * A $where clause: comparisons, BETWEEN, IS [NOT] NULL, joined by AND, OR, NOT and parentheses.
 * @throws SoqlError where it is malformed or names a column that is not there
 */
export function parseWhere(query: string, columns: readonly string[]): Test {
  const all = tokens(query);
  let at = 0;
  const fail = (): never => { throw new SoqlError(`Could not parse SoQL query "${query}" near ${JSON.stringify(all[at]?.text ?? 'end of input')}`); };
  const isWord = (text: string): boolean => all[at]?.kind === 'word' && all[at]?.text.toUpperCase() === text;
  const isSign = (text: string): boolean => all[at]?.kind === 'sign' && all[at]?.text === text;
  const take = (test: boolean): boolean => {
    if (test) at += 1;
    return test;
  };
  const need = (test: boolean): void => { if (!take(test)) fail(); };
  const value = (): string => {
    const token = all[at];
    if (token?.kind !== 'text' && token?.kind !== 'number') return fail();
    at += 1;
    return token.text;
  };

  const comparison = (): Test => {
    const token = all[at];
    if (token?.kind !== 'word') return fail();
    const column = token.text.toLowerCase();
    if (!columns.includes(column)) throw new SoqlError(`No such column: ${column}`);
    at += 1;
    if (take(isWord('IS'))) {
      const not = take(isWord('NOT'));
      need(isWord('NULL'));
      return (row) => (row[column] === undefined) !== not;
    }
    if (take(isWord('BETWEEN'))) {
      const low = comparable(column, value());
      need(isWord('AND'));
      const high = comparable(column, value());
      return (row) => { const cell = row[column]; return cell !== undefined && cell >= low && cell <= high; };
    }
    const compare = COMPARE[all[at]?.text ?? ''];
    if (all[at]?.kind !== 'sign' || !compare) return fail();
    at += 1;
    const wanted = comparable(column, value());
    return (row) => { const cell = row[column]; return cell !== undefined && compare(cell, wanted); };
  };
  const factor = (): Test => {
    if (take(isWord('NOT'))) { const inner = factor(); return (row) => !inner(row); }
    if (!take(isSign('('))) return comparison();
    const inner = either();
    need(isSign(')'));
    return inner;
  };
  const both = (): Test => {
    let test = factor();
    while (take(isWord('AND'))) { const [left, right] = [test, factor()]; test = (row) => left(row) && right(row); }
    return test;
  };
  const either = (): Test => {
    let test = both();
    while (take(isWord('OR'))) { const [left, right] = [test, both()]; test = (row) => left(row) || right(row); }
    return test;
  };
  const test = either();
  if (at < all.length) fail();
  return test;
}

/** An $order clause as a comparison of rows. @throws SoqlError */
export function parseOrder(query: string, columns: readonly string[]): (a: Row, b: Row) => number {
  const keys = query.split(',').map((part) => {
    const match = /^\s*(:?\w+)(?:\s+(asc|desc))?\s*$/iu.exec(part);
    const column = match?.[1]?.toLowerCase() === ':id' ? 'entityid' : match?.[1]?.toLowerCase();
    if (column === undefined || !columns.includes(column)) throw new SoqlError(`No such column: ${column ?? part.trim()}`);
    return { column, sign: match?.[2]?.toLowerCase() === 'desc' ? -1 : 1 };
  });
  return (a, b) => {
    for (const { column, sign } of keys) {
      const [left, right] = [a[column] ?? '', b[column] ?? ''];
      if (left !== right) return left < right ? -sign : sign;
    }
    return 0;
  };
}
