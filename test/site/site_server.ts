/** A snapshot of the real pipeline, served by the real server in sandbox mode, and a real Chromium. */
import { spawn } from 'node:child_process';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium, type Browser } from 'playwright-core';
import { chromiumPath } from '../../sources/fetch/browser.ts';
import { afterFirstDay } from '../pipelines/starting_points.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));

export interface SiteServer {
  readonly url: string;
  readonly browser: Browser;
  close(): Promise<void>;
}

/**
 * The URL in the wallet file, which the server writes when it has started.
 * @param failure output of a server that ended
 */
async function waitForUrl(dataDir: string, failure: () => string | null): Promise<string> {
  for (;;) {
    const text = await readFile(join(dataDir, 'sandbox/wallet.json'), 'utf8').catch(() => null);
    if (text !== null) return (JSON.parse(text) as { base_url: string }).base_url;
    const output = failure();
    if (output !== null) throw new Error(`the server ended: ${output}`);
    await new Promise((resolve) => {
      setTimeout(resolve, 50);
    });
  }
}

export const startBrowser = async (): Promise<Browser> =>
  chromium.launch({
    executablePath: await chromiumPath(process.env['CHROMIUM_PATH']),
    args: ['--no-sandbox', '--disable-gpu'],
  });

/** Serve what the pipeline publishes of the tiny world, and start a browser. */
export async function startSite(): Promise<SiteServer> {
  const { layout } = await afterFirstDay();
  const server = spawn(process.execPath, ['api/server.ts'], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      ...process.env,
      DATA_DIR: layout.root,
      PORT: '0',
      UNBILLED_PER_MINUTE: '0',
      LOG_LEVEL: 'error',
      NODE_ENV: '',
    },
  });
  let output = '';
  for (const stream of [server.stdout, server.stderr])
    stream.on('data', (chunk: Buffer) => {
      output += chunk.toString('utf8');
    });
  const exited = new Promise<void>((resolve) => {
    server.once('exit', () => {
      resolve();
    });
  });
  const stop = async (): Promise<void> => {
    server.kill('SIGTERM');
    await exited;
    await rm(layout.root, { recursive: true, force: true });
  };
  try {
    const url = await waitForUrl(layout.root, () => (server.exitCode === null ? null : output));
    const browser = await startBrowser();
    return {
      url,
      browser,
      async close() {
        await browser.close();
        await stop();
      },
    };
  } catch (error) {
    await stop();
    throw error;
  }
}
