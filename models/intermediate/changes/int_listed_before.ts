import { defineModel } from '../../contract.ts';
import { hashedRecord } from './int_listed_records.ts';

export default defineModel({
  record: hashedRecord(
    'int_listed_before',
    'One row per record of the lists of the previous snapshot, without filings.',
  ),
});
