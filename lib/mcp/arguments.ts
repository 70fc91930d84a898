/** Arguments of tools as parts of a URL. */

/** A call that cannot be sent. */
export class ArgumentError extends Error {
  override readonly name = 'ArgumentError';
}

/** @throws ArgumentError if it is neither text, a number nor a boolean */
export function textOf(name: string, value: unknown): string {
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return String(value);
  throw new ArgumentError(`${name} is ${JSON.stringify(value)}, expected text, a number, or true or false.`);
}

/** A value as one path segment. "." and ".." would change the path. @throws ArgumentError */
export function segmentOf(name: string, value: unknown): string {
  const text = textOf(name, value);
  if (/^\.{0,2}$/.test(text)) throw new ArgumentError(`${name} is ${JSON.stringify(text)}, expected an id.`);
  return encodeURIComponent(text);
}
