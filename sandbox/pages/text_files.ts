/** Text files of county and state offices, in the encoding of their machines. */

/** Characters of Windows-1252 between 0x80 and 0x9F that the world uses. */
const CP1252: Readonly<Record<string, number>> = { '’': 0x92, '“': 0x93, '”': 0x94, '–': 0x96 };

/** Bytes of a text in Windows-1252. Throws on a character it does not have here. */
export function windows1252(text: string): Uint8Array {
  return Uint8Array.from(text, (character) => {
    const code = CP1252[character] ?? character.codePointAt(0) ?? 0;
    if (code > 0xff) throw new Error(`no Windows-1252 code for ${character}`);
    return code;
  });
}

/** A field as comma-separated files quote it: only where it must be. */
export const csvField = (text: string): string => (/[",\r\n]/u.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
