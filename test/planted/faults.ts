/** All planted faults. docs/planted-errors.md lists them. */
import { modelFaults } from './model_faults.ts';
import { paymentFaults } from './payment_faults.ts';
import { sourceFaults } from './source_faults.ts';

export const faults = [...sourceFaults, ...modelFaults, ...paymentFaults];
