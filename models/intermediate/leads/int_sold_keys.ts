import { defineModel } from '../../contract.ts';
import { SoldProperty } from '../../inputs.ts';

export default defineModel({
  record: { ...SoldProperty, name: 'int_sold_key', about: 'One row per key of a sold property.' },
});
