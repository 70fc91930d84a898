/** The alerts of a data folder as it stands now. */
import { pipelineSettings, readSettings } from '../../lib/settings.ts';
import { loadSources } from '../../sources/index.ts';
import type { Layout } from '../layout.ts';
import { tellTroubles } from './alerts.ts';
import { healthOf } from './health.ts';
import { alertSettings } from './settings.ts';

/** Tell ALERT_COMMAND what is new; nothing where none is set. Whatever goes wrong with it is a line, never an error. */
export async function tell(layout: Layout, say: (line: string) => void): Promise<void> {
  const { ALERT_COMMAND, ALERT_SECONDS } = readSettings(alertSettings);
  if (ALERT_COMMAND === undefined) return;
  try {
    const { LEDGER, QUEUE } = readSettings(pipelineSettings);
    const { troubles } = await healthOf(layout, await loadSources(), {
      ledger: { DATA_DIR: layout.root, LEDGER },
      queue: QUEUE,
    });
    for (const line of await tellTroubles(troubles, {
      layout,
      command: ALERT_COMMAND,
      timeoutMs: ALERT_SECONDS * 1000,
    }))
      say(line);
  } catch (error) {
    say(`alerts could not be told: ${error instanceof Error ? error.message : String(error)}`);
  }
}
