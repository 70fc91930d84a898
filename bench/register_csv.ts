/**
 * Colorado's export at its real size, made from the sandbox world's register: some thousand entities of the world,
 * mixed and repeated under ids, names and house numbers of their own until there are as many rows as asked for. Cells,
 * their lengths, blanks, standings and the mix of agents are the world's; the lines are the 35 columns as the portal
 * prints them, in no order. The same seed
 * and size give the same bytes. DuckDB writes the file, so that it never lies in memory.
 */
import { rm, writeFile } from 'node:fs/promises';
import { openDuck, rowsOf } from '../lib/duck.ts';
import { identifier, literal } from '../lib/sql.ts';
import { COLORADO_COLUMNS } from '../sandbox/pages/colorado.ts';
import { makeWorld, worldOn } from '../sandbox/world/world.ts';

export interface RegisterCsv {
  readonly rows: number;
  /** Day on which the world shows the register. */
  readonly day: string;
  readonly seed: number;
}

/** Entities that are repeated. */
const DIFFERENT = 20_000;

/** Write the export to a path. @returns number of records, without the header */
export async function writeRegisterCsv(path: string, { rows, day, seed }: RegisterCsv): Promise<number> {
  const world = makeWorld({ seed, listings: 10, parcels: 10, auctions: 10, filings: Math.min(rows, DIFFERENT) });
  const entities = worldOn(world, day).colorado.map(({ row }) => row);
  const lines = `${path}.ndjson`;
  await writeFile(lines, entities.map((row) => `${JSON.stringify(row)}\n`).join(''));
  const duck = await openDuck(':memory:', { memoryLimit: '2GB' });
  try {
    const columns = COLORADO_COLUMNS.map((name) => `${name}: 'VARCHAR'`).join(', ');
    await duck.connection.run(`CREATE TABLE entities AS
      SELECT *, row_number() OVER (ORDER BY entityid) AS number
      FROM read_json(${literal(lines)}, format = 'newline_delimited', columns = {${columns}})`);
    // Names, agents, addresses and dates of a row come from four entities, other ones in each copy, and house numbers are
    // its own: a column of repetitions would compress to nothing and make sorting and writing look free.
    const drawn = (salt: number): string => `1 + CAST(hash(copy * ${entities.length} + entity.number + ${salt}) % ${entities.length} AS BIGINT)`;
    const housed = (column: string): string => `regexp_replace(${column}, '^\\d+', CAST(100 + hash(copy, entity.number, ${literal(column)}) % 9900 AS VARCHAR))`;
    const from = (name: string): string => (name.startsWith('agent') ? 'agent' : name.startsWith('mailing') ? 'mailing' : name.startsWith('principal') ? 'place' : 'entity');
    const made: Readonly<Record<string, string>> = {
      // Four digits of the year, then a serial that no other row of the year has.
      entityid: `substr(entity.entityid, 1, 4) || lpad(CAST(1000000 + copy * ${entities.length} + entity.number AS VARCHAR), 7, '0')`,
      entityname: `CASE WHEN copy = 0 THEN entity.entityname ELSE regexp_replace(entity.entityname, '^(\\S+)', '\\1 ' || CAST(hash(copy, entity.number) % 10000 AS VARCHAR)) END`,
      // 7/24/1911, as the export prints a date.
      entityformdate: `strftime(CAST(substr(entity.entityformdate, 1, 10) AS DATE), '%-m/%-d/%Y')`,
    };
    const cell = (name: string): string => made[name] ?? (name.endsWith('address1') ? housed(`${from(name)}.${name}`) : `${from(name)}.${name}`);
    await duck.connection.run(`COPY (
        SELECT ${COLORADO_COLUMNS.map((name) => `${cell(name)} AS ${identifier(name)}`).join(', ')}
        FROM range(${Math.ceil(rows / entities.length)}) copies(copy)
        CROSS JOIN entities AS entity
        JOIN entities AS agent ON agent.number = ${drawn(1)}
        JOIN entities AS mailing ON mailing.number = ${drawn(2)}
        JOIN entities AS place ON place.number = ${drawn(3)}
        ORDER BY hash(copy, entity.number) LIMIT ${rows}
      ) TO ${literal(path)} (FORMAT csv, HEADER, NULLSTR '', QUOTE '"', ESCAPE '"')`);
    const [count] = await rowsOf(duck.connection, `SELECT count(*) AS n FROM read_csv(${literal(path)}, header = true, all_varchar = true)`);
    return Number(count?.['n']);
  } finally {
    duck.close();
    await rm(lines);
  }
}
