/** Checks of the fetcher's errors, for assert.rejects. */
import assert from 'node:assert/strict';
import { Quarantine, SourceUnavailable } from '../../sources/contract.ts';

export const unavailable =
  (reason: SourceUnavailable['reason'], message = /./) =>
  (error: unknown): boolean => {
    assert.ok(error instanceof SourceUnavailable, String(error));
    assert.equal(error.reason, reason, error.message);
    assert.match(error.message, message);
    return true;
  };

export const quarantined =
  (reason: Quarantine['reason'], message = /./) =>
  (error: unknown): boolean => {
    assert.ok(error instanceof Quarantine, String(error));
    assert.equal(error.reason, reason, error.message);
    assert.match(error.message, message);
    return true;
  };
