/**
 * Colorado's export at its real size, made from the sandbox world's register: some thousand entities of the world,
 * mixed and repeated under ids, names, house numbers and days of their own until there are as many rows as asked for.
 * Cells, their lengths, blanks, standings and the mix of agents are the world's; the lines are the 35 columns as the
 * portal prints them, in no order. The world's entities are nearly all of one year; here they are of all years since
 * 1870, ever more of them, as a register's are. The same seed and size give the same bytes. DuckDB writes the file, so
 * that it never lies in memory.
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
/** Mean age of an entity: the last year then has one in twelve of them, as three million with some 240,000 new ones a year. */
const MEAN_AGE_DAYS = 12 * 365;
const OLDEST = '1870-01-01';
/** A number from 0 to 1 for each row of the export. */
const SHARE = "hash(copy, entity.number, 'formed') / 18446744073709551616.0";

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
    const drawn = (salt: number): string =>
      `1 + CAST(hash(copy * ${entities.length} + entity.number + ${salt}) % ${entities.length} AS BIGINT)`;
    const housed = (column: string): string =>
      `regexp_replace(${column}, '^\\d+', CAST(100 + hash(copy, entity.number, ${literal(column)}) % 9900 AS VARCHAR))`;
    const from = (name: string): string =>
      name.startsWith('agent')
        ? 'agent'
        : name.startsWith('mailing')
          ? 'mailing'
          : name.startsWith('principal')
            ? 'place'
            : 'entity';
    const made: Readonly<Record<string, string>> = {
      // Four digits of the year, then a serial that no other row has.
      entityid: `strftime(formed, '%Y') || lpad(CAST(1000000 + copy * ${entities.length} + entity.number AS VARCHAR), 7, '0')`,
      entityname: `CASE WHEN copy = 0 THEN entity.entityname ELSE regexp_replace(entity.entityname, '^(\\S+)', '\\1 ' || CAST(hash(copy, entity.number) % 10000 AS VARCHAR)) END`,
      // 7/24/1911, as the export prints a date.
      entityformdate: `strftime(formed, '%-m/%-d/%Y')`,
    };
    const cell = (name: string): string =>
      made[name] ?? (name.endsWith('address1') ? housed(`${from(name)}.${name}`) : `${from(name)}.${name}`);
    await duck.connection.run(`COPY (
        SELECT ${COLORADO_COLUMNS.map((name) => `${cell(name)} AS ${identifier(name)}`).join(', ')}
        FROM range(${Math.ceil(rows / entities.length)}) copies(copy)
        CROSS JOIN entities AS entity
        JOIN entities AS agent ON agent.number = ${drawn(1)}
        JOIN entities AS mailing ON mailing.number = ${drawn(2)}
        JOIN entities AS place ON place.number = ${drawn(3)}
        CROSS JOIN LATERAL (SELECT greatest(DATE '${OLDEST}', DATE ${literal(day)} - CAST(-ln(${SHARE} + 1e-12) * ${MEAN_AGE_DAYS} AS INTEGER)) AS formed) AS dated
        ORDER BY hash(copy, entity.number) LIMIT ${rows}
      ) TO ${literal(path)} (FORMAT csv, HEADER, NULLSTR '', QUOTE '"', ESCAPE '"')`);
    const [count] = await rowsOf(
      duck.connection,
      `SELECT count(*) AS n FROM read_csv(${literal(path)}, header = true, all_varchar = true)`,
    );
    return Number(count?.['n']);
  } finally {
    duck.close();
    await rm(lines);
  }
}

/** What a day's changes hold: entities formed in the last days, and entities of all years whose standing is another one. */
export interface DayOfChanges {
  readonly formed: number;
  readonly fallen: number;
  /** The day on which they are shown. */
  readonly day: string;
}

/**
 * Write a day's changes of an export, as the portal shows them: those formed on the day and the three before it, the later
 * the more, under new ids, with the agents that others have too; and those that have become delinquent, with the words
 * for it behind their names.
 */
export async function writeChangesCsv(csv: string, path: string, { formed, fallen, day }: DayOfChanges): Promise<void> {
  const duck = await openDuck(':memory:', { memoryLimit: '2GB' });
  try {
    await duck.connection.run(
      `CREATE VIEW export AS FROM read_csv(${literal(csv)}, header = true, all_varchar = true)`,
    );
    const drawn = (from: string, many: number): string =>
      `(SELECT *, row_number() OVER (ORDER BY hash(entityid)) AS number FROM (${from}) ORDER BY hash(entityid) LIMIT ${many})`;
    const wordedDay = `strftime(DATE ${literal(day)}, '%B %-d, %Y')`;
    const formedOn = `(DATE ${literal(day)} - CAST(floor(4 * pow(number / ${formed + 1}.0, 2)) AS INTEGER))`;
    await duck.connection.run(`COPY (
        SELECT * EXCLUDE (number) FROM (
          SELECT * REPLACE (entityname || ', Delinquent ' || ${wordedDay} AS entityname, 'Delinquent' AS entitystatus)
          FROM ${drawn("FROM export WHERE entitystatus = 'Good Standing'", fallen)}
          UNION ALL
          SELECT * REPLACE (
            strftime(${formedOn}, '%Y') || lpad(CAST(9000000 + number AS VARCHAR), 7, '0') AS entityid,
            regexp_replace(entityname, '^(\\S+)', '\\1 & ' || number) AS entityname,
            strftime(${formedOn}, '%-m/%-d/%Y') AS entityformdate)
          FROM ${drawn("FROM export WHERE entitystatus IN ('Good Standing', 'Exists') AND hash(entityid, 'new') % 8 = 0", formed)}
        ) ORDER BY hash(entityid)
      ) TO ${literal(path)} (FORMAT csv, HEADER, NULLSTR '', QUOTE '"', ESCAPE '"')`);
  } finally {
    duck.close();
  }
}
