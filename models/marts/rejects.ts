import { defineMart } from '../contract.ts';
import { RejectedRow } from '../inputs.ts';

export default defineMart({
  record: RejectedRow,
  publish: { orderBy: ['source', 'page_url', 'page_row', 'page_sha256'] },
});
