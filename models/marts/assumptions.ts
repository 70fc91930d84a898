import { defineMart } from '../contract.ts';
import { Assumption } from '../assumptions.ts';

export default defineMart({
  record: Assumption,
  audits: [
    {
      name: 'assumptions.set_of_the_run',
      about: 'the set is that of the run',
      blocking: true,
      sql: 'SELECT * FROM assumptions WHERE assumption_set_id <> (SELECT assumption_set_id FROM run)',
    },
  ],
  publish: { orderBy: ['assumption_set_id', 'key'] },
});
