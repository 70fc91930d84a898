/** Files in the drop folder: their order, formats, suppliers and faults. */
import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { openArchive } from '../../lib/archive.ts';
import { openPage } from '../../sources/fetch/page.ts';
import { readDrop } from '../../sources/fetch/drop.ts';
import { specOf } from './site.ts';
import { memoryFolder } from '../ledger/memory_folder.ts';

const spec = specOf({
  hosts: ['www.example.com'],
  name: 'oh_test',
  drop: [
    { pattern: /^wi0100r.*\.txt$/g, file: 'WI0100R.TXT', kind: 'entities', about: 'new entities' },
    { pattern: /\.zip$/, file: 'roll.zip', kind: 'roll', about: 'zipped roll' },
  ],
});

test('dropped files are archived and read in the order of their names; unknown files are named', async () => {
  const dataDir = memoryFolder('dealfeed-drop-');
  const archive = await openArchive(dataDir);
  const options = {
    dropDir: join(dataDir, 'drop'),
    archive,
    clock: { observedAt: () => '2026-11-20T12:00:00Z' },
    runId: '2026-11-20.01',
  };
  assert.deepEqual(await readDrop(spec, options), { pages: [], unknownFiles: [], unreadable: [] });

  const folder = join(dataDir, 'drop', 'oh_test');
  await mkdir(join(folder, 'old.zip'), { recursive: true });
  const zipped = gzipSync('not decoded: it is the file itself');
  for (const [name, content] of [
    ['WI0100R nov #2.TXT', 'b'],
    ['WI0100R nov #1.TXT', 'a'],
    ['Roll.ZIP', zipped],
    ['notes.docx', 'x'],
    ['.DS_Store', 'x'],
  ] as const) {
    await writeFile(join(folder, name), content);
  }
  const { pages, unknownFiles } = await readDrop(spec, options);
  assert.deepEqual(unknownFiles, ['notes.docx', 'old.zip']);
  assert.deepEqual(
    pages.map((p) => [p.kind, p.url, p.context['file']]),
    [
      ['roll', 'file:///drop/oh_test/Roll.ZIP', 'Roll.ZIP'],
      ['entities', 'file:///drop/oh_test/WI0100R%20nov%20%231.TXT', 'WI0100R nov #1.TXT'],
      ['entities', 'file:///drop/oh_test/WI0100R%20nov%20%232.TXT', 'WI0100R nov #2.TXT'],
    ],
  );
  assert.deepEqual(Buffer.from(pages[0]?.bytes ?? []), zipped);
  const records = await archive.records('oh_test', '2026-11-20.01');
  assert.deepEqual(
    records.map((r) => [r.method, r.kind]),
    [
      ['READ', 'roll'],
      ['READ', 'entities'],
      ['READ', 'entities'],
    ],
  );
  assert.ok(!JSON.stringify(records).includes(dataDir), 'no path of this machine is archived');
  assert.deepEqual(
    await Promise.all(records.map(async (r) => (await openPage(archive, r)).sha256)),
    pages.map((p) => p.sha256),
  );
});
