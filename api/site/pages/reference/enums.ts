/** Every closed list of values, once: those of fields, of parameters and of answers, found by their values. */
import { enumsPath } from './paths.ts';
import { RECORDS } from './records.ts';

/** Owners of lists of values: a list that no record has is on the page of calls. */
export const CALLS = 'calls';
export const OWNERS: readonly string[] = [...RECORDS.map(({ name }) => name), CALLS];

export interface EnumUse {
  /** Name of the field or parameter, with the record or the path that it is part of. */
  readonly name: string;
  readonly owner: string;
  readonly href: string;
  readonly about: string;
  /** Whether it is a field of an answer, and of no record. */
  readonly isAnswer?: boolean;
}

export interface EnumEntry {
  /** Its anchor on the page of its owner. */
  readonly id: string;
  /** The record that has it first, or calls. */
  readonly owner: string;
  readonly values: readonly string[];
  readonly uses: readonly EnumUse[];
}

/** Text before the meanings of values, and the meaning of each value that is explained. */
export interface Meanings {
  readonly intro: string;
  readonly of: ReadonlyMap<string, string>;
}

const trimmed = (text: string): string => text.trim().replace(/[;,:]+$/u, '');

/** The meanings in a text such as "Kind of sale. sheriff_sale: by order of a court; tax_sale: for unpaid taxes." */
export function meaningsOf(values: readonly string[], about: string): Meanings {
  const starts = values
    .map((value) => ({ value, at: ` ${about}`.indexOf(` ${value}: `) }))
    .filter(({ at }) => at >= 0)
    .sort((a, b) => a.at - b.at);
  const of = new Map(
    starts.map(({ value, at }, i): [string, string] => [
      value,
      trimmed(about.slice(at + value.length + 2, starts[i + 1]?.at)),
    ]),
  );
  return { intro: trimmed(about.slice(0, starts[0]?.at)), of };
}

const keyOf = (values: readonly unknown[]): string => values.map(String).join(' ');

interface Entry {
  readonly id: string;
  readonly owner: string;
  readonly values: readonly string[];
  readonly uses: EnumUse[];
}

/** The lists of values, in the order in which they are added. */
export class Enums {
  readonly #byValues = new Map<string, Entry>();
  readonly #ids = new Set<string>();

  /** Adds a use. The first one names the list; lists of the same name have that of their owner, too. */
  add(values: readonly unknown[], use: EnumUse): void {
    const known = this.#byValues.get(keyOf(values));
    if (known) {
      known.uses.push(use);
      return;
    }
    const names = [use.name, `${use.owner}.${use.name}`].map((name) => name.replaceAll(/\.\*|[^\w.]/gu, ''));
    const id = names.find((name) => !this.#ids.has(name)) ?? `${names[1]}-${this.#ids.size}`;
    this.#ids.add(id);
    const owner = OWNERS.includes(use.owner) ? use.owner : CALLS;
    this.#byValues.set(keyOf(values), { id, owner, values: values.map(String), uses: [use] });
  }

  hrefOf(values: readonly unknown[]): string {
    const { owner = CALLS, id = '' } = this.#byValues.get(keyOf(values)) ?? {};
    return `${enumsPath(owner)}#${id}`;
  }

  get all(): readonly EnumEntry[] {
    return [...this.#byValues.values()].sort((a, b) => (a.id < b.id ? -1 : 1));
  }
}
