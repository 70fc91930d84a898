/**
 * Pages whose rows appear only once their script has run, read in a real Chromium without a window.
 *
 * The browser has no way to the network of its own: each request that a page makes is handed to `fetchOne`, which
 * keeps robots.txt, the allow-list, the pace and the user agent as for any page, and pictures and the like are not
 * asked for at all. What comes out is the document as it stands when the rows are there.
 *
 * Chromium is the one named by the operator, else the system's, else the one that @sparticuz/chromium carries, which is
 * installed for development only.
 */
import { access, constants } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import type { Browser, BrowserContext, Route } from 'playwright-core';
import { NoAnswer, type Answer } from './transport.ts';

/**
 * What a page asks for while it is built; bodies come decoded.
 * @throws where it is not ours to ask for, or does not answer
 */
export type FetchOne = (url: URL) => Promise<Answer>;

export interface Renderer {
  /**
   * @param waitFor selector of what is there once the rows are; after `waitMs` the document is taken as it is
   * @returns the document, or the site's own answer where that is no page
   * @throws NoAnswer where no browser can be had or the page does not load
   */
  render(url: URL, waitFor: string, userAgent: string, fetchOne: FetchOne): Promise<Answer>;
  close(): Promise<void>;
}

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];
const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];
/** Kinds of requests that a document's text may depend on. */
const NEEDED: ReadonlySet<string> = new Set(['document', 'script', 'xhr', 'fetch']);
const WAIT_MS = 15_000;
const LOAD_MS = 30_000;

/**
 * Path of the Chromium to start: the one named, else the system's, else the packages'.
 * @throws NoAnswer where there is none
 */
export async function chromiumPath(named?: string): Promise<string> {
  if (named !== undefined) return named;
  for (const folder of (process.env['PATH'] ?? '').split(delimiter)) {
    for (const name of NAMES) {
      const path = join(folder, name);
      if (
        await access(path, constants.X_OK).then(
          () => true,
          () => false,
        )
      )
        return path;
    }
  }
  const packaged = await import('@sparticuz/chromium').catch(() => {
    throw new NoAnswer(
      'unreachable',
      'there is no Chromium on this machine, and the packages were installed without the one for development. Install Chromium and set CHROMIUM_PATH, or run: make setup',
    );
  });
  return packaged.default.executablePath();
}

async function launch(named: string | undefined): Promise<Browser> {
  try {
    const { chromium } = await import('playwright-core');
    return await chromium.launch({
      executablePath: await chromiumPath(named),
      headless: true,
      args: FLAGS,
      timeout: LOAD_MS,
    });
  } catch (error) {
    if (error instanceof NoAnswer) throw error;
    // The first line says what is wrong; the rest is the browser's log with paths of this machine.
    throw new NoAnswer('unreachable', `no Chromium can be started (set CHROMIUM_PATH): ${firstLine(error)}`);
  }
}

const firstLine = (error: unknown): string =>
  ((error instanceof Error ? error.message : String(error)).split('\n')[0] ?? '').slice(0, 200);

/** Headers of an answer whose body is decoded and whole. */
const plainHeaders = ({ headers }: Answer): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).filter(
      ([name]) => !['content-encoding', 'content-length', 'transfer-encoding'].includes(name),
    ),
  );

async function answerTo(
  route: Route,
  first: { readonly url: string; readonly answer: Answer },
  fetchOne: FetchOne,
): Promise<void> {
  const request = route.request();
  if (request.method() !== 'GET' || !NEEDED.has(request.resourceType())) return route.abort('blockedbyclient');
  try {
    const answer =
      request.isNavigationRequest() && request.url() === first.url
        ? first.answer
        : await fetchOne(new URL(request.url()));
    // A redirect of a part of the page would be followed unseen.
    if (answer.status >= 300 && answer.status < 400) return await route.abort('blockedbyclient');
    return await route.fulfill({
      status: answer.status,
      headers: plainHeaders(answer),
      body: Buffer.from(answer.body),
    });
  } catch {
    // What is refused to the page shows in what it then lacks.
    return route.abort('failed').catch(() => {});
  }
}

/** @param named path of a Chromium, where the operator names one */
export function createRenderer(named?: string): Renderer {
  let browser: Promise<Browser> | undefined;

  async function render(url: URL, waitFor: string, userAgent: string, fetchOne: FetchOne): Promise<Answer> {
    const answer = await fetchOne(url);
    if (answer.status !== 200) return answer;
    browser ??= launch(named);
    let context: BrowserContext | undefined;
    try {
      context = await (await browser).newContext({ userAgent, serviceWorkers: 'block', acceptDownloads: false });
      await context.route('**/*', (route) => answerTo(route, { url: url.href, answer }, fetchOne));
      const page = await context.newPage();
      await page.goto(url.href, { waitUntil: 'domcontentloaded', timeout: LOAD_MS });
      await page.waitForSelector(waitFor, { state: 'attached', timeout: WAIT_MS }).catch(() => null);
      const body = new TextEncoder().encode(`${await page.content()}\n`);
      return { status: 200, headers: { 'content-type': 'text/html; charset=utf-8' }, setCookie: [], body };
    } catch (error) {
      if (error instanceof NoAnswer) throw error;
      throw new NoAnswer('unreachable', `the page does not load in Chromium: ${firstLine(error)}`);
    } finally {
      await context?.close().catch(() => {});
    }
  }

  return {
    render,
    close: async () => {
      await (await browser?.catch(() => undefined))?.close();
    },
  };
}
