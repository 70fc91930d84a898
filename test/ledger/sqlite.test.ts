/** The ledger in SQLite does what every ledger must do. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import { openLedger } from '../../ledger/open.ts';
import { conformance } from './conformance.ts';

const folder = mkdtempSync(join(tmpdir(), 'dealfeed-ledger-'));
after(() => rmSync(folder, { recursive: true, force: true }));
let count = 0;

conformance({
  fresh: async () => join(folder, `${(count += 1)}.sqlite`),
  open: (name) => openLedger({ DATA_DIR: folder, LEDGER: name }),
});
