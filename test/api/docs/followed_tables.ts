/** Compares tables that examples/follow.ts writes with the lists of a snapshot. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Table } from '../../../examples/follow.ts';
import { CHANGE_LISTS, notComparedOf } from '../../../models/marts/change_feeds.ts';

type Fields = Readonly<Record<string, unknown>>;

const readTable = async (folder: string, list: string): Promise<Table> =>
  JSON.parse(await readFile(join(folder, `${list}.json`), 'utf8')) as Table;

/** A record without these fields, and without their reasons for being absent. */
function without(record: Fields, fields: ReadonlySet<string>): Fields {
  const others = (object: object): Fields =>
    Object.fromEntries(Object.entries(object).filter(([name]) => !fields.has(name)));
  const { absent, ...rest } = others(record);
  return { ...rest, ...(absent ? { absent: others(absent) } : {}) };
}

/**
 * Assert that the tables in two folders are the same, list by list, but for the fields that move by themselves.
 * @returns records by list
 */
export async function assertSameTables(followed: string, whole: string): Promise<ReadonlyMap<string, number>> {
  const sizes = new Map<string, number>();
  for (const list of CHANGE_LISTS) {
    const moving = new Set(Object.values(notComparedOf(list)).flat());
    const [kept, expected] = [(await readTable(followed, list)).records, (await readTable(whole, list)).records];
    assert.deepEqual(Object.keys(kept).sort(), Object.keys(expected).sort(), `${list}: the same records`);
    for (const [id, record] of Object.entries(expected))
      assert.deepEqual(without(kept[id] ?? {}, moving), without(record, moving), `${list} ${id}`);
    sizes.set(list, Object.keys(kept).length);
  }
  return sizes;
}
