/** The parcel layers of Cuyahoga, Hamilton and Stark County: all parcels of the world there, most without a debt. */
import { Draw } from '../world/random.ts';
import { spellStreet } from '../world/streets.ts';
import { undashed } from '../world/parcels.ts';
import type { DelinquentParcel, Property, WorldDay } from '../world/types.ts';
import { mapServer, type Layer, type LayerField } from './arcgis.ts';
import type { Row } from './conditions.ts';
import { perDay } from './per_day.ts';

const texts = (...names: string[]): LayerField[] => names.map((name) => ({ name, type: 'String' }));
const amounts = (...names: string[]): LayerField[] => names.map((name) => ({ name, type: 'Double' }));

const debts = perDay((day) => new Map(day.delinquent.map((debt) => [debt.propertyId, debt])));

/** A feature for each property of the county with a parcel number. */
function features(
  day: WorldDay,
  countyFips: string,
  row: (property: Property, debt: DelinquentParcel | undefined, draw: Draw, parcel: string) => Row,
): Row[] {
  return [...day.world.properties.values()].flatMap((property) =>
    property.countyFips === countyFips && property.parcel !== null
      ? [
          row(
            property,
            debts(day).get(property.id),
            new Draw(day.world.options.seed, 'layer', property.id),
            property.parcel,
          ),
        ]
      : [],
  );
}

const noon = (day: string): number => Date.parse(`${day}T05:00:00Z`);

const cuyahoga: Layer = {
  path: '/server/rest/services/CCFO/EPV_Prod/FeatureServer/2',
  id: 2,
  name: 'EPV Parcels',
  fields: [
    ...texts(
      'parcelpin',
      'parcel_id',
      'parcel_owner',
      'second_owner',
      'par_addr_all',
      'parcel_city',
      'parcel_zip',
      'mail_name',
      'mail_addr_street',
      'mail_unit_no',
      'mail_city',
      'mail_state',
      'mail_zip',
    ),
    ...amounts('total_net_delq_balance', 'grand_total_balance', 'tax_market_total'),
    { name: 'prev_tax_year', type: 'Integer' },
    { name: 'cur_tax_year', type: 'Integer' },
    ...texts('foreclosure_flag', 'bor_status', 'cert_sold_flag', 'payment_plan_flag', 'tax_luc_description'),
    { name: 'taxbill_update_date', type: 'Date' },
  ],
  features: (day) =>
    features(day, '39035', (property, debt, draw, parcel) => {
      const { owner } = property;
      const owed = Number(debt?.amount ?? '0');
      // A missing address is null on some parcels and blank on others.
      const street = property.hasAddress
        ? spellStreet(property.address, 'upper_abbreviated')
        : draw.chance(0.5)
          ? null
          : ' ';
      return {
        parcelpin: undashed(parcel),
        parcel_id: parcel,
        parcel_owner: owner.name,
        second_owner: owner.second,
        par_addr_all: street,
        parcel_city: property.city.toUpperCase(),
        parcel_zip: property.zip,
        mail_name: owner.name,
        mail_addr_street: owner.mailing.street,
        mail_unit_no: null,
        mail_city: owner.mailing.city,
        mail_state: owner.mailing.state,
        mail_zip: owner.mailing.zip,
        total_net_delq_balance: owed,
        grand_total_balance: Math.round(owed * 100 + property.value * 1.1) / 100,
        tax_market_total: property.value,
        prev_tax_year: 2025,
        cur_tax_year: 2026,
        foreclosure_flag: debt?.foreclosureFiled ? 'Y' : 'N',
        bor_status: null,
        cert_sold_flag: draw.chance(0.03) ? 'Y' : 'N',
        payment_plan_flag: debt?.paymentPlan ? 'Y' : 'N',
        tax_luc_description: debt?.propertyClass ?? null,
        taxbill_update_date: noon(day.day),
      };
    }),
};

