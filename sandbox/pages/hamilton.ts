/**
 * Hamilton County's Auditor: the list of unpaid taxes, a workbook replaced once a month under the same name. Its
 * addresses are the owners'; only the county's map has the parcels' addresses.
 */
import { httpDate, respond, withValidators, type SandboxRequest, type SandboxResponse } from '../http.ts';
import { dayNumber, dayText } from '../world/days.ts';
import { listDay } from '../world/debts.ts';
import { Draw } from '../world/random.ts';
import type { WorldDay } from '../world/world.ts';
import { perDay } from './parts.ts';
import { workbook } from './xlsx.ts';

const FIPS = '39061';
const COLUMNS = (
  'parcel_number owner_name_1 owner_name_2 owner_address_1 owner_address_2 property_class unpaid_amount ' +
  'tax_district'
).split(' ');

const madeOn = (day: WorldDay): string => dayText(listDay(FIPS, dayNumber(day.day)));

const unpaid = perDay((day) =>
  workbook(
    [
      {
        name: 'unpaid',
        rows: [
          COLUMNS,
          ...day.delinquent
            .filter(({ countyFips }) => countyFips === FIPS)
            .map((debt) => {
              const { owner, id } = day.property(debt.propertyId);
              const { street, city, state, zip } = owner.mailing;
              const district = String(new Draw(day.world.options.seed, 'district', id).int(1, 220)).padStart(3, '0');
              return [
                debt.parcel,
                owner.name,
                owner.second ?? '',
                street,
                `${city} ${state} ${zip}`,
                debt.propertyClass,
                Number(debt.amount),
                district,
              ];
            }),
        ],
      },
    ],
    madeOn(day),
  ),
);

/** The site's pages. */
export function hamiltonList(day: WorldDay, request: SandboxRequest): SandboxResponse | null {
  switch (request.path) {
    case '/robots.txt':
      return respond('User-agent: *\nDisallow: /admin/\n', 'text/plain');
    case '/download/Delinquent/unpaid.xlsx':
      return withValidators(
        respond(unpaid(day), 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'),
        httpDate(madeOn(day), '06:30:00'),
      );
    default:
      return null;
  }
}
