/** `make status`: freshness of sources, problems, the current snapshot, costs and earnings. */
import type { LedgerSettings } from '../../ledger/open.ts';
import { loadSources } from '../../sources/index.ts';
import type { Layout } from '../layout.ts';
import { checkHealth, type Health, type HealthOptions } from '../operate/health.ts';
import { formatHealth, type Screen } from './status_format.ts';

/** Exit status for monitors: 0 ok, 1 look into a warning, 2 nothing new is published or the data cannot be trusted. */
export const EXIT: Readonly<Record<Health['level'], number>> = { ok: 0, warning: 1, critical: 2 };

export interface StatusOptions extends Screen {
  readonly json?: boolean;
  readonly ledger?: LedgerSettings;
  readonly payments?: HealthOptions['payments'];
  readonly queue?: HealthOptions['queue'];
  readonly store?: HealthOptions['store'];
  readonly backupDays?: number;
}

/** Print the status of a data folder. @returns the exit status */
export async function status(
  layout: Layout,
  print: (line: string) => void,
  options: StatusOptions = {},
): Promise<number> {
  const { json = false, ledger, payments, queue, store, backupDays, ...screen } = options;
  const health = await checkHealth(layout, await loadSources(), {
    ...(ledger ? { ledger } : {}),
    ...(backupDays === undefined ? {} : { backupDays }),
    payments,
    queue,
    store,
  });
  const lines = json ? [JSON.stringify(health, null, 1)] : formatHealth(health, screen);
  for (const line of lines) print(line);
  return EXIT[health.level];
}
