/** Sends the alerts of a data folder to ALERT_COMMAND. */
import { messageOf } from '../../../lib/errors.ts';
import { pipelineSettings, readSettings } from '../../../lib/settings.ts';
import { loadSources } from '../../../sources/index.ts';
import type { Layout } from '../../layout.ts';
import { alertChanges } from './alerts.ts';
import { checkHealth } from '../health.ts';
import { operatorSettings } from '../settings.ts';

/** Send new alerts; does nothing without ALERT_COMMAND. A failure is printed, never thrown. */
export async function sendAlerts(layout: Layout, print: (line: string) => void): Promise<void> {
  const { ALERT_COMMAND } = readSettings(operatorSettings);
  if (ALERT_COMMAND === undefined) return;
  try {
    const { LEDGER, QUEUE, STORE } = readSettings(pipelineSettings);
    const ledger = { DATA_DIR: layout.root, LEDGER };
    const { troubles } = await checkHealth(layout, await loadSources(), { ledger, queue: QUEUE, store: STORE });
    for (const line of await alertChanges(troubles, { layout, command: ALERT_COMMAND })) print(line);
  } catch (error) {
    print(`alerts could not be sent: ${messageOf(error)}`);
  }
}
