/**
 * City of Charlotte, North Carolina: code enforcement cases that are new or open.
 *
 * Known from public readers: about 430,000 cases, of which some 4,000 are New or Open; addresses such as
 * "2601 EXAMPLE RD CHARLOTTE, NC 28216", some without a ZIP or a house number; and that a case's parcel and address may
 * disagree. No row was recorded, and the layout is not confirmed: a field that is missing quarantines the source. The
 * inspector's contact fields are not read.
 */
import type { Situs } from '../readers/addresses.ts';
import { arcgisDistress } from '../readers/arcgis/adapter.ts';
import { EASTERN, layerDay, otherCode } from '../readers/arcgis/values.ts';
import { joined, line, optional } from '../values.ts';

/** Cities and towns of the county. Nothing else shows where the street ends. */
const PLACES = /^(.*\S)\s+(CHARLOTTE|HUNTERSVILLE|CORNELIUS|DAVIDSON|MATTHEWS|MINT HILL|PINEVILLE|STALLINGS)$/iu;

/** The parts of "2601 EXAMPLE RD CHARLOTTE, NC 28216". */
function situsOf(value: unknown): Situs {
  const text = line(value);
  const [, before = text, zip = null] = /^(.*?),?\s*NC(?:\s+(\d{5})(?:-\d{4})?)?$/iu.exec(text ?? '') ?? [];
  const [, street = before, city = null] = PLACES.exec(before ?? '') ?? [];
  return { street, city, zip };
}

export default arcgisDistress({
  name: 'nc_charlotte_code',
  title: 'City of Charlotte code enforcement cases',
  county: { fips: '37119', name: 'Mecklenburg County', state: 'NC' },
  layer: 'https://gis.charlottenc.gov/arcgis/rest/services/HNS/CodeEnforcementCasesAll/MapServer/0',
  where: "CaseStatus IN ('New', 'Open')",
  covers: { kinds: ['code_violation'], city: 'Charlotte' },
  terms: {
    basis: 'open_data',
    note: "Published on the city's open data portal; its terms of use were not obtained.",
    url: 'https://data.charlottenc.gov/datasets/charlotte::code-enforcement-cases-all/about',
  },
  everyDays: 1,
  expect: {
    minRows: 1,
    maxRejectShare: 0.05,
    maxDropShare: 0.5,
    joins: { address: 0.7, zip: 0.5 },
    newest: { column: 'filed_on', maxAgeDays: 180 },
  },
  signalType: 'code_violation',
  record: 'CaseNumber',
  parcel: 'ParcelId',
  parcelForm: /^\d{8}[A-Z]?$/iu,
  needed: ['CaseStatus', 'CaseType', 'FullAddress', 'DateCreated'],
  optional: ['CaseOrigin'],
  outOfScope: (feature) => otherCode('CaseType', feature.CaseType),
  values: (feature, { readOn }) => {
    const state_raw = optional(feature.CaseStatus);
    return {
      ...situsOf(feature.FullAddress),
      filed_on: layerDay('DateCreated', feature.DateCreated, { zone: EASTERN, latest: readOn, impossible: 'null' }),
      record_state: state_raw === null ? 'unknown' : /^closed\b/iu.test(state_raw) ? 'closed' : 'open',
      state_raw,
      description: joined([feature.CaseType, feature.CaseOrigin], ': '),
    };
  },
});
