/** The ways in which people type an address. */

/** An address as a record has it. */
export interface Property {
  readonly street: string;
  readonly unit?: string;
  readonly city: string;
  readonly state: string;
  readonly stateName: string;
  readonly zip: string;
  readonly county: string;
}

/** What is typed into the parameters of a lookup. */
export interface TypedForm {
  readonly form: string;
  readonly query: { readonly address: string; readonly city?: string; readonly state?: string };
}

/** "Saint Louis" as "St. Louis", and the other way around. */
const otherSaint = (city: string): string =>
  /^Saint /iu.test(city) ? city.replace(/^Saint /iu, 'St. ') : city.replace(/^St\.? /iu, 'Saint ');

const WITHOUT_UNIT: Readonly<Record<string, (p: Property) => string>> = {
  country: (p) => `${p.street}, ${p.city}, ${p.state} ${p.zip}, USA`,
  dotted_country: (p) => `${p.street}, ${p.city}, ${p.state} ${p.zip}, U.S.A.`,
  full_country: (p) => `${p.street}, ${p.city}, ${p.state} ${p.zip}, United States`,
  state_name: (p) => `${p.street}, ${p.city}, ${p.stateName} ${p.zip}`,
  state_name_alone: (p) => `${p.street}, ${p.city}, ${p.stateName}`,
  no_commas: (p) => `${p.street} ${p.city} ${p.state} ${p.zip}`,
  no_commas_lower: (p) => `${p.street} ${p.city} ${p.state}`.toLowerCase(),
  no_commas_state_name: (p) => `${p.street} ${p.city} ${p.stateName}`,
  no_commas_country: (p) => `${p.street} ${p.city} ${p.stateName} ${p.zip}-0001 United States of America`.toUpperCase(),
  one_comma: (p) => `${p.street} ${p.city}, ${p.state} ${p.zip}`,
  one_comma_before_city: (p) => `${p.street}, ${p.city} ${p.state} ${p.zip}`,
  zip_plus_four: (p) => `${p.street}, ${p.city}, ${p.state} ${p.zip}-1234`,
  zip_plus_four_apart: (p) => `${p.street}, ${p.city}, ${p.state}, ${p.zip} 1234`,
  spaces: (p) => `  ${p.street.replaceAll(' ', '   ')} ,  ${p.city} ,${p.state}   ${p.zip} , `,
  periods: (p) => `${p.street}., ${p.city}., ${p.state}. ${p.zip}.`,
  dash: (p) => `${p.street} - ${p.city}, ${p.state}`,
  city_only: (p) => `${p.street}, ${p.city}`,
  city_without_comma: (p) => `${p.street} ${p.city}`,
  zip_only: (p) => `${p.street}, ${p.zip}`,
  zip_without_comma: (p) => `${p.street} ${p.zip}`,
  state_and_zip: (p) => `${p.street} ${p.state} ${p.zip}`,
  geocoder: (p) =>
    `${p.street.replace(/^(\S+) /u, '$1, ')}, ${p.city}, ${p.county}, ${p.stateName}, ${p.zip}, United States`,
  other_saint: (p) => `${p.street}, ${otherSaint(p.city)}, ${p.state}`,
  other_saint_no_commas: (p) => `${p.street} ${otherSaint(p.city)} ${p.state} ${p.zip}`,
};

const WITH_UNIT: Readonly<Record<string, (p: Property, unit: string) => string>> = {
  unit_after_street: (p, unit) => `${p.street} Apt ${unit}, ${p.city}, ${p.state} ${p.zip}`,
  unit_as_piece: (p, unit) => `${p.street}, Unit ${unit}, ${p.city}, ${p.state} ${p.zip}`,
  unit_first: (p, unit) => `Apt ${unit}, ${p.street}, ${p.city} ${p.state}`,
  unit_first_without_comma: (p, unit) => `#${unit} ${p.street}, ${p.city}, ${p.state}`,
  unit_last: (p, unit) => `${p.street}, ${p.city}, ${p.state} ${p.zip}, Apt. ${unit}`,
  unit_last_no_commas: (p, unit) => `${p.street} ${p.city} ${p.state} ${p.zip} apt ${unit}`,
  unit_before_city: (p, unit) => `${p.street} # ${unit} ${p.city} ${p.state} ${p.zip}`,
  unit_after_house: (p, unit) => `${p.street.replace(/^(\S+) /u, `$1 Unit ${unit} `)}, ${p.city}, ${p.stateName}`,
};

/** Every way to type the address of a property. */
export function typedForms(property: Property): TypedForm[] {
  const { unit } = property;
  const lines =
    unit === undefined
      ? Object.entries(WITHOUT_UNIT).map(([form, write]) => ({ form, query: { address: write(property) } }))
      : Object.entries(WITH_UNIT).map(([form, write]) => ({ form, query: { address: write(property, unit) } }));
  const street = unit === undefined ? property.street : `${property.street} #${unit}`;
  return [
    ...lines,
    { form: 'parameters', query: { address: street, city: otherSaint(property.city), state: property.state } },
    { form: 'city_twice', query: { address: `${street}, ${property.city}`, city: property.city.toUpperCase() } },
  ];
}
