/** JSON bodies of pages. */
import { Quarantine } from './contract.ts';

/**
 * @param what subject of the error message, such as "the response"
 * @throws Quarantine malformed_page if the text is not JSON
 */
export function parseJson(text: string, what: string, pageUrl: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    const start = JSON.stringify(text.slice(0, 80));
    throw new Quarantine('malformed_page', `${what} is not JSON; it starts with ${start}`, pageUrl);
  }
}
