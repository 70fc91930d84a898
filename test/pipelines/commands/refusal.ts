/** A run in this process that is refused. cli.test.ts starts the process of one. */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeRun } from '../../../pipelines/commands/run.ts';
import { failureText } from '../../../pipelines/failure.ts';
import { BARE } from '../../environment.ts';

/** The message of the run, as its process would print it. Its settings are the environment of this process. */
export async function refusal(env: Record<string, string>): Promise<string> {
  const own = process.env;
  process.env = { ...BARE, DATA_DIR: mkdtempSync(join(tmpdir(), 'dealfeed-cli-')), ...env };
  try {
    return await makeRun().then(
      (status) => `not refused: ${status}`,
      (error: unknown) => failureText(error, tmpdir()),
    );
  } finally {
    process.env = own;
  }
}
