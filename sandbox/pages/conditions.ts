/**
 * The subset of SQL conditions for the open data portal and the map servers. Anything else is an error, as on the real
 * servers.
 */

/** An invalid condition or order, or an unknown column. */
export class ConditionError extends Error {}

export type Cell = string | number | null | undefined;
export type Row = Readonly<Record<string, Cell>>;
type Test = (row: Row) => boolean;
interface Token {
  readonly kind: 'word' | 'text' | 'number' | 'sign';
  readonly text: string;
}

function tokens(query: string): Token[] {
  const found: Token[] = [];
  const pattern = /\s*(?:'((?:[^']|'')*)'|([A-Za-z_:][\w:]*)|(-?\d+(?:\.\d+)?)|(<=|>=|!=|<>|=|<|>|\(|\)|,))/uy;
  while (pattern.lastIndex < query.trimEnd().length) {
    const at = pattern.lastIndex;
    const match = pattern.exec(query);
    if (!match) throw new ConditionError(`Could not parse query "${query}" at line 1 character ${at + 1}`);
    const [, text, word, number, sign] = match;
    if (text !== undefined) found.push({ kind: 'text', text: text.replaceAll("''", "'") });
    else if (word !== undefined) found.push({ kind: 'word', text: word });
    else if (number !== undefined) found.push({ kind: 'number', text: number });
    else found.push({ kind: 'sign', text: sign ?? '' });
  }
  return found;
}

/**
 * -1, 0 or 1. Compares numbers as numbers, days with or without a time as days, anything else as text.
 * @throws ConditionError for a text where a number or a timestamp is required
 */
function order(cell: string | number, wanted: string): number {
  if (typeof cell === 'number') {
    if (!Number.isFinite(Number(wanted))) throw new ConditionError(`Invalid value '${wanted}' of a numeric column`);
    return Math.sign(cell - Number(wanted));
  }
  const right = /^\d{4}-\d{2}-\d{2}$/u.test(wanted) && cell.includes('T') ? `${wanted}T00:00:00.000` : wanted;
  return cell === right ? 0 : cell < right ? -1 : 1;
}

const COMPARE: Readonly<Record<string, (sign: number) => boolean>> = {
  '=': (sign) => sign === 0,
  '!=': (sign) => sign !== 0,
  '<>': (sign) => sign !== 0,
  '<': (sign) => sign < 0,
  '<=': (sign) => sign <= 0,
  '>': (sign) => sign > 0,
  '>=': (sign) => sign >= 0,
};

class Parser {
  readonly #query: string;
  readonly #columns: readonly string[];
  readonly #tokens: readonly Token[];
  #at = 0;

  constructor(query: string, columns: readonly string[]) {
    this.#query = query;
    this.#columns = columns;
    this.#tokens = tokens(query);
  }

  parse(): Test {
    const test = this.#disjunction();
    if (this.#at < this.#tokens.length) this.#fail();
    return test;
  }

  #fail(): never {
    throw new ConditionError(
      `Could not parse query "${this.#query}" near ${JSON.stringify(this.#tokens[this.#at]?.text ?? 'its end')}`,
    );
  }

