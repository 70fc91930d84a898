/** The documented commands that are run, and four of them. commands_run.proof.ts runs them all. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ELSEWHERE, IN_PLACE, testCommand, typed, written } from './typed_commands.ts';

const SMALL = { SOURCES: 'heartland_multifamily,hud_fmr', LISTINGS: '12', PARCELS: '40', AUCTIONS: '0', FILINGS: '0' };
const RUN_HERE = ['make help', 'make run', 'make status', 'make explain ID=...'] as const;

test('at least 15 documented commands are run, and every exception and placeholder occurs in a page', () => {
  assert.ok(typed.length >= 15, `${typed.length} commands run`);
  for (const [command] of ELSEWHERE)
    assert.ok(
      written.some((c) => command.test(c)),
      `${command.source} is an exception and in no page`,
    );
  for (const [part] of IN_PLACE)
    assert.ok(
      typed.some((c) => part.test(c)),
      `${part.source} is a placeholder and in no page`,
    );
});

describe('documented commands run', () => {
  for (const command of RUN_HERE) {
    assert.ok(typed.includes(command), `${command} is in no page`);
    testCommand(command, SMALL);
  }
});
