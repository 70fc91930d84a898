/** The ledger in PostgreSQL does what every ledger must do. */
import { after, before } from 'node:test';
import { openLedger } from '../../ledger/open.ts';
import { conformance } from './conformance.ts';
import { startPostgres, type PostgresServer } from './postgres_started.ts';

let server: PostgresServer | undefined;
before(async () => {
  server = await startPostgres();
});
after(() => server?.remove());

conformance({
  async fresh() {
    if (!server) throw new Error('not started');
    return server.database();
  },
  open: (name) => openLedger({ DATA_DIR: '', LEDGER: name }),
});
