/**
 * RealAuction's compression of HTML: two-letter tokens stand for pieces of markup, and a script on the page expands
 * them.
 */
import { Quarantine } from '../../contract.ts';

/** The token table of the site's script. */
const TOKENS: Readonly<Record<string, string>> = {
  '@A': '<div class="',
  '@B': '</div>',
  '@C': ' class="',
  '@D': '<div>',
  '@E': 'AUCTION',
  '@F': '</td><td',
  '@G': '</td></tr>',
  '@H': '<tr><td ',
  '@I': 'table',
  '@J': 'p_back="NextCheck=',
  '@K': 'style="Display:none"',
  '@L': '/index.cfm?zaction=auction&zmethod=details&AID=',
};

/** Expand the tokens. @throws Quarantine template_changed if an unknown token remains */
export function expandTokens(compressed: string, pageUrl?: string): string {
  const html = compressed.replace(/@[A-L]/gu, (token) => TOKENS[token] ?? token);
  const unknown = /@[A-Z]/u.exec(html);
  if (unknown === null) return html;
  const near = JSON.stringify(html.slice(Math.max(0, unknown.index - 30), unknown.index + 30));
  throw new Quarantine('template_changed', `unknown token ${unknown[0]} near ${near}`, pageUrl);
}
