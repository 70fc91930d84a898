/**
 * City of St. Louis, Missouri: parcels with an unpaid balance, from the Assessor's parcel layer.
 *
 * Taxes of a year are due by its December 31 (RSMo 140.010). A balance of no more than the bill of a year that is not
 * over is not delinquent: such a row is out of scope. The city's page of a parcel shows unpaid years at the amount
 * billed, without interest, so the amount is taken as principal. Not confirmed by a recorded row: whether the layer has
 * BillYear and BillTaxAmt, which the city's published table of the same parcels has.
 */
import { arcgisParcels } from '../readers/arcgis/adapter.ts';
import type { Attributes } from '../readers/arcgis/layer.ts';
import {
  isLandBank,
  marketValueOf,
  ownerOf,
  propertyClassOf,
  situsOf,
  ST_LOUIS,
  ST_LOUIS_FIELDS,
  ST_LOUIS_OWNER_FIELDS,
} from '../readers/st_louis_parcels.ts';
import { cents, money, refuse, year } from '../values.ts';

/** Whether the balance may be a bill whose due date is not over. */
function isNotDue(attributes: Attributes, readOn: string): boolean {
  const billYear = year('BillYear', attributes.BillYear);
  const billed = cents('BillTaxAmt', attributes.BillTaxAmt);
  const balance = cents('TaxBalDue', attributes.TaxBalDue);
  if (billYear === null || readOn > `${billYear}-12-31`) return false;
  return billed === null || balance === null || balance <= billed;
}

export default arcgisParcels({
  ...ST_LOUIS,
  name: 'mo_st_louis_tax',
  title: "City of St. Louis tax delinquency (Assessor's parcel layer)",
  where: 'TaxBalDue > 0',
  everyDays: 7,
  expect: { minRows: 1, maxRejectShare: 0.02, maxDropShare: 0.5, joins: { address: 0.7, zip: 0.7 } },
  needed: ['TaxBalDue', 'AsdTotal', ...ST_LOUIS_FIELDS, ...ST_LOUIS_OWNER_FIELDS],
  optional: ['BillYear', 'BillTaxAmt'],
  outOfScope: (feature, { readOn }) => {
    if (isLandBank(feature)) return "AsrClassCode 49: the city's land bank owns the parcel and owes no tax";
    return isNotDue(feature, readOn)
      ? `TaxBalDue is no more than the bill of ${String(feature.BillYear)}, which is not over`
      : null;
  },
  values: (feature) => ({
    ...situsOf(feature),
    ...ownerOf(feature),
    amount: money('TaxBalDue', feature.TaxBalDue) ?? refuse('blank_amount', 'TaxBalDue is blank'),
    amount_basis: 'principal',
    county_value: marketValueOf(feature),
    property_class: propertyClassOf(feature),
  }),
});
