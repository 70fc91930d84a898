import { defineModel } from '../contract.ts';
import { RejectedRow } from '../inputs.ts';

export default defineModel({
  record: RejectedRow,
  publish: { orderBy: ['source', 'page_url', 'page_row', 'page_sha256'] },
});