  #take(kind: Token['kind'], text: string): boolean {
    const token = this.#tokens[this.#at];
    if (token?.kind !== kind || token.text.toUpperCase() !== text) return false;
    this.#at += 1;
    return true;
  }

  /** A literal. "timestamp '2026-11-20 00:00:00'" is in milliseconds, as map servers store dates. */
  #value(): string {
    if (this.#take('word', 'TIMESTAMP')) {
      const ms = Date.parse(`${this.#value().replace(' ', 'T')}Z`);
      return Number.isNaN(ms) ? this.#fail() : String(ms);
    }
    const token = this.#tokens[this.#at];
    if (token?.kind !== 'text' && token?.kind !== 'number') return this.#fail();
    this.#at += 1;
    return token.text;
  }

  #compare(): (sign: number) => boolean {
    const token = this.#tokens[this.#at];
    const compare = COMPARE[token?.text ?? ''];
    if (token?.kind !== 'sign' || !compare) return this.#fail();
    this.#at += 1;
    return compare;
  }

  #comparison(): Test {
    const token = this.#tokens[this.#at];
    if (token?.kind === 'number') {
      // "1=1" selects everything.
      const left = Number(this.#value());
      const holds = this.#compare()(order(left, this.#value()));
      return () => holds;
    }
    if (token?.kind !== 'word') return this.#fail();
    const column = this.#columns.find((name) => name.toLowerCase() === token.text.toLowerCase());
    if (column === undefined) throw new ConditionError(`No such column: ${token.text}`);
    this.#at += 1;
    const cellTest =
      (test: (cell: string | number) => boolean): Test =>
      (row) => {
        const cell = row[column];
        return cell !== undefined && cell !== null && test(cell);
      };
    if (this.#take('word', 'IS')) {
      const not = this.#take('word', 'NOT');
      if (!this.#take('word', 'NULL')) this.#fail();
      return (row) => (row[column] === undefined || row[column] === null) !== not;
    }
    if (this.#take('word', 'BETWEEN')) {
      const low = this.#value();
      if (!this.#take('word', 'AND')) this.#fail();
      const high = this.#value();
      return cellTest((cell) => order(cell, low) >= 0 && order(cell, high) <= 0);
    }
    if (this.#take('word', 'IN')) {
      const accepted = this.#list();
      return cellTest((cell) => accepted.some((wanted) => order(cell, wanted) === 0));
    }
    if (this.#take('word', 'LIKE')) {
      const pattern = this.#value().split('%').map(RegExp.escape).join('.*');
      const form = new RegExp(`^${pattern}$`, 'su');
      return cellTest((cell) => form.test(String(cell)));
    }
    const compare = this.#compare();
    const wanted = this.#value();
    return cellTest((cell) => compare(order(cell, wanted)));
  }

  /** "('New', 'Open')". */
  #list(): readonly string[] {
    if (!this.#take('sign', '(')) this.#fail();
    const values = [this.#value()];
    while (this.#take('sign', ',')) values.push(this.#value());
    if (!this.#take('sign', ')')) this.#fail();
    return values;
  }

  #factor(): Test {
    if (this.#take('word', 'NOT')) {
      const inner = this.#factor();
      return (row) => !inner(row);
    }
    if (!this.#take('sign', '(')) return this.#comparison();
    const inner = this.#disjunction();
    if (!this.#take('sign', ')')) this.#fail();
    return inner;
  }

  #conjunction(): Test {
    let test = this.#factor();
    while (this.#take('word', 'AND')) {
      const [left, right] = [test, this.#factor()];
      test = (row) => left(row) && right(row);
    }
    return test;
  }

  #disjunction(): Test {
    let test = this.#conjunction();
    while (this.#take('word', 'OR')) {
      const [left, right] = [test, this.#conjunction()];
      test = (row) => left(row) || right(row);
    }
    return test;
  }
}

/**
 * A condition over columns, whose names are case-insensitive: comparisons, BETWEEN, IN, LIKE with "%", IS [NOT] NULL,
 * joined by AND, OR, NOT and parentheses.
 * @throws ConditionError if it is malformed or names an unknown column
 */
export const parseWhere = (query: string, columns: readonly string[]): Test => new Parser(query, columns).parse();

/** A comparison of rows from an order such as "entityformdate desc, entityid". @throws ConditionError */
export function parseOrder(query: string, columns: readonly string[]): (a: Row, b: Row) => number {
  const keys = query.split(',').map((part) => {
    const match = /^\s*(:?\w+)(?:\s+(asc|desc))?\s*$/iu.exec(part);
    const column = columns.find((name) => name.toLowerCase() === match?.[1]?.toLowerCase());
    if (column === undefined) throw new ConditionError(`No such column: ${part.trim()}`);
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
