/** The runner of commands. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ofWork } from '../../lib/command.ts';

test('the error of the work is reported, even if closing two things failed after it', async () => {
  const fail = (message: string) => (): never => {
    throw new Error(message);
  };
  const work = async (): Promise<void> => {
    await using cleanup = new AsyncDisposableStack();
    cleanup.defer(fail('first'));
    cleanup.defer(fail('second'));
    fail('work')();
  };
  await assert.rejects(work(), (error: unknown) => {
    assert.ok(error instanceof SuppressedError);
    assert.deepEqual(ofWork(error), new Error('work'));
    return true;
  });
});
