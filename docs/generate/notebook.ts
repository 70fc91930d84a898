/**
 * The worked notebook (docs/notebook.md): its SQL cells, and the picture of the last one's result.
 * Run with the folder of a snapshot, it writes docs/notebook.svg.
 */
import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openDuck, rowsOf } from '../../lib/duck.ts';
import { print } from '../../lib/output.ts';
import { literal } from '../../lib/sql.ts';

type Row = Readonly<Record<string, unknown>>;

const PAGE = join(import.meta.dirname, '..', 'notebook.md');
export const PICTURE = join(import.meta.dirname, '..', 'notebook.svg');

const WIDTH = 720;
const LEFT = 90;
const RIGHT = 30;
const TOP = 50;
const ROW_HEIGHT = 26;
/** Largest cap rate of the axis, in percent. */
const MAX_PERCENT = 12;
const CLAIMED = '#c2571a';
const UNDERWRITTEN = '#1f6f8b';

/** The SQL cells of the page, in order. */
export const notebookCells = (): readonly string[] =>
  [...readFileSync(PAGE, 'utf8').matchAll(/```sql\n([\s\S]*?);\n```/gu)].map(([, sql = '']) => sql);

/** Results of all cells over the DuckDB file of a snapshot. */
export async function runNotebook(snapshotFolder: string): Promise<readonly (readonly Row[])[]> {
  const duck = await openDuck();
  try {
    const file = join(snapshotFolder, 'dealfeed.duckdb');
    await duck.connection.run(`ATTACH ${literal(file)} AS snapshot (READ_ONLY)`);
    await duck.connection.run('USE snapshot');
    const results: (readonly Row[])[] = [];
    for (const sql of notebookCells()) results.push(await rowsOf(duck.connection, sql));
    return results;
  } finally {
    duck.close();
  }
}

const x = (percent: number): number => LEFT + (Math.min(MAX_PERCENT, percent) / MAX_PERCENT) * (WIDTH - LEFT - RIGHT);

function barOf({ state, deals, claimed, underwritten }: Row, index: number): string {
  const y = TOP + 20 + index * ROW_HEIGHT;
  const [from, to] = [x(Number(underwritten)).toFixed(1), x(Number(claimed)).toFixed(1)];
  return [
    `<text x="${LEFT - 12}" y="${y + 4}" text-anchor="end">${String(state)} (${String(deals)})</text>`,
    `<line x1="${from}" y1="${y}" x2="${to}" y2="${y}" stroke="#9aa0a6" stroke-width="3"/>`,
    `<circle cx="${from}" cy="${y}" r="6" fill="${UNDERWRITTEN}"/>`,
    `<circle cx="${to}" cy="${y}" r="6" fill="${CLAIMED}"/>`,
  ].join('\n');
}

/** The picture of the last cell's rows: two points for each state on an axis in percent. */
export function notebookPicture(rows: readonly Row[]): string {
  const bottom = TOP + 20 + rows.length * ROW_HEIGHT;
  const ticks = [0, 2, 4, 6, 8, 10, 12].map(
    (percent) =>
      `<path d="M${x(percent).toFixed(1)} ${TOP}V${bottom}" stroke="#e3e5e8"/>\n` +
      `<text x="${x(percent).toFixed(1)}" y="${bottom + 18}" text-anchor="middle">${percent}%</text>`,
  );
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${bottom + 30}" font-family="sans-serif"`,
    ' font-size="13" fill="#3c4043" role="img" aria-label="Claimed and underwritten cap rates by state">',
    `<rect width="${WIDTH}" height="${bottom + 30}" fill="#ffffff"/>`,
    `<circle cx="${LEFT}" cy="22" r="6" fill="${CLAIMED}"/><text x="${LEFT + 12}" y="27">claimed cap rate</text>`,
    `<circle cx="${LEFT + 160}" cy="22" r="6" fill="${UNDERWRITTEN}"/>`,
    `<text x="${LEFT + 172}" y="27">underwritten, medians of the same deals</text>`,
    ...ticks,
    ...rows.map(barOf),
    '</svg>',
    '',
  ].join('\n');
}

if (import.meta.main) {
  const results = await runNotebook(process.argv[2] ?? '');
  await writeFile(PICTURE, notebookPicture(results.at(-1) ?? []));
  print(`wrote ${PICTURE}`);
}