const hamilton: Layer = {
  path: '/arcgis/rest/services/Countywide_Layers/Parcels/FeatureServer/0',
  id: 0,
  name: 'Parcels',
  fields: [
    ...texts('PARCELID', 'AUDPCLID', 'OWNNM1', 'OWNNM2', 'ADDRNO', 'ADDRST', 'ADDRSF', 'MLADR1', 'MLADR2', 'MLADR3'),
    ...amounts('DELQ_TAXES', 'DELQ_TAXES_PD'),
    { name: 'DLNQDT', type: 'Date' },
    ...texts('FORECL_FLAG'),
    ...amounts('MKT_TOTAL_VAL'),
    ...texts('CLASS', 'PAR_DELETED'),
  ],
  features: (day) =>
    features(day, '39061', (property, debt, draw, parcel) => {
      const { owner, address } = property;
      const place = property.hasAddress
        ? {
            ADDRNO: address.high === null ? String(address.low) : `${address.low}-${address.high}`,
            ADDRST: [address.pre, address.name].filter((part) => part !== null).join(' '),
            ADDRSF: address.suffix,
          }
        : { ADDRNO: '0', ADDRST: null, ADDRSF: null };
      // The layer has gross and paid amounts: some parcels have paid their whole debt, and some are deleted.
      const settled = debt === undefined && draw.chance(0.02) ? draw.int(40_000, 900_000) / 100 : 0;
      const deleted = debt === undefined && draw.chance(0.02);
      // The map lags behind the Auditor's list: it does not have some debts yet.
      const known = debt?.isMapped === true ? debt : undefined;
      const paid = known ? Number(known.paid) : settled;
      return {
        PARCELID: undashed(parcel),
        AUDPCLID: parcel,
        OWNNM1: owner.name,
        OWNNM2: owner.second,
        ...place,
        MLADR1: owner.mailing.street,
        MLADR2: `${owner.mailing.city} ${owner.mailing.state} ${owner.mailing.zip}`,
        MLADR3: null,
        DELQ_TAXES: known
          ? Math.round(Number(known.amount) * 100 + paid * 100) / 100
          : deleted
            ? draw.int(10_000, 500_000) / 100
            : settled,
        DELQ_TAXES_PD: deleted ? 0 : paid,
        DLNQDT: known ? noon(`${known.certifiedYear}-09-15`) : null,
        FORECL_FLAG: known?.foreclosureFiled ? 'Y' : draw.chance(0.5) ? 'N' : null,
        MKT_TOTAL_VAL: property.value,
        CLASS: debt?.propertyClass ?? null,
        PAR_DELETED: deleted ? 'Y' : 'N',
      };
    }),
};

const stark: Layer = {
  path: '/usrsvcs/servers/067a37ee416e4d11bc23dd1446ad30ba/rest/services/Auditor/StarkCountyParcels/FeatureServer/0',
  id: 0,
  name: 'StarkCountyParcels',
  fields: [
    ...texts('PIN', 'OWNER', 'SITE_ADDRESS', 'MAILING_ADDRESS1', 'MAILING_ADDRESS2', 'MAILING_ADDRESS3'),
    ...amounts('TOTAL_BILLED', 'TOTAL_PAID', 'FINAL_BALANCE'),
    { name: 'CERTIFIED_DELINQUENT_YEAR', type: 'Integer' },
    { name: 'CERTIFIED_DELINQUENT_DATE', type: 'Date' },
    ...amounts('APPRAISED_TOTAL_VALUE'),
    ...texts('LAND_USE_DESCRIPTION'),
  ],
  features: (day) =>
    features(day, '39151', (property, debt, draw, parcel) => {
      const { owner } = property;
      const balance = Number(debt?.amount ?? '0');
      const paid = draw.int(0, 100_000) / 100;
      const city = property.city.toUpperCase();
      // One free text, with or without a comma before the city.
      const separator = draw.chance(0.7) ? ',' : '';
      const site = `${spellStreet(property.address, 'upper_abbreviated')}${separator} ${city} OH ${property.zip}`;
      return {
        PIN: parcel,
        OWNER: owner.second === null ? owner.name : `${owner.name} & ${owner.second}`,
        SITE_ADDRESS: property.hasAddress ? site : null,
        MAILING_ADDRESS1: owner.mailing.street,
        MAILING_ADDRESS2: `${owner.mailing.city} ${owner.mailing.state} ${owner.mailing.zip}`,
        MAILING_ADDRESS3: null,
        TOTAL_BILLED: Math.round((balance + paid) * 100) / 100,
        TOTAL_PAID: paid,
        FINAL_BALANCE: balance,
        CERTIFIED_DELINQUENT_YEAR: debt?.certifiedYear ?? null,
        CERTIFIED_DELINQUENT_DATE: debt ? noon(`${debt.certifiedYear}-10-01`) : null,
        APPRAISED_TOTAL_VALUE: property.value,
        LAND_USE_DESCRIPTION: debt?.propertyClass ?? null,
      };
    }),
};

export const cuyahogaTax = mapServer(cuyahoga);
export const hamiltonTax = mapServer(hamilton);
export const starkTax = mapServer(stark);
