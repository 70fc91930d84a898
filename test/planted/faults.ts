/** All planted faults. */
import { modelFaults } from './model_faults.ts';
import { paymentFaults } from './payment_faults.ts';
import { placeFaults } from './place_faults.ts';
import { sourceFaults } from './source_faults.ts';

export const faults = [...sourceFaults, ...modelFaults, ...placeFaults, ...paymentFaults];
