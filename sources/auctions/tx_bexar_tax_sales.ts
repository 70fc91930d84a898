/**
 * Bexar County, Texas: tax sales, by the cause number of the judgment. Some months have none: an empty map after a full
 * one is quarantined, and the sales of the last good read stay until the next list.
 */
import { arcgisSales } from '../families/arcgis/adapter.ts';
import { bexarSales } from '../families/bexar_sales.ts';

export default arcgisSales({
  ...bexarSales(1, 'tax_foreclosure'),
  name: 'tx_bexar_tax_sales',
  title: 'Bexar County tax sales (County Clerk)',
  covers: { kinds: ['tax_sale'] },
  auctionType: 'tax_sale',
  expect: { minRows: 0, maxRejectShare: 0.05, maxDropShare: 0.95, joins: { address: 0.9, zip: 0.9 } },
});
