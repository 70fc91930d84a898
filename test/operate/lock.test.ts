/** One run at a time: the operating system holds the lock, so no crash leaves it behind; WAIT_MINUTES sets the wait. */
import assert from 'node:assert/strict';
import { spawn, type ChildProcess } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { test } from 'node:test';
import { layoutOf, type Layout } from '../../pipelines/layout.ts';
import { holdAgainstReaders, holdFolder, holdForReading, lockHolder } from '../../pipelines/run/lock.ts';
import { memoryFolder } from '../ledger/memory_folder.ts';

const root = new URL('../../', import.meta.url).pathname;
const folder = (): Layout => layoutOf(memoryFolder('dealfeed-lock-'));

const IMPORTS = `import { holdFolder } from './pipelines/run/lock.ts';
  import { layoutOf } from './pipelines/layout.ts';`;

/** A process that holds the folder and says so. */
async function holder(layout: Layout, forMs: number): Promise<ChildProcess> {
  const script = `${IMPORTS}
    const release = await holdFolder(layoutOf(${JSON.stringify(layout.root)}));
    console.log('held');
    setTimeout(() => { release(); }, ${forMs});`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await new Promise((resolve) => {
    child.stdout.once('data', resolve);
  });
  return child;
}

test('a killed run releases its lock, also an empty file: the next one starts at once', async () => {
  const layout = folder();
  await writeFile(layout.lock, '');
  const child = await holder(layout, 60_000);
  assert.equal(await lockHolder(layout), String(child.pid));
  child.kill('SIGKILL');
  await new Promise((resolve) => {
    child.once('exit', resolve);
  });
  assert.equal(await lockHolder(layout), null);
  (await holdFolder(layout))();
});

test('a second run exits and names the first; with WAIT_MINUTES it waits', async () => {
  const layout = folder();
  const child = await holder(layout, 2_500);
  await assert.rejects(
    holdFolder(layout),
    new RegExp(
      `^SettingError: DATA_DIR ".*" is in use by another run \\(process ${child.pid}\\)\\. Wait until it ends`,
    ),
  );
  (await holdFolder(layout, 10_000))();
});

test('readers share the snapshots; pruning waits for all of them and says what to do', async () => {
  const layout = folder();
  const readers = [holdForReading(layout), holdForReading(layout)];
  await assert.rejects(holdAgainstReaders(layout), /Nothing was removed\. Wait until it ends, or set WAIT_MINUTES/);
  readers.pop()?.();
  await assert.rejects(holdAgainstReaders(layout), /reads the snapshots/);
  const waiting = holdAgainstReaders(layout, 30_000);
  readers.pop()?.();
  (await waiting)();
  holdForReading(layout)();
});
