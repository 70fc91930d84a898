/** Backup and restore between both kinds of ledger, the operator's screen, the analysts' files. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe } from 'node:test';
import { openLedger } from '../../ledger/open.ts';
import type { Place } from './conformance.ts';
import { keeping } from './keeping.ts';
import { startPostgres, type PostgresServer } from './postgres_started.ts';

const folder = mkdtempSync(join(tmpdir(), 'dealfeed-ledger-'));
let server: PostgresServer | undefined;
before(async () => {
  server = await startPostgres();
});
after(async () => {
  await server?.remove();
  rmSync(folder, { recursive: true, force: true });
});
let count = 0;
const open: Place['open'] = (name) => openLedger({ DATA_DIR: folder, LEDGER: name });
const sqlite: Place = { open, fresh: async () => join(folder, `${(count += 1)}.sqlite`) };
const postgres: Place = {
  open,
  async fresh() {
    if (!server) throw new Error('not started');
    return server.database();
  },
};

describe('from SQLite', () => keeping(sqlite, postgres));
describe('from PostgreSQL', () => keeping(postgres, sqlite));
