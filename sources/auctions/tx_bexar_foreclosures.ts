/** Bexar County, Texas: notices of mortgage foreclosure sales by trustees. */
import { arcgisSales } from '../families/arcgis/adapter.ts';
import { bexarSales } from '../families/bexar_sales.ts';

export default arcgisSales({
  ...bexarSales(0, 'mortgage_foreclosure'),
  name: 'tx_bexar_foreclosures',
  title: 'Bexar County foreclosure sales (County Clerk)',
  covers: { kinds: ['foreclosure_sale'] },
  auctionType: 'foreclosure_sale',
  expect: {
    minRows: 1,
    maxRejectShare: 0.05,
    maxDropShare: 0.9,
    joins: { address: 0.9, zip: 0.9 },
    newest: { column: 'sale_date', maxAgeDays: 35 },
  },
});
