/**
 * Addresses normalised by the functions that normalised the rows. The functions are large: to plan a query with them
 * takes a tenth of a second, to run it once planned a hundredth, for one address or for twenty. So it is planned once,
 * and addresses that are asked for while one runs go together in the next.
 */
import { LIST, listValue, VARCHAR, type DuckDBConnection } from '@duckdb/node-api';
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
  parts: z.object({ address_key: z.string(), street_key: z.string(), house_low: z.int(), house_high: z.int(), unit_key: z.string().nullable() }).nullable(),
}));

interface Waiting {
  readonly street: string;
  readonly resolve: (parts: AddressParts | null) => void;
  readonly reject: (error: unknown) => void;
}

/** @param connection one of its own, on which the address functions are defined */
export async function normaliserOn(connection: DuckDBConnection): Promise<Normalise> {
  const statement = await connection.prepare(`
    SELECT address_parts(street) AS parts
    FROM (SELECT unnest($1::VARCHAR[]) AS street, unnest(range(len($1::VARCHAR[]))) AS place)
    ORDER BY place`);
  let waiting: Waiting[] = [];
  let running = false;
  const run = async (): Promise<void> => {
    running = true;
    while (waiting.length > 0) {
      const batch = waiting;
      waiting = [];
      try {
        statement.bindList(1, listValue(batch.map((w) => w.street)), LIST(VARCHAR));
        const rows = Rows.parse((await statement.runAndReadAll()).getRowObjectsJson());
        for (const [i, { resolve }] of batch.entries()) resolve(rows[i]?.parts ?? null);
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
    }
    running = false;
  };
  return (street) => new Promise((resolve, reject) => {
    waiting.push({ street, resolve, reject });
    if (!running) void run();
  });
}
