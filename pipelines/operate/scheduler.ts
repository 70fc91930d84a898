/**
 * Runs scheduled jobs and sends alerts until it is stopped, for containers, which have neither systemd nor cron. The
 * schedule is that of `make schedule`; the jobs take their settings from the environment of this process.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { print } from '../../lib/output.ts';
import { pipelineSettings, readSettings, SettingError } from '../../lib/settings.ts';
import { failureText } from '../failure.ts';
import { layoutOf } from '../layout.ts';
import { sendAlerts } from './alerts/send.ts';
import { runMissedJobs, type JobRunner } from './schedule/run_job.ts';

const MINUTE_MS = 60_000;
/** Problems of the current hour are reported once, as by `make watch`. */
const ALERTS_EVERY = 60;

export interface SchedulerOptions {
  readonly dataDir: string;
  readonly signal: AbortSignal;
  /** Called between two rounds. Default: waits a minute. */
  readonly wait?: (signal: AbortSignal) => Promise<void>;
  readonly now?: () => Date;
  readonly runner?: JobRunner;
}

const waitMinute = async (signal: AbortSignal): Promise<void> => {
  await pause(MINUTE_MS, undefined, { signal }).catch(() => undefined);
};

/** Every minute run the jobs whose time has come, one after the other; every hour send alerts. */
export async function keepSchedule(options: SchedulerOptions): Promise<void> {
  const { dataDir, signal, wait = waitMinute, now = (): Date => new Date(), runner } = options;
  for (let round = 0; !signal.aborted; round += 1) {
    const outcomes = await runMissedJobs({ dataDir, print, now: now(), ...(runner ? { runner } : {}) });
    for (const [job, outcome] of outcomes) if (outcome === 'done') print(`job ${job}: done`);
    const ran = [...outcomes.values()].some((outcome) => outcome === 'done' || outcome === 'failed');
    if (ran || round % ALERTS_EVERY === 0) await sendAlerts(layoutOf(dataDir), print);
    await wait(signal);
  }
}

if (import.meta.main) {
  try {
    const { DATA_DIR, LIVE, CONTACT } = readSettings(pipelineSettings);
    if (LIVE && CONTACT === undefined)
      throw new SettingError('CONTACT is null, expected an address or URL where site owners reach you');
    const stopping = new AbortController();
    for (const signal of ['SIGINT', 'SIGTERM'] as const)
      process.on(signal, () => {
        // A run that is in progress ends with the container; the next one continues from its archived pages.
        if (stopping.signal.aborted) process.exit(1);
        stopping.abort();
      });
    print(`scheduler: jobs of ${DATA_DIR}`);
    await keepSchedule({ dataDir: DATA_DIR, signal: stopping.signal });
  } catch (error) {
    process.stderr.write(`${failureText(error, process.env['DATA_DIR'] || 'data')}\n`);
    process.exitCode = 1;
  }
}
