/** docs/parcel-numbers.md: parcel numbers as counties print them, and how well rows of one property are joined. */
import { readFileSync } from 'node:fs';
import { parse } from 'csv-parse/sync';
import { cell, table } from '../../lib/markdown.ts';

const rowsOf = (name: string): Record<string, string>[] =>
  parse(readFileSync(new URL(`../../models/reference/${name}.csv`, import.meta.url), 'utf8'), { columns: true });

const code = (text: string | undefined): string => `\`${(text ?? '').replace('  ', '␣␣')}\``;

export const parcelNumbersPage = (): string =>
  [
    '# Parcel numbers',
    'For analysts and contributors: see how parcel numbers of each county are compared, and how accurately rows of ' +
      'one property are joined. Written by `make docs` from `models/reference/parcel_formats.csv` and ' +
      '`identity_by_county.csv`; do not edit.',
    'Two rows of a county belong to one property if their parcel numbers have the same key, or if they have exactly ' +
      'the same normalized address in the same ZIP. The macro `parcel_key_of` computes the key. For a county that is ' +
      'not listed here, the key is the letters and digits of the number. Words such as "Property Appraiser" and ' +
      'zeros have no key. In a county with declared forms, other text has no key either.',
    '## Forms',
    'The last column gives the evidence. publisher: documentation of the publisher; recorded: rows of a source; ' +
      'third_party: a public project that reads the source; unconfirmed: assumed. Each ␣ is a blank.',
    table(
      ['county', 'form', 'printed', 'key', 'rule', 'known from'],
      rowsOf('parcel_formats').map((row) => [
        cell(row['county'] ?? ''),
        cell(row['form'] ?? ''),
        code(row['printed']),
        code(row['parcel_key']),
        cell(row['rule'] ?? ''),
        `${row['confirmed']}: ${cell(row['source'] ?? '')} (${row['read_on']})`,
      ]),
    ),
    '## Accuracy by county',
    'The models join pairs of invented rows, one of a list and one of a sale. The rules in ' +
      '`test/identity/county_pairs.ts` generate them. Some pairs are one property: one parcel in two forms, one ' +
      'address in two spellings, words for a number. Others only look alike: the next number, exchanged digits, ' +
      'parts and units of a property, a range of house numbers, north and south, one street in two towns. A test ' +
      'requires a precision of 0.999 and a recall of 0.98 in each county. The missed pairs print only a part of the ' +
      'number. The last two columns count parcel numbers in recorded files of real sources, and those that have a ' +
      'key.',
    table(
      ['county', 'pairs', 'of one property', 'joined', 'precision', 'recall', 'recorded numbers', 'with a key'],
      rowsOf('identity_by_county').map((row) =>
        ['county', 'pairs', 'same', 'joined', 'precision', 'recall', 'recorded', 'recorded_keys'].map(
          (name) => row[name] || 'none',
        ),
      ),
    ),
    'Foreclosure filings in Allegheny print a pin and a block and lot: all 263 recorded filings with both have one ' +
      'key. In Hillsborough, foreclosures print the survey number and tax deeds the folio: a parcel has two keys, ' +
      'and such rows join by address alone.',
  ].join('\n\n');
