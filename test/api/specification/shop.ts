/** Shared by the tests of the specification: answers of one server, bought or free, as a buyer reads them. */
import assert from 'node:assert/strict';
import type { sharedApp } from '../support/test_app.ts';

export type Body = Record<string, unknown>;

export type Shop = ReturnType<typeof sharedApp>;

/** Records of a bought list. */
export const buyRecords = async (shop: Shop, path: string): Promise<Body[]> =>
  (await shop.buy(path))['records'] as Body[];

/** Numbers at the end of the ids of the records. */
export const numbersOf = (records: readonly Body[]): number[] => records.map((r) => Number(String(r['id']).slice(-12)));

/** What a value in an answer must be, by the notation of promised_interface.ts. */
const FORMS: Readonly<Record<string, RegExp>> = {
  decimal: /^-?\d+\.\d{2}$/,
  string: /\S/,
  uuid: /^[\da-f]{8}-[\da-f]{4}-5[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/,
  date: /^\d{4}-\d{2}-\d{2}$/,
  timestamp: /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}Z$/,
};

/** Assert that a value is of the promised kind. */
export function assertKind(value: unknown, kind: string, where: string): void {
  if (kind === 'integer') {
    assert.ok(Number.isInteger(value), where);
    return;
  }
  if (kind === 'boolean' || kind === 'object') {
    assert.ok(typeof value === kind && !Array.isArray(value), where);
    return;
  }
  assert.equal(typeof value, 'string', where);
  const form = kind.startsWith('...') ? FORMS['string'] : FORMS[kind];
  if (form) assert.match(String(value), form, where);
  else assert.ok(kind.split('|').includes(String(value)), `${where}: ${String(value)}`);
}
