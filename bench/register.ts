/** Colorado's export at its real size: a sandbox world's entities, repeated with other ids, names and dates. */
import { cp, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { literal } from '../lib/sql.ts';
import { COLORADO_COLUMNS } from '../sandbox/pages/colorado.ts';
import { makeWorld, worldOn } from '../sandbox/world/world.ts';
import { query, TODAY, TOMORROW } from './folders.ts';
import { newFolder, once, sized } from './settings.ts';

export const ROWS = sized(3_000_000, 100_000);
/** A day's changes: new entities, and entities of all years that have become delinquent. */
export const [FORMED, CHANGED] = [600, 2_000] as const;

/** A random number for each row. Concatenated: hash(row, 'a') and hash(row, 'b') differ by one constant. */
const random = (salt: string): string => `hash(concat('${salt}', row))`;

async function writeCsv(sql: string): Promise<string> {
  const path = join(newFolder('register'), 'business_entities_in_colorado.csv');
  await query(`COPY (${sql}) TO ${literal(path)} (FORMAT csv, HEADER, NULLSTR '')`);
  return path;
}

/** The export, its rows in no order. */
export const registerExport = once(async () => {
  const world = makeWorld({ seed: 1, listings: 10, parcels: 10, auctions: 10, filings: Math.min(ROWS, 20_000) });
  const entities = worldOn(world, TODAY).colorado.map(({ row }) => JSON.stringify(row));
  const json = join(newFolder('entities'), 'entities.ndjson');
  await writeFile(json, entities.join('\n'));
  const types = COLORADO_COLUMNS.map((name) => `${name}: 'VARCHAR'`).join(', ');
  const streets = COLORADO_COLUMNS.filter((name) => name.endsWith('address1'));
  const numbered = streets.map((c) => `regexp_replace(${c}, '^\\d+', (100 + ${random(c)} % 9900)::VARCHAR) AS ${c}`);
  return writeCsv(`WITH repeated AS (
      SELECT *, row_number() OVER (ORDER BY copy, entityid) AS row
      FROM range(${Math.ceil(ROWS / entities.length)}) AS c(copy), read_json(${literal(json)}, columns = {${types}})
    ), dated AS (
      -- Twelve years old on average, and one in twelve of the last year, as in a register of three million.
      SELECT *, DATE '${TODAY}' - (-4380 * ln(${random('age')} / pow(2.0, 64) + 1e-6))::INTEGER AS formed FROM repeated
    )
    SELECT * EXCLUDE (copy, row, formed) REPLACE (
      strftime(formed, '%Y') || lpad((1000000 + row)::VARCHAR, 7, '0') AS entityid,
      regexp_replace(entityname, '^(\\S+)', '\\1 ' || ${random('name')} % 10000) AS entityname,
      strftime(formed, '%-m/%-d/%Y') AS entityformdate, ${numbered.join(', ')}
    ) FROM dated ORDER BY ${random('order')} LIMIT ${ROWS}`);
});

/** A day's changes as the portal shows them. New entities have agents that others have. */
export async function registerChanges(): Promise<string> {
  const isNew = `number <= ${FORMED}`;
  const formed = `(DATE '${TOMORROW}' - (number % 4)::INTEGER)`;
  const delinquent = `entityname || ', Delinquent ' || strftime(DATE '${TOMORROW}', '%B %-d, %Y')`;
  return writeCsv(`WITH drawn AS (
      SELECT *, row_number() OVER (ORDER BY hash(entityid)) AS number
      FROM read_csv(${literal(await registerExport())}, all_varchar = true) WHERE entitystatus = 'Good Standing'
    )
    SELECT * EXCLUDE (number) REPLACE (
      if(${isNew}, strftime(${formed}, '%Y') || lpad((9000000 + number)::VARCHAR, 7, '0'), entityid) AS entityid,
      if(${isNew}, regexp_replace(entityname, '^(\\S+)', '\\1 & ' || number), ${delinquent}) AS entityname,
      if(${isNew}, entitystatus, 'Delinquent') AS entitystatus,
      if(${isNew}, strftime(${formed}, '%-m/%-d/%Y'), entityformdate) AS entityformdate
    ) FROM drawn WHERE number <= ${CHANGED}`);
}

/** Put an export or its changes into the drop folder, in place of the file before. */
export const dropRegister = (dataDir: string, csv: string): Promise<void> =>
  cp(csv, join(dataDir, 'drop', 'colorado_sos', basename(csv)));
