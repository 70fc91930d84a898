/** `make bench QUICK=1` ends, and has a figure for every line of docs/performance.md. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const HEAD = '| measure | what | baseline | aim |';

/** Cells of the lines below the head of the table. */
function linesOf(text: string): string[][] {
  const lines = text.slice(text.indexOf(HEAD)).split('\n');
  const table = lines.slice(2, lines.findIndex((line) => !line.startsWith('|')) >>> 0);
  return table.map((line) => line.split(' | ').map((cell) => cell.replaceAll(/^\| | \|$/gu, '').trim()));
}

test('every measure works at a small size', async () => {
  const { stdout } = await promisify(execFile)(process.execPath, ['bench/run.ts'], {
    cwd: ROOT,
    env: { ...process.env, QUICK: '1' },
  });
  const expected = linesOf(await readFile(new URL('../../docs/performance.md', import.meta.url), 'utf8'));
  const measured = linesOf(stdout);
  assert.deepEqual(
    measured.map((cells) => cells.slice(0, 3)),
    expected.map((cells) => cells.slice(0, 3)),
  );
  for (const [measure, what, , , ours] of measured) assert.match(ours ?? '', /^[\d.,]*[1-9]/u, `${measure}: ${what}`);
});
