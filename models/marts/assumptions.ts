import { defineMart } from '../contract.ts';
import { Assumption } from '../assumptions.ts';

export default defineMart({ record: Assumption, publish: { orderBy: ['assumption_set_id', 'key'] } });
