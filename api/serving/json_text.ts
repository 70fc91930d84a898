/** A response body assembled from JSON texts, so that records are not parsed and serialized again. */

const COMMA = Buffer.from(',');
const areTexts = (value: unknown): value is readonly Buffer[] =>
  Array.isArray(value) && value.length > 0 && value.every((item) => Buffer.isBuffer(item));

export class JsonText {
  readonly bytes: Buffer;
  private constructor(bytes: Buffer) {
    this.bytes = bytes;
  }

  /** An object with these fields. An array of buffers is an array of JSON texts. */
  static of(fields: Readonly<Record<string, unknown>>): JsonText {
    const parts: Buffer[] = [];
    let text = '';
    for (const [name, value] of Object.entries(fields)) {
      if (value === undefined) continue;
      text += `${text === '' && parts.length === 0 ? '{' : ','}${JSON.stringify(name)}:`;
      if (!areTexts(value)) {
        text += JSON.stringify(value);
        continue;
      }
      parts.push(Buffer.from(`${text}[`));
      for (const [i, item] of value.entries()) {
        if (i > 0) parts.push(COMMA);
        parts.push(item);
      }
      text = ']';
    }
    parts.push(Buffer.from(text === '' ? '{}' : `${text}}`));
    return new JsonText(Buffer.concat(parts));
  }
}

/** The body as an object. */
export const bodyObject = (body: unknown): unknown => (body instanceof JsonText ? parseRecord(body.bytes) : body);

/** The record of a JSON text. */
export const parseRecord = (text: Buffer): Record<string, unknown> =>
  JSON.parse(text.toString('utf8')) as Record<string, unknown>;

/** The text of a record with a field behind its others. */
export const withField = (text: Buffer, name: string, value: unknown): Buffer =>
  Buffer.concat([text.subarray(0, -1), Buffer.from(`,"${name}":${JSON.stringify(value)}}`)]);
