import { date, defineRecord, flag, integer } from '../../../lib/record.ts';
import { defineModel } from '../../contract.ts';
import { fieldsOf } from '../../fields.ts';
import { ChangeFeed } from '../../marts/change_feeds.ts';

const BEGINS = 'the previous snapshot has no changes of the list';

const record = defineRecord(
  'int_change_feed',
  'One row per list of the change feed: whether it continues from the previous snapshot, and since when it is ' +
    'complete.',
  ['list'],
  {
    ...fieldsOf(ChangeFeed, ['list']),
    is_continued: flag('The previous snapshot has changes of the list.'),
    as_of_before: date('Day of the previous snapshot.', { absent: BEGINS }),
    records_before: integer('Records of the list in the previous snapshot.', { absent: BEGINS, unit: 'records' }),
    ...fieldsOf(ChangeFeed, ['changes_through', 'complete_since']),
  },
);

export default defineModel({ record });
