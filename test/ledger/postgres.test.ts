/** PostgreSQL meets the requirements of every ledger. */
import { after, before, describe } from 'node:test';
import { openLedger } from '../../ledger/open.ts';
import { conformance } from './conformance/suite.ts';
import { startPostgres, type PostgresServer } from './postgres_started.ts';

describe('PostgreSQL', () => {
  let server: PostgresServer | undefined;
  before(async () => {
    server = await startPostgres();
  });
  conformance({
    async fresh() {
      if (!server) throw new Error('the server is not started');
      return server.schema();
    },
    open: (name) => openLedger({ DATA_DIR: '', LEDGER: name }),
  });
  after(() => server?.remove());
});
