/**
 * Addresses normalised by the SQL that normalised the rows. To make its regular expressions and buffers ready takes many
 * times as long as to normalise an address, and DuckDB does it for each query. So there is one query, which is always
 * open: it reads the streets that are asked for as a table without an end, and is run for one piece of it after the other.
 */
import { DuckDBTableFunction, VARCHAR, type DuckDBResult } from '@duckdb/node-api';
import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import { openDuck } from '../lib/duck.ts';
import { macrosSql } from '../models/index.ts';

/** The normalised parts of a street address. */
export interface AddressParts {
  readonly address_key: string;
  readonly street_key: string;
  readonly house_low: number | null;
  readonly house_high: number | null;
  readonly unit_key: string | null;
}

/** Parts of a street address, or null where it has no house number. */
export type Normalise = (street: string) => Promise<AddressParts | null>;

export interface Addresses {
  readonly normalise: Normalise;
  /** Close it, once every address that was asked for is answered. Nothing may be asked for afterwards. */
  close(): void;
}

const QUERY = 'SELECT parts.address_key, parts.street_key, parts.house_low, parts.house_high, parts.unit_key FROM parts_of_lines(\'asked\')';
const text = z.array(z.string().nullable());
const number = z.array(z.int().nullable());
const Columns = z.tuple([text, text, number, number, text]);

interface Waiting {
  readonly street: string;
  readonly resolve: (parts: AddressParts | null) => void;
  readonly reject: (error: unknown) => void;
}

/** Streets whose parts are kept: a call asks for the parts of its street once to check it and once to answer. */
const KEPT = 1000;

/** Streets of one piece at most: DuckDB's own pieces hold 2048 rows. */
const PIECE = 256;

async function openQuery(): Promise<Addresses> {
  const duck = await openDuck(':memory:', { threads: 1, memoryLimit: '256MB' });
  let waiting: Waiting[] = [];
  /** Pieces that the query has read and not yet answered, the oldest first. */
  let inQuery: (readonly Waiting[])[] = [];
  const streets = DuckDBTableFunction.create({
    name: 'streets_asked',
    bindFunction: (bound) => { bound.addResultColumn('street', VARCHAR); },
    initFunction: (started) => { started.setMaxThreads(1); },
    mainFunction: (_, piece) => {
      const taken = waiting.slice(0, PIECE);
      waiting = waiting.slice(PIECE);
      inQuery.push(taken);
      // DuckDB reads one piece ahead of the one that it answers, and takes one without rows for the end of the table.
      piece.rowCount = Math.max(taken.length, 1);
      piece.setColumnValues(0, taken.length === 0 ? [null] : taken.map(({ street }) => street));
    },
  });
  const open = (): Promise<DuckDBResult> => duck.connection.stream(QUERY);
  let query: DuckDBResult | undefined;
  try {
    duck.connection.registerTableFunction(streets);
    await duck.connection.run(macrosSql());
    await duck.connection.run('CREATE VIEW asked AS SELECT first_address_of(street) AS line FROM streets_asked()');
    // A piece is given out as soon as it is answered.
    await duck.connection.run("SET streaming_buffer_size = '1B'");
    query = await open();
  } catch (error) {
    duck.close();
    throw error;
  }

  const answerPiece = async (): Promise<void> => {
    query ??= await open();
    const rows = await query.fetchChunk();
    const [piece, ...others] = inQuery;
    if (!rows || !piece || rows.rowCount !== Math.max(piece.length, 1)) throw new Error('the addresses that came out of the query are not those that went in');
    const [keys, onStreets, lows, highs, units] = Columns.parse(rows.getColumns());
    inQuery = others;
    for (const [i, { resolve }] of piece.entries()) {
      const [key, street] = [keys[i], onStreets[i]];
      resolve(typeof key === 'string' && typeof street === 'string'
        ? { address_key: key, street_key: street, house_low: lows[i] ?? null, house_high: highs[i] ?? null, unit_key: units[i] ?? null } : null);
    }
  };
  let [running, closed] = [false, false];
  const run = async (): Promise<void> => {
    running = true;
    while (waiting.length > 0 || inQuery.some((piece) => piece.length > 0)) {
      try {
        await answerPiece();
      } catch (error) {
        const failed = [...inQuery.flat(), ...waiting];
        [inQuery, waiting] = [[], []];
        for (const { reject } of failed) reject(error);
        // The next that is asked for opens it again.
        query = undefined;
      }
    }
    running = false;
    if (closed) duck.close();
  };
  const kept = new LRUCache<string, Promise<AddressParts | null>>({ max: KEPT });
  return {
    normalise(street) {
      let parts = kept.get(street);
      if (!parts) {
        parts = new Promise((resolve, reject) => {
          waiting.push({ street, resolve, reject });
          if (!running) void run();
        });
        kept.set(street, parts);
        parts.catch(() => { kept.delete(street); });
      }
      return parts;
    },
    close() {
      closed = true;
      if (!running) duck.close();
    },
  };
}

/** The one query of this process, and how many use it. */
let shared: { readonly query: Promise<Addresses>; users: number } | undefined;

/**
 * Make the query ready, or use the one that is: it knows nothing of any snapshot, and a database that was asked an open
 * query does not give all of its memory back when it is closed.
 * @throws where its functions cannot be made or planned
 */
export async function openAddresses(): Promise<Addresses> {
  const used = shared ??= { query: openQuery(), users: 0 };
  used.users += 1;
  let left = false;
  const leave = (): void => {
    if (left) return;
    left = true;
    used.users -= 1;
    if (used.users > 0) return;
    if (shared === used) shared = undefined;
    // One that never opened has nothing to close.
    void used.query.then((query) => query.close(), () => undefined);
  };
  try {
    const { normalise } = await used.query;
    return { normalise, close: leave };
  } catch (error) {
    leave();
    throw error;
  }
}
