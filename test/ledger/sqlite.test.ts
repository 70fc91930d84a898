/** SQLite meets the requirements of every ledger. */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { after, describe } from 'node:test';
import { openLedger } from '../../ledger/open.ts';
import { conformance } from './conformance/suite.ts';
import { memoryFolder } from './memory_folder.ts';

describe('SQLite', () => {
  const folder = memoryFolder('dealfeed-ledger-');
  let count = 0;
  conformance({
    fresh: async () => join(folder, `${(count += 1)}.sqlite`),
    open: (name) => openLedger({ DATA_DIR: folder, LEDGER: name }),
  });
  after(() => rmSync(folder, { recursive: true, force: true }));
});
