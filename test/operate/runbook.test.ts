/** Every reason in the code has a section in docs/runbook.md, and every section belongs to a reason. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { PROBLEMS } from '../../api/http/problem.ts';
import { WARNING_CODES } from '../../api/payments/health.ts';
import { DEGRADED_REASONS } from '../../models/marts/sources.ts';
import { EXIT } from '../../pipelines/commands/status.ts';
import { WAITS } from '../../pipelines/ingest/source_state.ts';
import { PROBLEMS as HEALTH_PROBLEMS } from '../../pipelines/operate/problems.ts';
import { QUARANTINE_REASONS, UNAVAILABLE_REASONS } from '../../sources/contract.ts';

const read = (path: string): string => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
const page = read('docs/runbook.md');
const sections = new Map(
  page
    .split(/^### /mu)
    .slice(1)
    .map((section) => [section.slice(0, section.indexOf('\n')), section.slice(section.indexOf('\n')).trim()]),
);

// Problems of a read link to the reason of the read.
const BY_REASON = ['source_quarantined', 'source_unavailable', 'source_degraded'];
/** Failures that have no word in the code. */
const NAMED_HERE = ['data_lost', 'disk_full', 'folder_in_use', 'receipt_key_leaked'];

test('every reason has a section, and every section is of a reason', () => {
  const reasons = [
    ...QUARANTINE_REASONS,
    ...UNAVAILABLE_REASONS,
    ...DEGRADED_REASONS,
    ...Object.keys(WAITS),
    ...Object.keys(HEALTH_PROBLEMS).filter((kind) => !BY_REASON.includes(kind)),
    ...Object.values(EXIT).flatMap((status) => (status > 0 ? [`exit_status_${status}`] : [])),
    ...Object.entries(PROBLEMS).flatMap(([reason, { status }]) => (status >= 500 ? [reason] : [])),
    ...WARNING_CODES,
    ...NAMED_HERE,
  ];
  assert.deepEqual([...sections.keys()].sort(), [...new Set(reasons)].sort());
});

test('no section is empty, and every command in one exists', () => {
  for (const [reason, text] of sections) assert.ok(text.length > 80, `${reason} says too little`);
  const targets = [...page.matchAll(/`make ([a-z-]+)/gu)].map(([, target = '']) => target);
  assert.ok(targets.length > 10);
  for (const target of targets) assert.match(read('Makefile'), new RegExp(`^${target}:`, 'mu'), target);
});
