/** The sites of the sandbox by host. */
import type { SitePages } from '../http.ts';
import { counties, quietCounties } from '../world/auctions.ts';
import { wprdc } from './allegheny.ts';
import { bexarSales, cuyahogaTax, hamiltonTax, starkTax } from './county_layers.ts';
import { buckeye, crescent } from './card_brokers.ts';
import { census, freddieMac, vacancyTables } from './benchmarks.ts';
import {
  charlotteCode,
  chicagoData,
  cincinnati,
  clevelandLayers,
  columbusCode,
  detroitLayers,
  kansasCity,
} from './city_cases.ts';
import { marionParcels, stLouisParcels } from './city_rolls.ts';
import { colorado, ohioFiles, ohioSite } from './registers.ts';
import { hamiltonList } from './hamilton.ts';
import { heartland } from './heartland.ts';
import { hud } from './hud.ts';
import { milwaukee } from './milwaukee.ts';
import { montgomeryTax } from './montgomery.ts';
import { lienHub, shelbyTaxSales, starkSales, summitNotices } from './notices.ts';
import { realAuction } from './realauction.ts';
import { resoMls } from './reso_mls.ts';

/** Florida's clerks of court by the names of their auction sites. Orange and Butler, PA, have no sale. */
const clerks = [
  { foreclosures: 'duval', taxDeeds: 'duval', fips: '12031' },
  { foreclosures: 'hillsborough', taxDeeds: 'hillsborough', fips: '12057' },
  { foreclosures: 'myorangeclerk', taxDeeds: 'orange', fips: '12095' },
  { foreclosures: 'pasco', taxDeeds: 'pasco', fips: '12101' },
  { foreclosures: 'pinellas', taxDeeds: 'pinellas', fips: '12103' },
];

export const sites: ReadonlyMap<string, SitePages> = new Map<string, SitePages>([
  ['www.heartland-multifamily.example', heartland],
  ['www.buckeye-income-property.example', buckeye],
  ['api.sandbox-mls.example', resoMls],
  ['www.crescent-brokerage.example', crescent],
  ['www.huduser.gov', hud],
  ['api.census.gov', census],
  ['gis.cuyahogacounty.us', cuyahogaTax],
  ['cagisonline.hamilton-co.org', hamiltonTax],
  ['www.hcauditor.org', hamiltonList],
  ['utility.arcgis.com', starkTax],
  ['services3.arcgis.com', clevelandLayers],
  ['services2.arcgis.com', detroitLayers],
  ['maps8.stlouis-mo.gov', stLouisParcels],
  ['gis.indy.gov', marionParcels],
  ['maps.bexar.org', bexarSales],
  ['maps2.columbus.gov', columbusCode],
  ['gis.charlottenc.gov', charlotteCode],
  ['go.mcohio.org', montgomeryTax],
  ['www.akronlegalnews.com', summitNotices],
  ...[...counties, ...quietCounties].map(
    ({ name, fips }) => [`${name.toLowerCase()}.sheriffsaleauction.ohio.gov`, realAuction(fips)] as const,
  ),
  ...clerks.flatMap(({ foreclosures, taxDeeds, fips }) => [
    [`${foreclosures}.realforeclose.com`, realAuction(fips, 'foreclosure_sale')] as const,
    [`${taxDeeds}.realtaxdeed.com`, realAuction(fips, 'tax_deed_sale')] as const,
  ]),
  ['butler.pa.realforeclose.com', realAuction('42019')],
  ['lienhub.com', lienHub],
  ['scgpublic.s3.amazonaws.com', shelbyTaxSales],
  ['sheriffsales.starkcountyohio.gov', starkSales],
  ['publicfiles.ohiosos.gov', ohioFiles],
  ['www.ohiosos.gov', ohioSite],
  ['data.colorado.gov', colorado],
  ['data.cincinnati-oh.gov', cincinnati],
  ['data.cityofchicago.org', chicagoData],
  ['data.kcmo.org', kansasCity],
  ['data.milwaukee.gov', milwaukee],
  ['data.wprdc.org', wprdc],
  ['www.freddiemac.com', freddieMac],
  ['www.census.gov', vacancyTables],
]);

/** Sites that accept a form or JSON by POST. */
export const takesForms: ReadonlySet<string> = new Set([
  'api.sandbox-mls.example',
  'data.milwaukee.gov',
  'data.wprdc.org',
  'sheriffsales.starkcountyohio.gov',
]);
