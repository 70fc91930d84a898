/** What every HTML page of the sandbox has: the banner that says it is made up, and escaping. */

export const BANNER = 'SANDBOX: this page and everything on it is made up.';

export const escapeHtml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');

const banner = `<div class="sandbox-banner" role="note" style="background:#ffd54d;color:#222;padding:.5em 1em;font:bold 14px sans-serif">${BANNER}</div>`;

/** A whole page; `head` and `body` are markup. */
export const htmlPage = (title: string, body: string, head = ''): string =>
  `<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<title>${escapeHtml(title)}</title>\n${head}</head>\n<body>\n${banner}\n${body}\n</body>\n</html>\n`;

/** A JSON-LD script element. A closing tag within the data cannot end it. */
export const jsonLd = (value: unknown): string =>
  `<script type="application/ld+json">\n${JSON.stringify(value, null, 1).replaceAll('<', '\\u003c')}\n</script>\n`;

/** "$1,250,000" */
export const wholeDollars = (amount: string): string =>
  `$${amount.replace(/\.\d\d$/u, '').replace(/\B(?=(\d{3})+$)/gu, ',')}`;

/** "$133,334.00" */
export const fullDollars = (amount: string): string => `${wholeDollars(amount)}${amount.slice(-3)}`;
