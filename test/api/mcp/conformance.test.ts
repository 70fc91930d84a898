/** The official MCP conformance suite against /mcp, with each revision that it serves. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { BARE } from '../../environment.ts';
import { rowsOfTable } from '../support/snapshot_fixtures.ts';
import { sharedApp } from '../support/test_app.ts';

const pathOf = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
const SUITE = pathOf('../../../node_modules/@modelcontextprotocol/conformance/dist/index.js');
const listOf = (text: string): string[] => text.trim().split(/\s+/u);
/** Scenarios that fail on purpose. One that passes although it is listed, or fails and is not, fails the test. */
const EXCLUDED = [
  // Capabilities that the server does not have and does not announce: it sells data by tools alone.
  ...listOf(`logging-set-level completion-complete resources-list resources-read-text resources-read-binary
    resources-templates-read resources-subscribe resources-unsubscribe sep-2164-resource-not-found prompts-list
    prompts-get-simple prompts-get-with-args prompts-get-embedded-resource prompts-get-with-image`),
  // Tools that only a reference server has, and messages of the server during a call, which no tool of ours sends.
  ...listOf(`tools-call-simple-text tools-call-image tools-call-audio tools-call-embedded-resource
    tools-call-mixed-content tools-call-error tools-call-with-logging tools-call-with-progress tools-call-sampling
    tools-call-elicitation elicitation-sep1034-defaults elicitation-sep1330-enums
    input-required-result-basic-elicitation input-required-result-basic-sampling
    input-required-result-basic-list-roots input-required-result-request-state
    input-required-result-multiple-input-requests input-required-result-multi-round
    input-required-result-non-tool-request input-required-result-result-type
    input-required-result-missing-input-response input-required-result-ignore-extra-params
    input-required-result-tampered-state input-required-result-capability-check`),
  // Single checks of them need the above, and the others pass: FAILED_CHECKS has the list.
  ...listOf('server-stateless caching'),
];
/** With sessions, which a server without them does not have; the suite counts its warning as a failure. */
const EXCLUDED_2025 = ['server-sse-multiple-streams'];
/** Scenarios that test what the server does, beyond the listed ones. */
const PASSING = {
  '2025-11-25': ['server-initialize', 'ping', 'tools-list', 'dns-rebinding-protection'],
  '2026-07-28': ['tools-list', 'dns-rebinding-protection', 'server-sse-multiple-streams'],
};
/** Failed checks of the scenarios that a listed reason breaks only in part. */
const FAILED_CHECKS = [
  // Prompts and resources are not announced.
  'sep-2549-prompts-list-caching-hints',
  'sep-2549-resources-list-caching-hints',
  'sep-2549-resources-templates-list-caching-hints',
  // Tools of a reference server.
  'sep-2575-http-server-no-independent-requests-on-stream',
  'sep-2575-missing-capability-http-400',
  'sep-2575-server-no-log-without-loglevel',
  'sep-2575-server-rejects-undeclared-capability',
  // No changes are announced, so no stream of them is open.
  'sep-2575-server-sends-subscription-ack',
  'sep-2575-server-tags-subscription-id',
];

interface Check {
  readonly id: string;
  readonly status: string;
}

describe('the MCP conformance suite', () => {
  // Origins are checked on a server of this machine, as the suite expects.
  const shared = sharedApp({ deals: rowsOfTable('deals', 2) }, { publicUrl: 'http://localhost:4021' });

  for (const version of ['2025-11-25', '2026-07-28'] as const) {
    it(`passes with revision ${version}, except for the listed cases, each with its reason`, async () => {
      const folder = mkdtempSync(join(tmpdir(), 'dealfeed-conformance-'));
      const listed = join(folder, 'listed.yml');
      const excluded = version === '2025-11-25' ? [...EXCLUDED, ...EXCLUDED_2025] : EXCLUDED;
      writeFileSync(listed, `server:\n${excluded.map((name) => `  - ${name}\n`).join('')}`);
      const args = [
        version === '2025-11-25' ? '--spec-version' : '--requirements',
        version,
        '--expected-failures',
        listed,
        '--output-dir',
        folder,
      ];
      const { code, out } = await new Promise<{ code: unknown; out: string }>((resolve) => {
        execFile(
          process.execPath,
          [SUITE, 'server', '--url', `${shared.app.url}/mcp`, ...args],
          { cwd: tmpdir(), env: BARE },
          (error, stdout, stderr) => resolve({ code: error ? error.code : 0, out: stdout + stderr }),
        );
      });
      assert.equal(code, 0, out.slice(out.indexOf('Total:')));
      for (const scenario of PASSING[version])
        assert.match(out, new RegExp(`✓ ${scenario}: [1-9]\\d* passed, 0 failed`), scenario);
      const partly = globSync(join(folder, '**/*{server-stateless,caching}-*', 'checks.json'));
      const checks = partly.flatMap((path) => JSON.parse(readFileSync(path, 'utf8')) as Check[]);
      const failed = checks.filter(({ status }) => status === 'FAILURE').map(({ id }) => id);
      assert.deepEqual(failed.sort(), version === '2026-07-28' ? FAILED_CHECKS : []);
      rmSync(folder, { recursive: true });
    });
  }
});
