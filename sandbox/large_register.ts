/**
 * Colorado's export with as many rows as asked, such as the three million of the real one, and a day's changes of it: a
 * world's entities, repeated with other ids, names and dates.
 */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openDuck } from '../lib/duck.ts';
import { literal } from '../lib/sql.ts';
import { COLORADO_COLUMNS } from './pages/registers.ts';
import { makeWorld, worldOn } from './world/world.ts';

/** A day's changes: new entities, and entities of all years that have become delinquent. */
export const [FORMED, CHANGED] = [600, 2_000] as const;

/** A random number for each row. Concatenated: hash(row, 'a') and hash(row, 'b') differ by one constant. */
const random = (salt: string): string => `hash(concat('${salt}', row))`;

/** Write a file of the portal's name into an existing folder. @returns its path */
async function writeCsv(folder: string, sql: string): Promise<string> {
  const path = join(folder, 'business_entities_in_colorado.csv');
  await using duck = await openDuck(':memory:', { memoryLimit: '8GB' });
  await duck.connection.run(`COPY (${sql}) TO ${literal(path)} (FORMAT csv, HEADER, NULLSTR '')`);
  return path;
}

/** Write the export of a day, its rows in no order. @returns its path */
export async function writeRegister(folder: string, day: string, rows: number): Promise<string> {
  const world = makeWorld({ seed: 1, listings: 10, parcels: 10, auctions: 10, filings: Math.min(rows, 20_000) });
  const entities = worldOn(world, day).colorado.map(({ row }) => JSON.stringify(row));
  const json = join(folder, 'entities.ndjson');
  await writeFile(json, entities.join('\n'));
  const types = COLORADO_COLUMNS.map((name) => `${name}: 'VARCHAR'`).join(', ');
  const streets = COLORADO_COLUMNS.filter((name) => name.endsWith('address1'));
  const numbered = streets.map((c) => `regexp_replace(${c}, '^\\d+', (100 + ${random(c)} % 9900)::VARCHAR) AS ${c}`);
  return writeCsv(
    folder,
    `WITH repeated AS (
      SELECT *, row_number() OVER (ORDER BY copy, entityid) AS row
      FROM range(${Math.ceil(rows / entities.length)}) AS c(copy), read_json(${literal(json)}, columns = {${types}})
    ), dated AS (
      -- Twelve years old on average, and one in twelve of the last year, as in a register of three million.
      SELECT *, DATE '${day}' - (-4380 * ln(${random('age')} / pow(2.0, 64) + 1e-6))::INTEGER AS formed FROM repeated
    )
    SELECT * EXCLUDE (copy, row, formed) REPLACE (
      strftime(formed, '%Y') || lpad((1000000 + row)::VARCHAR, 7, '0') AS entityid,
      regexp_replace(entityname, '^(\\S+)', '\\1 ' || ${random('name')} % 10000) AS entityname,
      strftime(formed, '%-m/%-d/%Y') AS entityformdate, ${numbered.join(', ')}
    ) FROM dated ORDER BY ${random('order')} LIMIT ${rows}`,
  );
}

/** Write a day's changes of an export as the portal shows them. New entities have agents that others have. */
export async function writeRegisterChanges(folder: string, day: string, register: string): Promise<string> {
  const isNew = `number <= ${FORMED}`;
  const formed = `(DATE '${day}' - (number % 4)::INTEGER)`;
  const delinquent = `entityname || ', Delinquent ' || strftime(DATE '${day}', '%B %-d, %Y')`;
  return writeCsv(
    folder,
    `WITH drawn AS (
      SELECT *, row_number() OVER (ORDER BY hash(entityid)) AS number
      FROM read_csv(${literal(register)}, all_varchar = true) WHERE entitystatus = 'Good Standing'
    )
    SELECT * EXCLUDE (number) REPLACE (
      if(${isNew}, strftime(${formed}, '%Y') || lpad((9000000 + number)::VARCHAR, 7, '0'), entityid) AS entityid,
      if(${isNew}, regexp_replace(entityname, '^(\\S+)', '\\1 & ' || number), ${delinquent}) AS entityname,
      if(${isNew}, entitystatus, 'Delinquent') AS entitystatus,
      if(${isNew}, strftime(${formed}, '%-m/%-d/%Y'), entityformdate) AS entityformdate
    ) FROM drawn WHERE number <= ${CHANGED}`,
  );
}
