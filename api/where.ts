/** Conditions of a query in SQL, put together with AND, and the values they take. */
import type { DuckDBValue } from '@duckdb/node-api';

/** Values are numbered as they come. */
export class Where {
  readonly #conditions: string[] = [];
  readonly values: DuckDBValue[] = [];

  /** Add a condition; each `?` stands for the next of the values. */
  add(condition: string, ...values: readonly DuckDBValue[]): this {
    const first = this.values.length;
    this.values.push(...values);
    let next = first;
    this.#conditions.push(condition.replaceAll('?', () => `$${(next += 1)}`));
    if (next !== this.values.length) throw new Error(`${condition} takes ${next - first} values`);
    return this;
  }

  /** Add a condition where the value is given. */
  when(condition: string, value: DuckDBValue | undefined): this {
    return value === undefined ? this : this.add(condition, value);
  }

  copy(): Where {
    const other = new Where();
    other.#conditions.push(...this.#conditions);
    other.values.push(...this.values);
    return other;
  }

  toString(): string {
    return this.#conditions.length === 0 ? '' : ` WHERE ${this.#conditions.map((c) => `(${c})`).join(' AND ')}`;
  }
}
