import { defineModel } from '../../contract.ts';
import { SoldLead } from '../../inputs.ts';

export default defineModel({
  record: { ...SoldLead, name: 'int_sold_lead_id', about: 'One row per lead of a sold property.' },
});
