/** Every read of every source, on a good and a bad day, parsed again from the archive: the same rows. */
import { test } from 'node:test';
import { loadSources } from '../../../sources/index.ts';
import { assertSameRows } from './same_rows.ts';
import { afterWholeBadDay } from '../starting_points.ts';

test("today's parser gives every source the rows it had, confirmed and unreadable pages included", async () => {
  const { layout } = await afterWholeBadDay();
  await assertSameRows(layout, await loadSources());
});
