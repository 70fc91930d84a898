/** Text files of county and state offices: Windows-1252 and CSV fields. */

/** Characters of Windows-1252 between 0x80 and 0x9F that the world uses. */
const CP1252: Readonly<Record<string, number>> = { '’': 0x92, '“': 0x93, '”': 0x94, '–': 0x96 };

/** Bytes of a text in Windows-1252. @throws if it has a character without a code */
export function windows1252(text: string): Uint8Array {
  const coded = text.replace(/[\u0100-\u{10ffff}]/gu, (character) => {
    const code = CP1252[character];
    if (code === undefined) throw new Error(`no Windows-1252 code for ${character}`);
    return String.fromCharCode(code);
  });
  return Buffer.from(coded, 'latin1');
}

/** A CSV field, quoted only if necessary. */
export const csvField = (text: string): string => (/[",\r\n]/u.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
