/** The worked notebook: every SQL cell runs on the shared first day, and the picture is of the last one's result. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { before, it } from 'node:test';
import { notebookCells, notebookPicture, PICTURE, runNotebook } from '../../docs/generate/notebook.ts';
import { afterFirstDay, FIRST_RUN } from '../pipelines/starting_points.ts';

let results: Awaited<ReturnType<typeof runNotebook>>;
before(async () => {
  results = await runNotebook((await afterFirstDay()).layout.snapshot(FIRST_RUN));
});

it('answers each of its questions with rows', () => {
  assert.equal(notebookCells().length, 3);
  const [deals, records, states] = results;
  assert.equal(deals?.length, 5);
  assert.ok(records?.every((row) => Number(row['deals']) >= 1) && records.length > 3);
  assert.ok(states?.every((row) => Number(row['deals']) >= 2) && states.length > 3);
});

it('shows the picture of the result that it prints', async () => {
  assert.equal(await readFile(PICTURE, 'utf8'), notebookPicture(results.at(-1) ?? []));
});
