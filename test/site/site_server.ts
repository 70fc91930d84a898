/** A snapshot of the real pipeline, served by the real server in sandbox mode, and a real Chromium. */
import { rm } from 'node:fs/promises';
import { chromium, type Browser } from 'playwright-core';
import { serve } from '../../api/http/serve.ts';
import { readServerSettings } from '../../api/settings.ts';
import { chromiumPath } from '../../sources/fetch/browser.ts';
import { afterFirstDay } from '../pipelines/starting_points.ts';

export interface SiteServer {
  readonly url: string;
  readonly browser: Browser;
  close(): Promise<void>;
}

const startBrowser = async (): Promise<Browser> =>
  chromium.launch({
    executablePath: await chromiumPath(process.env['CHROMIUM_PATH']),
    args: ['--no-sandbox', '--disable-gpu'],
  });

/** Serve what the pipeline publishes of the tiny world, and start a browser. */
export async function startSite(): Promise<SiteServer> {
  const { layout } = await afterFirstDay();
  const { settings, payments } = readServerSettings({ DATA_DIR: layout.root, PORT: '0', UNBILLED_PER_MINUTE: '0' });
  const server = await serve({ settings, payments });
  const stop = async (): Promise<void> => {
    await server.close();
    await rm(layout.root, { recursive: true, force: true });
  };
  try {
    const browser = await startBrowser();
    return {
      url: server.url,
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
