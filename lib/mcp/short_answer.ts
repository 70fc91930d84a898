/** Short answers for agents: counts, the first records, and the names of the omitted fields. */
import { z } from 'zod';
import { isObject, type JsonObject } from '../json.ts';
import { ArgumentError } from './results.ts';

/** Records shown without `show`, and at most. */
const SHOWN = 5;
const MAX_SHOWN = 500;
/** Characters of an answer besides its records: free ones are for choosing what to buy. */
const FREE_CHARACTERS = 2_200;
const BOUGHT_CHARACTERS = 12_000;
/** Characters of all records together, and of one requested part. */
const MAX_CHARACTERS = 60_000;
/** Shorter values are always shown, such as counts, ids and dates. */
const SMALL_CHARACTERS = 80;
/** A record that is longer is shown without its nested fields above the second length, unless `fields` chose them. */
const WHOLE_RECORD_CHARACTERS = 1_200;
const NESTED_CHARACTERS = 150;

/** Arguments of every tool that choose what is shown. They change neither the request nor its price. */
export const VIEW_PROPERTIES = {
  show: { type: 'integer' },
  part: { type: 'string' },
  from: { type: 'integer' },
} as const;

/** What they mean, once for all tools. */
export const VIEW_HELP =
  `Every tool shows a short answer: show is the number of records (default ${SHOWN}), from the records to skip, part ` +
  'one part only, such as records.0 or a.b. They change neither the call nor its price. limit is the number of ' +
  'records that a call buys (default 20): up to 500 cost the same, as do more fields. No match, no charge.';

const View = z.object({
  show: z.coerce.number().int().min(1).max(MAX_SHOWN).default(SHOWN),
  from: z.coerce.number().int().min(0).default(0),
  part: z.string().max(200).optional(),
});
export interface View extends z.output<typeof View> {
  /** Whether the call chose the fields of records: then all of them are shown. */
  readonly hasFields: boolean;
}

/** Arguments of a call: those of the view, and the others. @throws ArgumentError */
export function readView(given: Readonly<Record<string, unknown>>): { view: View; rest: Record<string, unknown> } {
  const { show, from, part, ...rest } = given;
  const parsed = View.safeParse({ show: show ?? undefined, from: from ?? undefined, part: part ?? undefined });
  if (parsed.success) return { view: { ...parsed.data, hasFields: 'fields' in rest }, rest };
  throw new ArgumentError(
    `show is a whole number from 1 to ${MAX_SHOWN}, from a whole number of 0 or more, and part the name of a field.`,
  );
}

/** An answer, or one part of it, as an agent sees it. */
interface ShortAnswer {
  readonly body?: unknown;
  readonly part?: { readonly name: string; readonly value: unknown };
  /** Which records are shown, if not all. */
  readonly shown?: string;
  /** Omitted fields with their length in characters; for records, the longest. */
  readonly left_out?: Readonly<Record<string, number>>;
}

const lengthOf = (value: unknown): number => JSON.stringify(value)?.length ?? 0;

/** The items from `from` on that fit into `room` characters, at least `least`; the range "5 to 9 of 20" if not all. */
function sliceOf(items: readonly unknown[], { from, show }: View, room: number, least: number) {
  const taken: unknown[] = [];
  let characters = 0;
  for (const item of items.slice(from, from + show)) {
    const length = lengthOf(item) + 1;
    if (taken.length >= least && characters + length > room) break;
    taken.push(item);
    characters += length;
  }
  const first = taken.length === 0 ? 'none' : `${from + 1} to ${from + taken.length}`;
  return { items: taken, characters, range: taken.length === items.length ? undefined : `${first} of ${items.length}` };
}

/** A long record without its long nested fields, whose lengths go into `leftOut`. */
function shortRecord(record: unknown, list: string, leftOut: Record<string, number>): unknown {
  if (!isObject(record) || lengthOf(record) <= WHOLE_RECORD_CHARACTERS) return record;
  return Object.fromEntries(
    Object.entries(record).filter(([name, value]) => {
      const length = lengthOf(value);
      if (typeof value !== 'object' || length <= NESTED_CHARACTERS) return true;
      const key = `${list}.N.${name}`;
      leftOut[key] = Math.max(length, leftOut[key] ?? 0);
      return false;
    }),
  );
}

