/** Every planted fault in sales is found by a schedule. simulation.test.ts plants one fault of each part. */
import { describe } from 'node:test';
import { faults } from './simulation/faults.ts';
import { findsFaults } from './simulation/find_fault.ts';

describe('planted faults are found:', () => {
  findsFaults(faults);
});
