/** The calculator that tests hold published figures against. */
export * from '../../lib/formula.ts';
