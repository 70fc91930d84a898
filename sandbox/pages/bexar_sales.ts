/** Bexar County's foreclosure map: a layer of trustees' sales and one of tax sales, without owners and amounts. */
import type { AuctionType } from '../../sources/kinds.ts';
import { mapServer, type Layer } from './arcgis.ts';
import type { Row } from './tables.ts';
import { streetOf } from './layer_fields.ts';

const layer = (id: number, name: string, type: AuctionType): Layer => ({
  path: `/arcgis/rest/services/CC/ForeclosuresProd/MapServer/${id}`,
  id,
  name,
  fields: 'ADDRESS DOC_NUMBER YEAR:Integer MONTH:Integer SCHOOL_DIST TYPE CITY ZIP',
  features: (day) =>
    day.auctions
      .filter((sale) => sale.countyFips === '48029' && sale.auctionType === type)
      // A sale that is called off or past leaves the map.
      .filter(({ saleDate, status }) => status === 'scheduled' && saleDate >= day.day)
      .map((sale): Row => {
        const property = day.property(sale.propertyId);
        const street = sale.showsAddress ? streetOf(property) : null;
        const city = property.city.toUpperCase();
        const isJoined = street !== null && sale.caseNumber.endsWith('4');
        return {
          ADDRESS: isJoined ? `${street}  ${city}  TEXAS  ${property.zip}` : street,
          DOC_NUMBER: sale.caseNumber,
          YEAR: Number(sale.saleDate.slice(0, 4)),
          MONTH: Number(sale.saleDate.slice(5, 7)),
          SCHOOL_DIST: null,
          TYPE: name.toUpperCase(),
          CITY: isJoined ? null : city,
          // The map takes the first five digits of the joined address.
          ZIP: isJoined ? (/\d{5}/u.exec(street)?.[0] ?? property.zip) : property.zip,
        };
      }),
});

export const bexarSales = mapServer(layer(0, 'Mortgage', 'foreclosure_sale'), layer(1, 'Tax', 'tax_sale'));
