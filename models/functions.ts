/**
 * Functions of TypeScript that models call as functions of DuckDB: addresses and names of organizations. The API calls
 * the same functions for what a buyer types, so that each rule has one definition.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  BOOLEAN,
  DuckDBScalarFunction,
  INTEGER,
  LIST,
  listValue,
  STRUCT,
  structValue,
  VARCHAR,
  type DuckDBConnection,
  type DuckDBType,
  type DuckDBValue,
} from '@duckdb/node-api';
import { addressBasis, basisInCounty, placeAgreement, type PlaceAgreement } from '../lib/addresses/match.ts';
import { addressesOf, isPoBox, listingParts, type AddressParts } from '../lib/addresses/parts.ts';
import { organizationKey } from '../lib/organizations.ts';

interface SharedFunction {
  readonly parameters: readonly DuckDBType[];
  readonly result: DuckDBType;
  /** The value of one row. */
  readonly compute: (args: readonly (DuckDBValue | undefined)[]) => DuckDBValue;
}

const PARTS = { address_key: VARCHAR, street_key: VARCHAR, house_low: INTEGER, house_high: INTEGER, unit_key: VARCHAR };
const COLUMNS_OF_PARTS = Object.values(PARTS);

const textOf = (value: DuckDBValue | undefined): string | null => (typeof value === 'string' ? value : null);
const numberOf = (value: DuckDBValue | undefined): number | null => (typeof value === 'number' ? value : null);
const structOf = (parts: AddressParts | null): DuckDBValue => (parts === null ? null : structValue({ ...parts }));

/** A function of one text; null where the text is. */
const ofText = (result: DuckDBType, compute: (text: string) => DuckDBValue): SharedFunction => ({
  parameters: [VARCHAR],
  result,
  compute: ([text]) => (typeof text === 'string' ? compute(text) : null),
});

/** The five parts of an address; all null for a row without one. */
const partsOf = ([key, street, low, high, unit]: readonly (DuckDBValue | undefined)[]) => ({
  address_key: textOf(key),
  street_key: textOf(street),
  house_low: numberOf(low),
  house_high: numberOf(high),
  unit_key: textOf(unit),
});

const FUNCTIONS: Readonly<Record<string, SharedFunction>> = {
  /** The parts of each address that a street names; null for one without a house number. */
  addresses_of: ofText(LIST(STRUCT(PARTS)), (street) => listValue(addressesOf(street).map(structOf))),
  /** The parts of the street of a listing, by its street and stated number of units. */
  listing_parts: {
    parameters: [VARCHAR, INTEGER],
    result: STRUCT(PARTS),
    compute: ([street, units]) => structOf(listingParts(textOf(street) ?? '', numberOf(units))),
  },
  is_po_box: ofText(BOOLEAN, isPoBox),
  /** The basis on which two addresses match, each by its five parts. */
  address_basis: {
    parameters: [...COLUMNS_OF_PARTS, ...COLUMNS_OF_PARTS],
    result: VARCHAR,
    compute: (args) => addressBasis(partsOf(args.slice(0, 5)), partsOf(args.slice(5))),
  },
  /** Whether a record is in the wanted place: its ZIP, city and basis of the city, and the ZIP and city wanted. */
  place_agreement: {
    parameters: [VARCHAR, VARCHAR, VARCHAR, VARCHAR, VARCHAR],
    result: VARCHAR,
    compute: ([zip, city, basis, wantedZip, wantedCity]) =>
      placeAgreement(
        { zip: textOf(zip), city: textOf(city), city_basis: textOf(basis) },
        { zip: textOf(wantedZip), city: textOf(wantedCity) },
      ),
  },
  /** The basis of a match by the agreement of the places. */
  basis_in_county: {
    parameters: [VARCHAR, VARCHAR],
    result: VARCHAR,
    compute: ([basis, agreement]) => basisInCounty(textOf(basis) ?? '', textOf(agreement) as PlaceAgreement),
  },
  organization_key: ofText(VARCHAR, organizationKey),
};

/** Create the functions in the instance of a connection, for all its databases and connections. */
export function createFunctions(connection: DuckDBConnection): void {
  for (const [name, { parameters, result, compute }] of Object.entries(FUNCTIONS)) {
    connection.registerScalarFunction(
      DuckDBScalarFunction.create({
        name,
        parameterTypes: parameters,
        returnType: result,
        specialHandling: true,
        mainFunction(_, input, output) {
          const columns = parameters.map((_type, index) => input.getColumnVector(index));
          const { rowCount } = input;
          for (let row = 0; row < rowCount; row += 1)
            output.setItem(row, compute(columns.map((column) => column.getItem(row))));
          output.flush();
        },
      }),
    );
  }
}

/** The source of the functions, which is part of the logic of a snapshot. */
export function functionsSource(): string {
  const lib = join(import.meta.dirname, '..', 'lib');
  const names = readdirSync(join(lib, 'addresses')).sort();
  const files = [...names.map((name) => join(lib, 'addresses', name)), join(lib, 'organizations.ts')];
  return [...files, import.meta.filename].map((file) => readFileSync(file, 'utf8')).join('\n');
}
