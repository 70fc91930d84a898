import type { RecordDefinition } from '../../../lib/record.ts';
import { defineModel } from '../../contract.ts';
import { Signal } from '../../marts/signals.ts';

const record: RecordDefinition = {
  ...Signal,
  name: 'int_earlier_signal',
  about: 'One row per signal of the previous snapshot.',
};

export default defineModel({ record, view: true });
