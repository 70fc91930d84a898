/** The official MCP conformance suite against /mcp. expected_failures.yml says why a scenario does not apply. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { tmpdir } from 'node:os';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { BARE } from '../../environment.ts';
import { rowsOfTable } from '../support/snapshot_fixtures.ts';
import { sharedApp } from '../support/test_app.ts';

const SUITE = fileURLToPath(
  new URL('../../../node_modules/@modelcontextprotocol/conformance/dist/index.js', import.meta.url),
);
const EXPECTED = fileURLToPath(new URL('expected_failures.yml', import.meta.url));
/** Scenarios that test what the server does, beyond the listed ones. */
const PASSING = ['server-initialize', 'ping', 'tools-list', 'tools-call-error', 'dns-rebinding-protection'];

describe('the MCP conformance suite', () => {
  // Origins are checked on a server of this machine, as the suite expects.
  const shared = sharedApp({ deals: rowsOfTable('deals', 2) }, { publicUrl: 'http://localhost:4021' });

  it('passes, but for the scenarios that are listed with their reasons', async () => {
    const { code, out } = await new Promise<{ code: unknown; out: string }>((resolve) => {
      execFile(
        process.execPath,
        [SUITE, 'server', '--url', `${shared.app.url}/mcp`, '--expected-failures', EXPECTED],
        { cwd: tmpdir(), env: BARE },
        (error, stdout, stderr) => resolve({ code: error ? error.code : 0, out: stdout + stderr }),
      );
    });
    assert.equal(code, 0, out.slice(out.indexOf('Total:')));
    for (const scenario of PASSING)
      assert.match(out, new RegExp(`✓ ${scenario}: [1-9]\\d* passed, 0 failed`), scenario);
  });
});
