/** Draws the images of the site into api/site/images/ with Chromium: the link preview and favicon.ico. Run by hand. */
import { readFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { chromium, type Browser } from 'playwright-core';
import { chromiumPath } from '../../sources/fetch/browser.ts';
import { FAVICON, PREVIEW_SIZE } from '../../api/site/images.ts';

const folder = fileURLToPath(new URL('../../api/site/images/', import.meta.url));
const ICON_SIZE = 32;

const FONT = readFileSync(new URL('../../api/site/fonts/geist.woff2', import.meta.url)).toString('base64');

const PREVIEW = `<!doctype html><style>
  @font-face { font-family: Geist; src: url(data:font/woff2;base64,${FONT}); font-weight: 100 900; }
  body { margin: 0; width: 1200px; height: 630px; background: #ffffff; color: #0f1a17; display: flex;
    flex-direction: column; justify-content: center; gap: 34px; padding: 0 84px; box-sizing: border-box;
    font-family: Geist, Arial, sans-serif; border-bottom: 18px solid #0a6355; }
  .brand { margin: 0; font-size: 40px; font-weight: 680; letter-spacing: -1px; display: flex; align-items: center;
    gap: 16px; color: #0f1a17; }
  svg { width: 60px; height: 60px; }
  h1 { margin: 0; font-size: 80px; line-height: 1.05; font-weight: 650; letter-spacing: -3px; text-wrap: balance; }
  p { margin: 0; font-size: 32px; line-height: 1.4; color: #50605a; }
  b { color: #b85f0b; font-weight: 600; }
</style><div class="brand">${FAVICON}Dealfeed</div>
<h1>Small apartment buildings for sale, underwritten from public records</h1>
<p><b>Cents per call, paid with x402.</b> No account. No match, no charge.</p>`;

async function draw(browser: Browser, content: string, size: { width: number; height: number }): Promise<Buffer> {
  const page = await browser.newPage({ viewport: size });
  await page.setContent(content);
  await page.evaluate('document.fonts.ready');
  const image = await page.screenshot({ omitBackground: true });
  await page.close();
  return image;
}

/** An ICO file with one PNG image of this width and height. */
function icoOf(png: Buffer, size: number): Buffer {
  const header = Buffer.alloc(22);
  header.writeUInt16LE(1, 2);
  header.writeUInt16LE(1, 4);
  header.writeUInt8(size, 6);
  header.writeUInt8(size, 7);
  header.writeUInt16LE(1, 10);
  header.writeUInt16LE(32, 12);
  header.writeUInt32LE(png.length, 14);
  header.writeUInt32LE(header.length, 18);
  return Buffer.concat([header, png]);
}

const browser = await chromium.launch({
  executablePath: await chromiumPath(process.env['CHROMIUM_PATH']),
  args: ['--no-sandbox', '--disable-gpu'],
});
try {
  await mkdir(folder, { recursive: true });
  await writeFile(`${folder}preview.png`, await draw(browser, PREVIEW, PREVIEW_SIZE));
  const icon = `<!doctype html><style>body { margin: 0 } svg { display: block; width: 100vw }</style>${FAVICON}`;
  const png = await draw(browser, icon, { width: ICON_SIZE, height: ICON_SIZE });
  await writeFile(`${folder}favicon.ico`, icoOf(png, ICON_SIZE));
} finally {
  await browser.close();
}