const isList = (value: unknown): value is unknown[] => Array.isArray(value) && value.length > 0 && isObject(value[0]);

/** The first fields of a body that fit, and the first records of each list. */
function shortBody(body: JsonObject, view: View, isBought: boolean): ShortAnswer {
  let room = isBought ? BOUGHT_CHARACTERS : FREE_CHARACTERS;
  const shown: Record<string, unknown> = {};
  const leftOut: Record<string, number> = {};
  const ranges: string[] = [];
  for (const [name, value] of Object.entries(body)) {
    const length = lengthOf(value);
    if (name === 'records' || (isBought && isList(value))) {
      const all = value as unknown[];
      const records = view.hasFields ? all : all.map((record) => shortRecord(record, name, leftOut));
      const { items, range } = sliceOf(records, view, MAX_CHARACTERS / 2, 1);
      shown[name] = items;
      if (range !== undefined) ranges.push(`${name} ${range}`);
    } else if (length <= SMALL_CHARACTERS || length <= Math.min(room, BOUGHT_CHARACTERS / 3)) {
      shown[name] = value;
      room -= length;
    } else leftOut[name] = length;
  }
  return {
    ...(ranges.length === 0 ? {} : { shown: `${ranges.join('; ')}.` }),
    ...(Object.keys(leftOut).length === 0 ? {} : { left_out: leftOut }),
    body: shown,
  };
}

/** One part of a body. A part that is too long is shown without its longest fields. */
function partOf(body: JsonObject, name: string, view: View, isBought: boolean): ShortAnswer {
  let value: unknown = body;
  for (const key of name.split('.')) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) {
      const { body: short, ...rest } = shortBody(body, view, isBought);
      return { ...rest, shown: `There is no field ${name}. Fields: ${Object.keys(body).join(', ')}.`, body: short };
    }
    value = (value as JsonObject)[key];
  }
  if (Array.isArray(value)) {
    const { items, range } = sliceOf(value, isList(value) ? view : { ...view, show: MAX_SHOWN }, MAX_CHARACTERS, 1);
    return { ...(range === undefined ? {} : { shown: `${name} ${range}.` }), part: { name, value: items } };
  }
  if (!isObject(value) || lengthOf(value) <= MAX_CHARACTERS) return { part: { name, value } };
  const { body: short, ...rest } = shortBody(value, view, isBought);
  return { ...rest, part: { name, value: short } };
}

/** The header line and the first lines of a file. */
function shortText(text: string, isCut: boolean, { from, show }: View): ShortAnswer {
  const [header = '', ...rows] = text.split(/(?<=\n)/u);
  const some = rows.slice(from, from + show);
  const of = `${isCut ? 'more than ' : ''}${rows.length}`;
  const shown = `lines ${from + 1} to ${from + some.length} of ${of}, and the header.`;
  return { ...(some.length === rows.length && !isCut ? {} : { shown }), body: [header, ...some].join('') };
}

interface Answer {
  /** Media type. */
  readonly type: string;
  readonly text: string;
  /** Whether it was paid for. More of a paid answer is shown. */
  readonly isBought: boolean;
  /** Whether `text` is only the start of the answer. */
  readonly isCut?: boolean;
  /** How to read the rest, for a shortened answer. */
  readonly hint: string | null;
}

/** An answer as an agent sees it. */
export function shortAnswer(
  { type, text, isBought, isCut = false, hint }: Answer,
  view: View,
): Readonly<Record<string, unknown>> {
  const body: unknown = type.endsWith('json') ? JSON.parse(text) : undefined;
  const short = (): ShortAnswer => {
    if (body === undefined) return shortText(text, isCut, view);
    if (!isObject(body)) return { body };
    return view.part === undefined ? shortBody(body, view, isBought) : partOf(body, view.part, view, isBought);
  };
  const { shown, left_out, ...answer } = short();
  const isWhole = shown === undefined && left_out === undefined;
  const about = [shown, isWhole ? undefined : hint].filter(Boolean).join(' ');
  return { ...(about === '' ? {} : { shown: about }), ...(left_out === undefined ? {} : { left_out }), ...answer };
}
