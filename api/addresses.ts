/**
 * Addresses normalised by the functions that normalised the rows. The functions are large: to plan a query with them
 * takes a tenth of a second, to run it once planned a hundredth, for one address or for twenty. So it is planned once,
 * and addresses that are asked for while one runs go together in the next.
 */
import { LIST, listValue, VARCHAR, type DuckDBConnection } from '@duckdb/node-api';
import { LRUCache } from 'lru-cache';
import { z } from 'zod';

/** The normalised parts of a street address. */
export interface AddressParts {
  readonly address_key: string;
  readonly street_key: string;
  readonly house_low: number;
  readonly house_high: number;
  readonly unit_key: string | null;
}

/** Parts of a street address, or null where it has no house number. */
export type Normalise = (street: string) => Promise<AddressParts | null>;

const Rows = z.array(z.object({
  street: z.string(),
  parts: z.object({ address_key: z.string(), street_key: z.string(), house_low: z.int(), house_high: z.int(), unit_key: z.string().nullable() }).nullable(),
}));

interface Waiting {
  readonly street: string;
  readonly resolve: (parts: AddressParts | null) => void;
  readonly reject: (error: unknown) => void;
}

/** Streets whose parts are kept: a call asks for the parts of its street once to check it and once to answer. */
const KEPT = 1000;

/** @param connection one of its own, on which the address functions are defined */
export async function normaliserOn(connection: DuckDBConnection): Promise<Normalise> {
  // Nothing but the street and its parts: with a second list beside it, or an order, the same takes four times as long.
  const statement = await connection.prepare('SELECT street, address_parts(street) AS parts FROM (SELECT unnest($1::VARCHAR[]) AS street)');
  const kept = new LRUCache<string, Promise<AddressParts | null>>({ max: KEPT });
  let waiting: Waiting[] = [];
  let running = false;
  const run = async (): Promise<void> => {
    running = true;
    while (waiting.length > 0) {
      const batch = waiting;
      waiting = [];
      try {
        statement.bindList(1, listValue(batch.map((w) => w.street)), LIST(VARCHAR));
        const parts = new Map(Rows.parse((await statement.runAndReadAll()).getRowObjectsJson()).map((row) => [row.street, row.parts]));
        for (const { street, resolve } of batch) resolve(parts.get(street) ?? null);
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
    }
    running = false;
  };
  return (street) => {
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
  };
}
