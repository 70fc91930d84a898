/** Settings of a run that reads the sandbox. */
import { fileURLToPath } from 'node:url';
import { SANDBOX_SECRETS } from './pages/reso_mls.ts';

/** The folder of the made-up brokers. */
export const SANDBOX_SOURCES = new URL('sources/', import.meta.url);

/** Beside SANDBOX_URL: the keys that its sites accept, and its sources. */
export const SANDBOX_SETTINGS = {
  ...SANDBOX_SECRETS,
  EXTRA_SOURCES: fileURLToPath(SANDBOX_SOURCES),
} as const;
